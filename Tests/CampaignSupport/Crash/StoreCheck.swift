internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodTesting

/// Opens what a crash left and compares it with what must be there. Then it writes, to check that new writes survive.
struct StoreCheck {
    struct Outcome {
        var trace: DiskTrace
        /// The recovered state, and the write after it.
        var chain: Chain
        var recovered: UInt64
        var written: UInt64
        /// The number of events in the trace when the write was acknowledged.
        var acknowledgedAt: Int
        var newestSeen: UInt64
        var clock: UInt64
        /// The time of the store.
        var time: UInt64
        /// The earliest time that a second crash may leave, before the write was acknowledged.
        var earliest: UInt64
        var wasTorn: Bool

        /// What a second crash must leave.
        func expectation(after events: Int) -> Expectation {
            let isAcknowledged = events >= acknowledgedAt
            return Expectation(
                chain: chain, low: isAcknowledged ? written : recovered, high: written,
                newestSeen: isAcknowledged ? max(newestSeen, written) : newestSeen, clock: clock,
                time: (isAcknowledged ? time : earliest)...time)
        }
    }

    private let image: DiskImage
    let expectation: Expectation
    private let disk: SimulatedDisk
    let seed: UInt64

    init(_ image: DiskImage, _ expectation: Expectation, seed: UInt64) {
        self.image = image
        self.expectation = expectation
        self.seed = seed
        disk = SimulatedDisk(image: image, seed: seed)
    }

    /// - Parameter writes: Whether to write, too. Otherwise the outcome has no meaning.
    /// - Throws: `Violation`.
    func run(writes: Bool = true) async throws -> Outcome {
        let store: Store
        do throws(StoreError) {
            store = try Store(
                openingAt: WorkRun.path,
                configuration: .quiet(disk, ManualClock(milliseconds: expectation.clock)))
        } catch {
            throw Violation("the store doesn't open: \(error)")
        }
        let recovered = try judge(store)
        var (feed, replica) = try await follow(store, to: recovered)
        var outcome = Outcome(
            trace: disk.trace, chain: expectation.chain, recovered: recovered, written: recovered,
            acknowledgedAt: .max, newestSeen: expectation.newestSeen, clock: expectation.clock,
            time: store.now.milliseconds, earliest: expectation.time.lowerBound, wasTorn: false)
        if case .torn = store.recoveryReport.tail { outcome.wasTorn = true }
        if writes {
            try await write(to: store, &outcome)
            try await replica.follow(&feed, to: outcome.written)
            try expect(replica.contents[Array("after".utf8)]?.sequence == outcome.written, "a copy lacks a write")
        }
        return outcome
    }

    private func compact(_ store: Store, _ outcome: inout Outcome) async throws {
        do throws(StoreError) {
            try await store.compact()
        } catch {
            throw Violation("the store opens, and can't be compacted: \(error)")
        }
        store.settle()
        try StoreContents.compare(
            store, with: outcome.chain.state(at: outcome.written)!, now: outcome.time)
        outcome.trace = disk.trace
    }

    // MARK: - The recovered state

    private func judge(_ store: Store) throws -> UInt64 {
        let recovered = store.recoveryReport.lastSequence
        try expect(
            recovered >= expectation.low, "number \(expectation.low) must survive, and only \(recovered) was recovered")
        try expect(
            recovered <= expectation.high,
            "number \(recovered) was recovered, and only \(expectation.high) had been written")
        guard let state = expectation.chain.state(at: recovered) else {
            throw Violation("number \(recovered) was recovered, which no write has")
        }
        let now = store.now.milliseconds
        try expect(expectation.time.contains(now), "the store's time is \(now), not \(expectation.time)")
        try StoreContents.compare(store, with: state, now: now)
        // Recovery destroys nothing: every log is unchanged, byte for byte.
        let isLog = { (path: String) in path.hasSuffix(".log") }
        try expect(
            disk.image.fingerprint(ignoring: { !isLog($0) }) == image.fingerprint(ignoring: { !isLog($0) }),
            "the opening changed a log")
        return recovered
    }

    // MARK: - The write after it

    private func write(to store: Store, _ outcome: inout Outcome) async throws {
        let change = WorkChange(key: "after", value: .pattern(identity: seed | 2, length: Int(seed % 700)))
        let sequence: SequenceNumber
        do throws(StoreError) {
            sequence = try await store.put(change.key, change.value!.bytes, durability: .synced)
        } catch {
            throw Violation("the store opens, and refuses a write: \(error)")
        }
        try expect(
            sequence > expectation.newestSeen && sequence > outcome.recovered,
            "number \(sequence) is given again: \(max(expectation.newestSeen, outcome.recovered)) was seen before")
        store.settle()
        outcome.trace = disk.trace
        outcome.acknowledgedAt = outcome.trace.events.count
        outcome.chain = Chain(from: expectation.chain.state(at: outcome.recovered)!, at: outcome.recovered)
        var operation = WorkOperation(changes: [change], durability: .synced)
        operation.sequence = sequence
        try outcome.chain.append(operation)
        outcome.written = sequence
        // Some of the stores are compacted, too.
        if seed >> 9 & 3 == 0 { try await compact(store, &outcome) }
        guard seed >> 7 & 1 == 0 else { return }
        // Half of the stores are closed before they crash.
        do throws(StoreError) { try await store.close() } catch { throw Violation("the store doesn't close: \(error)") }
        outcome.trace = disk.trace
    }
}
