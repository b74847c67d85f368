internal import HeartwoodFileSystem

/// Runs code on a simulated disk, crashes it at every call and in every way in which a real disk may lose data, and
/// lets a check examine each result.
///
/// ```swift
/// let report = try await CrashTest().run { disk in
///     let orders = try await OrderBook.open(at: "/orders", on: disk)
///     try await orders.place(order)
///     disk.note(order.id)                        // acknowledged: from here on it must survive
///     try await orders.close()
/// } check: { disk, crash in
///     let orders = try await OrderBook.open(at: "/orders", on: disk)
///     for id in crash.notes(of: Order.ID.self) {
///         guard try await orders.contains(id) else { throw OrderLost(id) }
///     }
/// }
/// ```
///
/// The check gets a new disk with the content that the crash left. It throws if a guarantee is broken. A workload of
/// one task that does not depend on the clock makes the same calls, or nearly the same, in each run. In any case, the
/// states are derived from the trace of one run, and the image of a failure can be kept: see ``evidence``.
/// Documentation/CrashTesting.md is the guide.
public struct CrashTest: Sendable {
    /// The seed for the disk's random numbers and for drawn states.
    public var seed: UInt64
    /// The most states to try per moment. A moment that has fewer states is tried completely.
    public var statesPerMoment: Int
    /// Replays only this crash state, to reproduce a failure. The workload runs ten times for it, because threads that
    /// it starts, such as those of a store, may make their calls a little earlier or later.
    public var only: CrashState?
    /// The content of the disk at the start.
    public var image: DiskImage
    /// A fault that is injected into every run of the workload. Errors that the workload throws are then ignored.
    public var fault: Fault?
    /// A directory of the real file system in which the image of a failure is kept for inspection; nil keeps none.
    public var evidence: String?

    /// A crash test with these settings.
    ///
    /// - Parameters:
    ///   - seed: The seed for the disk's random numbers and for drawn states.
    ///   - statesPerMoment: The most states to try per moment, at least 2.
    ///   - only: Replays only this crash state, to reproduce a failure.
    ///   - image: The content of the disk at the start.
    ///   - fault: A fault that is injected into every run of the workload.
    ///   - evidence: A directory in which the image of a failure is kept.
    public init(
        seed: UInt64 = 1, statesPerMoment: Int = 32, only: CrashState? = nil, image: DiskImage = DiskImage(),
        fault: Fault? = nil, evidence: String? = nil
    ) {
        self.seed = seed
        self.statesPerMoment = statesPerMoment
        self.only = only
        self.image = image
        self.fault = fault
        self.evidence = evidence
    }

    /// Runs the workload once and checks its crashes: each image once for each set of notes taken before it.
    ///
    /// - Returns: How much was tried. A test can check that this is not zero.
    /// - Throws: What the workload throws (ignored if a ``fault`` is set); ``Failure`` with what the check throws;
    ///   ``NoSuchState``.
    /// - Complexity: One run of the workload, and one run of the check for each crash.
    @discardableResult
    public nonisolated(nonsending) func run(
        workload: (SimulatedDisk) async throws -> Void, check: (SimulatedDisk, Crash) async throws -> Void
    ) async throws -> Report {
        var report = Report()
        if let only {
            try await again(only, fault, &report, workload, check)
            return report
        }
        let trace = try await run(fault, workload, &report)
        var seen: Set<Found> = []
        for crash in trace.crashStates(limit: statesPerMoment, seed: seed) where seen.insert(Found(crash)).inserted {
            try await self.check(crash, fault, &report, check)
        }
        report.images = Set(seen.map(\.image)).count
        return report
    }

    /// Runs the workload repeatedly, each time with another of its calls failing, until every call has failed. After
    /// each run the check gets the disk as the run left it, without faults, and then the disk as crashes leave it.
    ///
    /// The workload must tolerate the failures: what it throws is ignored. It notes what was acknowledged. (The loop is
    /// SQLite's: fail the first call, the second, the third, until a run has no failure left.) With a ``fault`` there
    /// is only one run, with that fault.
    ///
    /// - Parameters:
    ///   - effects: How the calls fail.
    ///   - times: How many calls fail, starting at the chosen one; one run for each number. By default 1 and unlimited.
    ///   - crashes: How many crashes are drawn after each run.
    ///   - workload: Uses the disk and notes what was acknowledged.
    ///   - check: Judges the disk after a run, and after a crash.
    /// - Returns: How much was tried.
    /// - Throws: ``Failure`` with what the check throws; ``NoSuchState``.
    /// - Complexity: One run of the workload for each of its calls, effect and number of times. After each run, up to 1
    ///   + `crashes` runs of the check.
    @discardableResult
    public nonisolated(nonsending) func failEveryCall(
        by effects: [Fault.Effect] = [.deviceError], times: [Int] = [1, .max], crashes: Int = 4,
        workload: (SimulatedDisk) async throws -> Void, check: (SimulatedDisk, Crash) async throws -> Void
    ) async throws -> Report {
        var report = Report()
        if let only, let fault {
            try await again(only, fault, &report, workload, check)
            return report
        }
        if let fault {
            try await fail(fault, crashes, &report, workload, check)
            return report
        }
        for effect in effects {
            for times in times {
                var call = 1
                while try await fail(
                    Fault([], effect, at: call, times: times), crashes, &report, workload, check)
                {
                    call += 1
                }
            }
        }
        return report
    }

