internal import HeartwoodConcurrency
internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodRepository
package import HeartwoodTesting

/// Opens what a crash left, and judges it: first the bytes, then what the newest program makes of them.
package struct ItemCheck {
    private let expectation: ItemExpectation
    private let disk: SimulatedDisk
    private let seed: UInt64
    private var random: SeededRandom

    package init(_ image: DiskImage, _ expectation: ItemExpectation) {
        self.expectation = expectation
        seed = image.fingerprint()
        disk = SimulatedDisk(image: image, seed: seed)
        random = SeededRandom(seed, 23)
    }

    /// - Throws: `Violation`.
    package mutating func run() async throws -> Aftermath<ItemExpectation> {
        let clock = ManualClock(milliseconds: expectation.clock)
        let store = try await promised("the store doesn't open") {
            try Store(openingAt: ItemRun.path, configuration: .quiet(disk, clock))
        }
        let found = try judge(store, expectation, "after the crash")
        let log = AttemptLog(
            disk, base: Self.base(found), stamp: expectation.nextStamp, bit: expectation.nextBit)
        let timeline = { [disk, expectation] in
            ItemTimeline(
                disk.trace, log, expectation.program, expectation.world, expectation.bounds, clock: expectation.clock,
                latest: store.now.milliseconds, keepsKernel: true)
        }
        var wasMaintained = false
        do {
            let bounded = BoundedStore(store, expectation.bounds, yields: 0)
            let handles = try await expectation.program.openAll(in: bounded, expectation.world)
            for handle in handles { if try await maintain(handle, store) { wasMaintained = true } }
            _ = try judge(store, timeline().expectation(after: .max, keepsAll: true), "after maintenance")
            let writer = ItemWriter(
                handles: handles, store: bounded, log: log, world: expectation.world, hasFault: false,
                refusals: .init(0))
            for _ in 0..<3 { try await writer.writeOne(.synced, &random) }
            _ = try judge(store, timeline().expectation(after: .max, keepsAll: true), "after more work")
            if random.oneIn(4) { try await store.close() }
        } catch let error as StoreError {
            throw Violation("the store opens, and then: \(error)")
        }
        store.settle()
        let end = timeline()
        var aftermath = Aftermath(trace: disk.trace, evidence: end.expectation(after:keepsAll:))
        aftermath.counts.maintained = wasMaintained ? 1 : 0
        return aftermath
    }

    private func judge(_ store: Store, _ expectation: ItemExpectation, _ when: String) throws -> [Slot: FoundItem] {
        do {
            let stored = try StoredItems(store)
            try stored.judge()
            let found = try stored.decode(expectation.world)
            try ItemJudge(expectation, found).judge()
            return found
        } catch let violation as Violation {
            throw Violation("\(when): \(violation)")
        }
    }

    /// What is found is what must be there from now on.
    private static func base(_ found: [Slot: FoundItem]) -> [Attempt] {
        found.map { slot, item in
            let kind = ItemWrite.Kind.set(stamp: item.stamp, count: item.count, expires: item.expires)
            var attempt = Attempt(writes: [ItemWrite(slot: slot, kind: kind)], durability: .synced)
            attempt.outcome = .acknowledged
            attempt.sequence = item.sequence
            (attempt.submitted, attempt.acknowledged) = (-1, -1)
            return attempt
        }
    }

    /// Maintains until nothing changes any more. Returns whether there was something to do.
    private func maintain(_ handle: any ItemHandle, _ store: Store) async throws -> Bool {
        var report = try await handle.maintain()
        let hadWork = report.records > 0 || report.removedEntries > 0
        // What one run finds in the way may be out of the way for the next.
        if !report.isComplete { report = try await handle.maintain() }
        if let error = report.undecodable.first { throw Violation("a record doesn't decode: \(error)") }
        try StoredItems(store).judgeMaintained(
            handle.repository, expectation.program, reported: report.unready, expectation.world)
        return hadWork
    }
}
