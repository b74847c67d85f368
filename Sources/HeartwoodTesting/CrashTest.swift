public import HeartwoodFileSystem

/// Runs a piece of code on a simulated disk, crashes it at every call and in every way that a real disk may leave
/// behind, and has each of the outcomes checked.
///
/// ```swift
/// let report = try await CrashTest().run { disk in
///     let orders = try await OrderBook.open(at: "/orders", on: disk)
///     try await orders.place(order)
///     disk.note(order.id)                        // acknowledged: from here on it must survive
/// } check: { disk, crash in
///     let orders = try await OrderBook.open(at: "/orders", on: disk)
///     for id in crash.notes(of: Order.ID.self) { #expect(orders[id] != nil, "\(crash.state)") }
/// }
/// ```
///
/// The check gets a new disk that holds what the crash left. It must throw, or record an issue, where a promise is
/// broken. A workload of one task gives the same calls for the same seed as long as nothing in it goes by the clock;
/// whatever it does, the states are derived from the trace of one run, so a failing one is kept as it was found.
public struct CrashTest: Sendable {
    /// Of the disk's random numbers, and of the states that are drawn.
    public var seed: UInt64
    /// How many states a moment are tried at most; moments that have fewer are tried in full.
    public var statesPerMoment: Int
    /// Only this state, to have a failure again.
    public var only: CrashState?
    /// What is on the disk at the start.
    public var image: DiskImage

    /// A test.
    public init(
        seed: UInt64 = 1, statesPerMoment: Int = 32, only: CrashState? = nil, image: DiskImage = DiskImage()
    ) {
        self.seed = seed
        self.statesPerMoment = statesPerMoment
        self.only = only
        self.image = image
    }

    /// What a test did.
    public struct Report: Sendable {
        /// Calls of the workload.
        public var calls = 0
        /// Crashes that were checked.
        public var crashes = 0
        /// Different disk images among them.
        public var images = 0
        /// Faults that were injected.
        public var faults = 0
    }

    /// A check that failed, and how to have it again.
    public struct Failure: Error, CustomStringConvertible {
        /// The crash, and what it left on the disk.
        public let crash: Crash
        /// What the check threw.
        public let cause: any Error
        /// The seed of the test.
        public let seed: UInt64

        /// What went wrong, after which calls, and how to have it again.
        public var description: String {
            let calls = crash.lastCalls(5).map { "    \($0)" }.joined(separator: "\n")
            return """
                after a crash: \(cause)
                  again: CrashTest(seed: \(seed), only: CrashState("\(crash.state)"))
                  the last calls before the crash:
                \(calls)
                """
        }
    }

    /// Runs the workload once and checks its crashes, each image once for each set of notes before it.
    ///
    /// - Throws: What the workload throws; ``Failure`` with what the check throws.
    /// - Complexity: One run of the workload, and one of the check for each crash.
    @discardableResult
    public nonisolated(nonsending) func run(
        workload: (SimulatedDisk) async throws -> Void, check: (SimulatedDisk, Crash) async throws -> Void
    ) async throws -> Report {
        let disk = SimulatedDisk(image: image, seed: seed)
        try await workload(disk)
        let trace = disk.trace
        var report = Report(calls: trace.callCount)
        if let only {
            try await self.check(trace.crash(only), &report, check)
            return report
        }
        var seen: Set<Found> = []
        var images: Set<UInt64> = []
        for crash in trace.crashStates(limit: statesPerMoment, seed: seed) {
            let image = crash.image.fingerprint()
            guard seen.insert(Found(image: image, notes: crash.noteCount)).inserted else { continue }
            images.insert(image)
            try await self.check(crash, &report, check)
        }
        report.images = images.count
        return report
    }

    /// Runs the workload again and again, each time with another of its calls failing, until every call has failed;
    /// after each run the check is given the disk as the run left it, without faults, and then as crashes leave it.
    ///
    /// The workload is to bear the failures: what it throws is ignored. It notes what was acknowledged. (The loop is
    /// SQLite's: fail the first call, the second, the third, until a run has no failure left.)
    ///
    /// - Parameters:
    ///   - effects: How the calls fail.
    ///   - times: How many calls fail, from the chosen one on; each in a run of its own. 1 and for ever by default.
    ///   - crashes: How many crashes are checked after each run.
    /// - Throws: ``Failure`` with what the check throws.
    @discardableResult
    public nonisolated(nonsending) func failEveryCall(
        by effects: [Fault.Effect] = [.error(ErrorNumber.EIO)], times: [Int] = [1, .max], crashes: Int = 4,
        workload: (SimulatedDisk) async throws -> Void, check: (SimulatedDisk, Crash) async throws -> Void
    ) async throws -> Report {
        var report = Report()
        for effect in effects {
            for times in times {
                var call = 1
                while true {
                    let disk = SimulatedDisk(image: image, seed: seed)
                    disk.inject(Fault([], effect, at: call, times: times))
                    try? await workload(disk)
                    let trace = disk.trace
                    guard trace.callCount >= call else { break }
                    report.calls += trace.callCount
                    report.faults += disk.injected.count
                    let end = CrashState(events: trace.events.count, losses: .nothing)
                    try await self.check(trace.crash(end), &report, check)
                    for number in 0..<crashes {
                        let losses = SeededRandom.mix(seed &+ UInt64(call) << 8 &+ UInt64(number)) >> 24
                        let state = CrashState(events: trace.events.count, losses: .drawn(losses))
                        try await self.check(trace.crash(state), &report, check)
                    }
                    call += 1
                }
            }
        }
        return report
    }

    private struct Found: Hashable {
        var image: UInt64
        var notes: Int
    }

    private nonisolated(nonsending) func check(
        _ crash: Crash, _ report: inout Report, _ check: (SimulatedDisk, Crash) async throws -> Void
    ) async throws {
        report.crashes += 1
        do {
            try await check(SimulatedDisk(image: crash.image, seed: seed), crash)
        } catch {
            throw Failure(crash: crash, cause: error, seed: seed)
        }
    }
}
