package import HeartwoodTesting

/// A workload on a store. What a crash leaves is opened, compared, written to, and compared again after another crash.
package struct WorkSubject: CrashSubject {
    package let workload: Workload
    package let length: Int

    package init(_ workload: Workload, length: Int) { (self.workload, self.length) = (workload, length) }

    package var name: String { workload.rawValue }
    package let share: (states: Int, stream: UInt64)? = nil

    package func repetition(seed: UInt64) -> (options: String, isExact: Bool) {
        ("--workload \(workload) --seed \(seed) --length \(length)", workload.isDeterministic)
    }

    package func history(seed: UInt64) -> CrashHistory<Expectation> {
        let run = WorkRun(workload, seed: seed, length: length)
        return CrashHistory(disk: run.disk) {
            try await run.run()
            let timeline = try run.timeline()
            return Aftermath(trace: run.disk.trace, evidence: timeline.expectation(after:keepsAll:))
        }
    }

    package func fingerprint(of evidence: Expectation) -> [UInt64] {
        [evidence.low, evidence.high, evidence.clock, evidence.time.lowerBound, evidence.time.upperBound]
    }

    package func check(
        _ image: DiskImage, _ evidence: Expectation, depth: Int
    ) async throws -> Aftermath<Expectation> {
        try await StoreCheck(image, evidence, seed: image.fingerprint()).run(writes: depth == 1)
    }

    /// What was acknowledged after the first crash survives a second one. One in forty has it at every moment.
    package func crashes(of trace: DiskTrace, from image: UInt64, seed: UInt64, depth: Int) -> [Crash] {
        guard depth == 1 else { return [] }
        let last = trace.crash(CrashState(events: trace.events.count, losses: .everything))
        guard SeededRandom.mix(image) % 40 == 0 else { return [last] }
        return [last] + Array(trace.crashStates(limit: 16, seed: seed))
    }
}

extension CrashExploration<WorkSubject> {
    package convenience init(_ workload: Workload, length: Int) { self.init(WorkSubject(workload, length: length)) }
}
