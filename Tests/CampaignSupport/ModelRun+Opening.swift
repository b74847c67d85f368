internal import Heartwood
internal import HeartwoodFormat

/// Opening, closing, and crashes of the process.
extension ModelRun {
    private var configuration: Store.Configuration {
        var configuration = opening.configuration
        configuration.fileSystem = fileSystem
        configuration.clock = clock
        configuration.maximumValueBytes = Self.maximumValueBytes
        configuration.createIfMissing = isNew
        return configuration
    }

    /// The first opening of this life.
    func open() async throws {
        store = try await openStore(strictly: true)
        isNew = false
        try expect(store!.recoveryReport.tail == .new, "a new store's tail is \(store!.recoveryReport.tail)")
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
        let (path, chosen) = (path, configuration)
        return try await openWhenUnlocked {
            if opening.isAsynchronous { return try await Store.open(at: path, configuration: chosen) }
            return try Store(openingAt: path, configuration: chosen)
        }
    }

    func close() async throws {
        let store = store!
        try await store.close()
        try await store.close()
        try await refused(.closed) { try await store.put("key", "value", durability: .buffered) }
        try await refused(.closed) { _ = try store.get("key") }
        try expect(store.state == .closed, "a closed store says that it is \(store.state)")
        for held in views {
            try await refused(.closed) { _ = try held.view.get("key") }
        }
        views = []
        self.store = nil
        model.becomeDurable()
    }

    func reopen(closes: Bool, _ choice: ModelOperation.OpeningChoice) async throws {
        let hasWritten = model.firstOfOpening != nil
        let newest = model.lastSequence
        let durable = model.durableSequence
        let last = store!.statistics.lastSequence
        var kept: ModelView?
        if closes {
            try await close()
        } else {
            kept = choice.keepsReadView ? views.first : nil
            views = []
            store = nil
            summary.crashes += 1
        }
        opening = choice
        let opened = try await openStore(strictly: closes && hasWritten && choice.isStrict)
        store = opened
        let report = opened.recoveryReport
        let recovered = report.lastSequence
        let first = opened.statistics.lastSequence + 1
        try expect(
            first == recovered + 1 || first % FormatConstants.sequenceEpoch == 0,
            "the first number of an opening is \(first), after \(recovered)")
        try expect(recovered <= newest, "number \(recovered) was recovered, and \(newest) is the last one written")
        try expect(recovered >= durable, "only number \(recovered) was recovered, and \(durable) had to survive")
        if closes {
            try expect(recovered == newest, "after a close number \(recovered) was recovered instead of \(newest)")
            try expect(!hasWritten || report.tail == .closed, "after a close the tail is \(report.tail)")
            let found = opened.statistics.lastSequence
            // A segment without records has its first number as its name.
            try expect(
                found == last || (found + 1) % FormatConstants.sequenceEpoch == 0,
                "after a close at number \(last) numbers continue after \(found)")
        }
        try checkTime(of: opened, isExact: closes && hasWritten)
        summary.lostWrites += Int(model.reopen(at: recovered))
        let covered = try covered(by: report, upTo: recovered)
        let later = model.batches(after: covered)
        try expect(
            report.batches == later, "\(report.batches) batches were recovered after \(covered) instead of \(later)")
        beginOpening()
        if let kept { try neverWrong(kept) }
        try await compareWithModel()
    }

    /// A store continues at the time of its newest commit, or at that of the clock if it is later.
    private func checkTime(of store: Store, isExact: Bool) throws {
        let (now, wall) = (store.now.milliseconds, clock.now().milliseconds)
        let possible = max(wall, isExact ? model.now : model.durableTime)...max(wall, model.now)
        try expect(possible.contains(now), "a store is opened at the time \(now), not \(possible)")
        model.now = now
        time = StoreTimeModel(clock, now: now)
    }

    /// The last sequence number that a snapshot covers. It never becomes smaller.
    private func covered(by report: RecoveryReport, upTo recovered: SequenceNumber) throws -> SequenceNumber {
        try expect(report.skippedFiles.isEmpty, "snapshots are damaged: \(report.skippedFiles)")
        try note(covered: report.snapshot?.sequence ?? 0, upTo: recovered)
        return coveredSequence
    }

    private func note(covered: SequenceNumber, upTo newest: SequenceNumber) throws {
        try expect(covered <= newest, "a snapshot covers \(covered), beyond the newest number, \(newest)")
        try expect(covered >= coveredSequence, "a snapshot covers \(covered), after one of \(coveredSequence)")
        coveredSequence = covered
    }

    /// A compaction changes nothing that readers see.
    func compact() async throws {
        let snapshot = try await store!.compact().snapshot
        summary.compactions += 1
        try note(covered: snapshot?.sequence ?? 0, upTo: model.lastSequence)
        try await compareWithModel()
    }

    /// A read view of a dropped store may fail, but it never returns wrong bytes.
    private func neverWrong(_ held: ModelView) throws {
        for key in model.universe.keys.indices.prefix(20) {
            let entry: Entry?
            do throws(StoreError) { entry = try held.view.entry(model.universe.keys[key]) } catch { continue }
            try compare(entry, held.state.visible(key), key, "a read view of a store that was dropped")
        }
    }
}
