internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodTesting

/// Opens what a crash left and compares it with what must be there. Then it writes, to check that new writes survive.
struct StoreCheck {
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

    /// - Parameter writes: Whether to write, too.
    /// - Returns: What another crash must leave, if something was written.
    /// - Throws: `Violation`.
    func run(writes: Bool = true) async throws -> Aftermath<Expectation> {
        let store = try await promised("the store doesn't open") {
            try Store(
                openingAt: WorkRun.path,
                configuration: .quiet(disk, ManualClock(milliseconds: expectation.clock)))
        }
        let recovered = try judge(store)
        var (feed, replica) = try await follow(store, to: recovered)
        guard writes else { return Aftermath(trace: disk.trace) { [expectation] _, _ in expectation } }
        var (written, aftermath) = try await write(to: store, after: recovered)
        try await replica.follow(&feed, to: written)
        try expect(replica.contents[Array("after".utf8)]?.sequence == written, "a copy lacks a write")
        if case .torn = store.recoveryReport.tail { aftermath.counts.tornTails = 1 }
        return aftermath
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

    private func write(
        to store: Store, after recovered: UInt64
    ) async throws -> (UInt64, Aftermath<Expectation>) {
        let time = store.now.milliseconds
        let change = WorkChange(key: "after", value: .pattern(identity: seed | 2, length: Int(seed % 700)))
        let sequence = try await promised("the store opens, and refuses a write") {
            try await store.put(change.key, change.value!.bytes, durability: .synced)
        }
        let seen = expectation.newestSeen
        try expect(
            sequence > seen && sequence > recovered,
            "number \(sequence) is given again: \(max(seen, recovered)) was seen before")
        store.settle()
        var trace = disk.trace
        let acknowledgedAt = trace.events.count
        var chain = Chain(from: expectation.chain.state(at: recovered)!, at: recovered)
        var operation = WorkOperation(changes: [change], durability: .synced)
        operation.sequence = sequence
        try chain.append(operation)
        // Some of the stores are compacted, too.
        if seed >> 9 & 3 == 0 {
            _ = try await promised("the store opens, and can't be compacted") { try await store.compact() }
            store.settle()
            try StoreContents.compare(store, with: chain.state(at: sequence)!, now: time)
            trace = disk.trace
        }
        // Half of the stores are closed before they crash.
        if seed >> 7 & 1 == 0 {
            try await promised("the store doesn't close") { try await store.close() }
            trace = disk.trace
        }
        let aftermath = Aftermath(trace: trace) { [expectation, chain] events, _ in
            let isAcknowledged = events >= acknowledgedAt
            return Expectation(
                chain: chain, low: isAcknowledged ? sequence : recovered, high: sequence,
                newestSeen: isAcknowledged ? max(seen, sequence) : seen, clock: expectation.clock,
                time: (isAcknowledged ? time : expectation.time.lowerBound)...time)
        }
        return (sequence, aftermath)
    }
}
