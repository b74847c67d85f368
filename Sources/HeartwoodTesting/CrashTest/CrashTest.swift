public import HeartwoodFileSystem

/// Runs a piece of code on a simulated disk, crashes it at every call and in every way that a real disk may leave
/// behind, and has each of the outcomes checked.
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
/// The check gets a new disk that holds what the crash left, and throws where a promise is broken. A workload of one
/// task that doesn't go by the clock makes the same calls, or nearly, each time; whatever it does, the states are
/// derived from the trace of one run, and the image of a failure can be kept: see ``evidence``.
/// Documentation/CrashTesting.md is a guide to all of it.
public struct CrashTest: Sendable {
    /// Of the disk's random numbers, and of the states that are drawn.
    public var seed: UInt64
    /// How many states a moment are tried at most; moments that have fewer are tried in full.
    public var statesPerMoment: Int
    /// Only this state, to have a failure again. The workload runs ten times for it: threads of its own, such as a store
    /// has, may make their calls a little earlier or later.
    public var only: CrashState?
    /// What is on the disk at the start.
    public var image: DiskImage
    /// A failure that every workload meets, and that it is to bear: what it throws is ignored then.
    public var fault: Fault?
    /// A directory of the real file system in which the image of a failure is kept, to be looked at; nil for none.
    public var evidence: String?

    /// A test.
    ///
    /// - Parameters:
    ///   - seed: Of the disk's random numbers, and of the states that are drawn.
    ///   - statesPerMoment: How many states a moment are tried at most, at least 2.
    ///   - only: Only this state, to have a failure again.
    ///   - image: What is on the disk at the start.
    ///   - fault: A failure that every workload meets.
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

    /// Runs the workload once and checks its crashes, each image once for each set of notes before it.
    ///
    /// - Returns: How much was tried: a test may want to know that it was something.
    /// - Throws: What the workload throws; ``Failure`` with what the check throws; ``NoSuchState``.
    /// - Complexity: One run of the workload, and one of the check for each crash.
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

    /// Runs the workload again and again, each time with another of its calls failing, until every call has failed;
    /// after each run the check is given the disk as the run left it, without faults, and then as crashes leave it.
    ///
    /// The workload is to bear the failures: what it throws is ignored. It notes what was acknowledged. (The loop is
    /// SQLite's: fail the first call, the second, the third, until a run has no failure left.) With a ``fault`` there is
    /// one run, and that is what fails.
    ///
    /// - Parameters:
    ///   - effects: How the calls fail.
    ///   - times: How many calls fail, from the chosen one on; each in a run of its own. 1 and for ever by default.
    ///   - crashes: How many crashes are drawn after each run.
    /// - Returns: How much was tried.
    /// - Throws: ``Failure`` with what the check throws; ``NoSuchState``.
    /// - Complexity: A run of the workload for each of its calls, effect and number of times; after each of them up to
    ///   1 + `crashes` of the check.
    @discardableResult
    public nonisolated(nonsending) func failEveryCall(
        by effects: [Fault.Effect] = [.error(ErrorNumber.EIO)], times: [Int] = [1, .max], crashes: Int = 4,
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

    /// One run with a fault; whether there were so many calls that it could be met.
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

    /// One state, of several runs; what they have in common is checked once.
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

    /// Writes the image of a crash down; where to, or nil where nobody asked for it or it can't be.
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
            try crash.image.write(into: path)
            return path
        } catch {
            return nil
        }
    }

    /// What is checked once.
    private struct Found: Hashable {
        let image: UInt64
        let notes: Int

        init(_ crash: Crash) {
            image = crash.image.fingerprint()
            notes = crash.noteCount
        }
    }
}
