internal import Heartwood
internal import HeartwoodFormat

/// Opening, closing, and crashes of the process.
extension ModelRun {
    private var configuration: Store.Configuration {
        var configuration = Store.Configuration()
        configuration.compaction.isAutomatic = opening.compactedAt != nil
        configuration.compaction.minimumLogBytes = opening.compactedAt ?? .max
        configuration.fileSystem = fileSystem
        configuration.clock = clock
        configuration.durability = opening.durability
        configuration.segmentBytes = opening.segmentBytes
        configuration.commitBufferBytes = opening.commitBufferBytes
        configuration.maximumValueBytes = Self.maximumValueBytes
        configuration.createIfMissing = isNew
        if opening.compressionLevel > 0 {
            configuration.compression = .zlib(level: opening.compressionLevel, threshold: opening.compressionThreshold)
        }
        return configuration
    }

    /// Opens the store for the first time in this life.
    func open() async throws {
        store = try await openStore(strictly: true)
        isNew = false
        try check(store!.recoveryReport.tail == .new, "a new store's tail is \(store!.recoveryReport.tail)")
        beginOpening()
    }

    private func beginOpening() {
        summary.openings += 1
        writesOfOpening = 0
        visibleAtOpening = store!.statistics.visibleSequence
    }

    private func openStore(strictly isStrict: Bool) async throws -> Store {
        var configuration = configuration
        configuration.strictRecovery = isStrict
        let path = path
        // The last reference to a dropped store may be let go a moment later, by another thread.
        for attempt in 0... {
            do throws(StoreError) {
                if opening.isAsynchronous { return try await Store.open(at: path, configuration: configuration) }
                return try Store(openingAt: path, configuration: configuration)
            } catch {
                guard error.code == .locked, attempt < 500 else { throw error }
            }
            try await Task.sleep(for: .milliseconds(10))
        }
        preconditionFailure("unreachable")
    }

    func close() async throws {
        let store = store!
        try await store.close()
        try await store.close()
        try await refused(.closed) { try await store.put("key", "value", durability: .buffered) }
        try await refused(.closed) { _ = try store.get("key") }
        try check(store.state == .closed, "a closed store says that it is \(store.state)")
        for held in snapshots {
            try await refused(.closed) { _ = try held.snapshot.get("key") }
        }
        snapshots = []
        self.store = nil
        model.becomeDurable()
    }

    func reopen(closes: Bool, _ choice: ModelOperation.OpeningChoice) async throws {
        let hasWritten = model.firstOfOpening != nil
        let newest = model.lastSequence
        let durable = model.durableSequence
        var kept: HeldSnapshot?
        if closes {
            try await close()
        } else {
            kept = choice.keepsSnapshot ? snapshots.first : nil
            snapshots = []
            store = nil
            summary.crashes += 1
        }
        opening = choice
        let opened = try await openStore(strictly: closes && hasWritten && choice.isStrict)
        store = opened
        let report = opened.recoveryReport
        let recovered = report.lastSequence
        try check(recovered <= newest, "number \(recovered) was recovered, and \(newest) is the last one written")
        try check(recovered >= durable, "only number \(recovered) was recovered, and \(durable) had to survive")
        if closes {
            try check(recovered == newest, "after a close number \(recovered) was recovered instead of \(newest)")
            try check(!hasWritten || report.tail == .closed, "after a close the tail is \(report.tail)")
        }
        summary.lostWrites += model.reopen(at: recovered)
        let covered = try covered(by: report, upTo: recovered)
        let behind = model.batches(behind: covered)
        try check(
            report.batches == behind, "\(report.batches) batches were recovered behind \(covered) instead of \(behind)")
        beginOpening()
        if let kept { try neverWrong(kept) }
        try await compareWithModel()
    }

    /// The last number that a snapshot file covers; they only ever grow.
    private func covered(by report: RecoveryReport, upTo recovered: SequenceNumber) throws -> SequenceNumber {
        try check(report.passedOver.isEmpty, "snapshots are damaged: \(report.passedOver)")
        try note(covered: report.snapshot?.sequence ?? 0, upTo: recovered)
        return coveredSequence
    }

    private func note(covered: SequenceNumber, upTo newest: SequenceNumber) throws {
        try check(covered <= newest, "a snapshot covers \(covered), beyond the newest number, \(newest)")
        try check(covered >= coveredSequence, "a snapshot covers \(covered), after one of \(coveredSequence)")
        coveredSequence = covered
    }

    /// Everything into a snapshot; nobody sees a difference.
    func compact() async throws {
        let snapshot = try await store!.compact().snapshot
        summary.compactions += 1
        try note(covered: snapshot?.sequence ?? 0, upTo: model.lastSequence)
        try await compareWithModel()
    }

    /// What a snapshot gives after its store is gone isn't promised; but wrong bytes are never given.
    private func neverWrong(_ held: HeldSnapshot) throws {
        for key in model.universe.keys.indices.prefix(20) {
            let entry: Entry?
            do throws(StoreError) { entry = try held.snapshot.entry(model.universe.keys[key]) } catch { continue }
            try compare(entry, held.state.visible(key), key, "a snapshot of a store that was dropped")
        }
    }
}
