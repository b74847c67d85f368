internal import Heartwood

/// Comparisons of the whole store with the whole model, its statistics, and arguments outside the limits.
extension ModelRun {
    func compareWithModel() async throws {
        let keys = model.universe.keys
        var next = 0
        func skip(to key: [UInt8]?) throws {
            while next < keys.count, keys[next] != key {
                try expect(
                    model.state.visible(next) == nil,
                    "whole store: \(name(next)) is missing, or out of order; write "
                        + "\(model.state.entries[next]?.sequence ?? 0) set it"
                )
                next += 1
            }
        }
        for entry in try store!.scan().entries() {
            try skip(to: entry.key)
            try expect(next < keys.count, "whole store: a key that was never written, or is out of order: \(entry.key)")
            try compare(entry, model.state.visible(next), next, "whole store")
            next += 1
        }
        try skip(to: nil)
        try await compareStatistics()
    }

    func compareStatistics() async throws {
        let statistics = store!.statistics
        let newest = model.firstOfOpening == nil ? visibleAtOpening : model.lastSequence
        try expect(statistics.state == .ready, "the state is \(statistics.state)")
        try compareCount(statistics.keys)
        try expect(statistics.versions >= statistics.keys, "there are fewer versions than keys: \(statistics)")
        try expect(statistics.lastSequence == newest, "the last number is \(statistics.lastSequence), not \(newest)")
        try expect(statistics.visibleSequence == newest, "visible is \(statistics.visibleSequence), not \(newest)")
        try expect(
            statistics.syncedSequence <= newest, "synced is \(statistics.syncedSequence), beyond the last, \(newest)")
        try expect(
            statistics.batches == writesOfOpening,
            "the statistics say \(statistics.batches) batches instead of \(writesOfOpening)")
        try await compareHeldStates()
    }

    /// Expired keys count until a compaction drops them.
    private func compareCount(_ keys: Int) throws {
        guard keys != model.count else { return }
        let mayHaveDropped = coveredSequence > 0 || opening.configuration.compaction.isAutomatic
        let alive = model.state.entries.indices.count { model.state.visible($0) != nil }
        try expect(
            keys >= alive && keys < model.count && mayHaveDropped,
            "the statistics say \(keys) keys, not \(model.count), of which \(alive) haven't expired")
    }

    /// A thread that has read for a scan may release its state a little after the scan has ended.
    private func compareHeldStates() async throws {
        for _ in 0..<1000 {
            if views.isEmpty == (store!.statistics.pinnedStates == 0) { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw Violation("\(store!.statistics.pinnedStates) states are held, and \(views.count) read views")
    }

    func misuse(_ misuse: ModelOperation.Misuse) async throws {
        let store = store!
        let before = store.statistics.lastSequence
        switch misuse {
        case .emptyKey:
            try await refused(.invalidArgument) { try await store.put([UInt8](), "value", durability: .buffered) }
        case .longKey:
            let key = [UInt8](repeating: 7, count: 65_536)
            try await refused(.invalidArgument) { try await store.remove(key, durability: .buffered) }
        case .readOfEmptyKey:
            try await refused(.invalidArgument) { _ = try store.get([UInt8]()) }
        case .largeValue:
            // Rare, because it costs a millisecond.
            guard before % 32 == 0 else { return }
            let value = [UInt8](repeating: 1, count: Self.maximumValueBytes + 1)
            try await refused(.tooLarge) { try await store.put("key", value, durability: .buffered) }
        case .emptyBatch:
            let sequence = try await store.write { _ in }
            try expect(sequence == before, "an empty batch has number \(sequence), and the last write \(before)")
        case .failingBatch:
            try await refused(.invalidArgument) {
                try await store.write { batch in
                    batch.put(model.universe.keys[0], "never seen")
                    batch.remove([UInt8]())
                }
            }
        case .failingTransaction:
            struct Stop: Error {}
            do {
                try await store.transaction { transaction in
                    try transaction.put(model.universe.keys[0], "never seen")
                    throw Stop()
                }
                throw Violation("a transaction that throws was committed")
            } catch is Stop {}
        }
        let after = store.statistics.lastSequence
        try expect(after == before, "after \(misuse) the last number is \(after) instead of \(before)")
    }

    func refused(_ code: StoreError.Code, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as StoreError {
            try expect(error.code == code, "it was refused as \(error.code) instead of \(code): \(error)")
            return
        }
        throw Violation("it was accepted instead of refused as \(code)")
    }
}