    /// One run with a fault. Returns false if the run made too few calls to reach the fault.
    @discardableResult
    private nonisolated(nonsending) func fail(
        _ fault: Fault, _ crashes: Int, _ report: inout Report,
        _ workload: (SimulatedDisk) async throws -> Void, _ check: (SimulatedDisk, Crash) async throws -> Void
    ) async throws -> Bool {
        let callsBefore = report.calls
        let trace = try await run(fault, workload, &report)
        guard report.calls - callsBefore >= fault.first else { return false }
        var random = SeededRandom(seed, UInt64(fault.first))
        let losses = [.nothing] + (0..<crashes).map { _ in CrashState.Losses.drawn(random.next() >> 24) }
        var seen: Set<Found> = []
        for losses in losses {
            let crash = trace.crash(CrashState(events: trace.events.count, losses: losses))
            guard seen.insert(Found(crash)).inserted else { continue }
            try await self.check(crash, fault, &report, check)
        }
        report.images += Set(seen.map(\.image)).count
        return true
    }

    private nonisolated(nonsending) func run(
        _ fault: Fault?, _ workload: (SimulatedDisk) async throws -> Void, _ report: inout Report
    ) async throws -> DiskTrace {
        let disk = SimulatedDisk(image: image, seed: seed)
        if let fault {
            disk.inject(fault)
            try? await workload(disk)
        } else {
            try await workload(disk)
        }
        let trace = disk.trace
        report.calls += trace.callCount
        report.faults += disk.injected.count
        return trace
    }

    /// Replays one state in several runs. Identical results are checked once.
    private nonisolated(nonsending) func again(
        _ state: CrashState, _ fault: Fault?, _ report: inout Report,
        _ workload: (SimulatedDisk) async throws -> Void, _ check: (SimulatedDisk, Crash) async throws -> Void
    ) async throws {
        var seen: Set<Found> = []
        var events = 0
        for _ in 0..<10 {
            let trace = try await run(fault, workload, &report)
            events = max(events, trace.events.count)
            guard state.events <= trace.events.count else { continue }
            let crash = trace.crash(state)
            guard seen.insert(Found(crash)).inserted else { continue }
            try await self.check(crash, fault, &report, check)
        }
        if seen.isEmpty { throw NoSuchState(state: state, events: events) }
        report.images = Set(seen.map(\.image)).count
    }

    private nonisolated(nonsending) func check(
        _ crash: Crash, _ fault: Fault?, _ report: inout Report,
        _ check: (SimulatedDisk, Crash) async throws -> Void
    ) async throws {
        report.crashes += 1
        do {
            try await check(SimulatedDisk(image: crash.image, seed: seed), crash)
        } catch {
            let kept = keep(crash)
            throw Failure(crash: crash, cause: error, seed: seed, fault: fault, evidence: kept)
        }
    }

    /// Writes the image of a crash. Returns its path; nil if `evidence` is nil or writing fails.
    private func keep(_ crash: Crash) -> String? {
        guard let evidence else { return nil }
        let files = POSIXFileSystem()
        let name = crash.state.description.map { $0 == "/" ? "-" : String($0) }.joined()
        do throws(FileSystemError) {
            if try files.kind(of: evidence) == nil { try files.createDirectory(evidence) }
            var path = evidence + "/crash-" + name
            var number = 1
            while try files.kind(of: path) != nil {
                number += 1
                path = evidence + "/crash-" + name + ".\(number)"
            }
            try crash.image.write(into: path, of: files)
            return path
        } catch {
            return nil
        }
    }

    /// Identifies results that need only one check.
    private struct Found: Hashable {
        let image: UInt64
        let notes: Int

        init(_ crash: Crash) {
            image = crash.image.fingerprint()
            notes = crash.noteCount
        }
    }
}
