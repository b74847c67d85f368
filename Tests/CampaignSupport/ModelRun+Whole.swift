internal import Heartwood

/// The whole store against the whole model, its counters, and arguments outside the limits.
extension ModelRun {
    func compareWithModel() async throws {
        let keys = model.universe.keys
        var next = 0
        func skip(to key: [UInt8]?) throws {
            while next < keys.count, keys[next] != key {
                try check(
                    model.state.visible(next) == nil,
                    "all in all: \(name(next)) is missing, or out of order; write "
                        + "\(model.state.entries[next]?.sequence ?? 0) set it"
                )
                next += 1
            }
        }
        try store!.forEach { entry in
            try skip(to: entry.key)
            try check(next < keys.count, "all in all: a key that was never written, or is out of order: \(entry.key)")
            try compare(entry, model.state.visible(next), next, "all in all")
            next += 1
            return .next
        }
        try skip(to: nil)
        try await compareStatistics()
    }

    func compareStatistics() async throws {
        let statistics = store!.statistics
        let newest = model.firstOfOpening == nil ? visibleAtOpening : model.lastSequence
        try check(statistics.state == .ready, "the state is \(statistics.state)")
        try compareCount(statistics.keys)
        try check(statistics.versions >= statistics.keys, "there are fewer versions than keys: \(statistics)")
        try check(statistics.lastSequence == newest, "the last number is \(statistics.lastSequence), not \(newest)")
        try check(statistics.visibleSequence == newest, "visible is \(statistics.visibleSequence), not \(newest)")
        try check(
            statistics.syncedSequence <= newest, "synced is \(statistics.syncedSequence), beyond the last, \(newest)")
        try check(
            statistics.batches == writesOfOpening,
            "the statistics say \(statistics.batches) batches instead of \(writesOfOpening)")
        try await compareHeldStates()
    }

    /// What has expired counts until a compaction drops it.
    private func compareCount(_ keys: Int) throws {
        guard keys != model.count else { return }
        let alive = model.state.entries.indices.count { model.state.visible($0) != nil }
        try check(
            keys >= alive && keys < model.count && (coveredSequence > 0 || opening.compactedAt != nil),
            "the statistics say \(keys) keys, not \(model.count), of which \(alive) haven't expired")
    }

    /// A thread that has read for a scan may let go of its state a moment after the scan has ended.
    private func compareHeldStates() async throws {
        for _ in 0..<1000 {
            if snapshots.isEmpty == (store!.statistics.heldStates == 0) { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        throw ModelFailure("\(store!.statistics.heldStates) states are held, and \(snapshots.count) snapshots")
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
            // Rarely the real thing: it costs a millisecond.
            guard before % 32 == 0 else { return }
            let value = [UInt8](repeating: 1, count: Self.maximumValueBytes + 1)
            try await refused(.tooLarge) { try await store.put("key", value, durability: .buffered) }
        case .emptyBatch:
            let sequence = try await store.write { _ in }
            try check(sequence == before, "an empty batch has number \(sequence), and the last write \(before)")
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
                throw ModelFailure("a transaction that throws was committed")
            } catch is Stop {}
        }
        let after = store.statistics.lastSequence
        try check(after == before, "after \(misuse) the last number is \(after) instead of \(before)")
    }

    func refused(_ code: StoreError.Code, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as StoreError {
            try check(error.code == code, "it was refused as \(error.code) instead of \(code): \(error)")
            return
        }
        throw ModelFailure("it was let pass, where \(code) is right")
    }
}
