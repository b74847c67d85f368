package import HeartwoodTesting

/// Crashes of histories of one subject. They are derived from the traces of the disk, checked, and crashed again.
package final class CrashExploration<Subject: CrashSubject> {
    package let subject: Subject
    /// Runs, calls, moments at which a crash was tried, crashes, those after another crash, and the subject's own.
    package private(set) var totals = Tally()
    /// The different images by fingerprint, with whether each was always a mixture of kept and lost.
    package private(set) var images: [UInt64: Bool] = [:]
    private var seed: UInt64 = 0
    /// The crash that is being checked, and those before it.
    private var path: [CrashState] = []
    private var judging: (crash: Crash, evidence: Subject.Evidence)?

    package init(_ subject: Subject) { self.subject = subject }

    /// Different images so far.
    package var imageCount: Int { images.count }
    /// Those of them in which a part of the pending writes had reached the disk.
    package var mixedCount: Int { images.values.count { $0 } }

    // MARK: - Histories

    /// Does a history and checks its crashes.
    ///
    /// - Parameters:
    ///   - states: The maximum number of states for each point of the history.
    ///   - wanted: The number of different images at which it stops.
    ///   - continues: Called for each state, with the number of different images; ends the exploration with false.
    /// - Throws: `ExplorationFailure`.
    package func explore(
        seed: UInt64, states: Int, until wanted: Int = .max, continues: (Int) -> Bool = { _ in true }
    ) async throws {
        try await run(seed) { history in
            let trace = history.trace
            totals.runs += 1
            totals.calls += trace.callCount
            totals += history.counts
            var random = SeededRandom(seed, subject.share?.stream ?? 0)
            let share = max(1, trace.callCount / (subject.share?.states ?? .max))
            var seen: Set<[UInt64]> = []
            var moment = -1
            for crash in trace.crashStates(limit: states, seed: seed) where share == 1 || random.oneIn(share) {
                if crash.state.events != moment {
                    moment = crash.state.events
                    totals.moments += 1
                }
                guard images.count < wanted, continues(images.count) else { return }
                let image = note(crash)
                let evidence = history.evidence(crash.state.events, image == crash.extremes.nothingLost)
                guard seen.insert([image] + subject.fingerprint(of: evidence)).inserted else { continue }
                try await judge(crash, evidence)
            }
        }
    }

    /// Checks one crash, and those after it that are named, to reproduce a failure.
    package func replay(seed: UInt64, path states: [CrashState]) async throws {
        try await run(seed) { history in
            guard let first = states.first else { return }
            try await judge(history.trace.crash(first), of: history, replaying: states.dropFirst())
        }
    }

    private func run(_ seed: UInt64, _ body: (Aftermath<Subject.Evidence>) async throws -> Void) async throws {
        let history = subject.history(seed: seed)
        (self.seed, path, judging) = (seed, [], nil)
        do {
            try await body(try await history.run())
        } catch {
            let calls = judging?.crash.lastCalls(8) ?? Array(history.disk.trace.calls.suffix(8))
            let (options, isExact) = subject.repetition(seed: seed)
            let states = path.map(\.description).joined(separator: ",")
            throw ExplorationFailure(
                title: subject.name.isEmpty ? "seed \(seed)" : "\(subject.name), seed \(seed)",
                cause: error, path: path, left: judging.map { ($0.crash.image, $0.evidence) },
                lines: calls.map { "  \($0)" },
                repetition: options + (isExact && !path.isEmpty ? " --state '\(states)'" : ""), isExact: isExact)
        }
    }

    private func note(_ crash: Crash) -> UInt64 {
        let image = crash.image.fingerprint()
        let isMixed = image != crash.extremes.everythingLost && image != crash.extremes.nothingLost
        images[image] = (images[image] ?? true) && isMixed
        return image
    }

    // MARK: - Checks

    private func judge(
        _ crash: Crash, of history: Aftermath<Subject.Evidence>, replaying rest: ArraySlice<CrashState>? = nil
    ) async throws {
        // Where it follows each crash, the end with everything lost is no image that was looked for.
        let isEnd = crash.state == CrashState(events: history.trace.events.count, losses: .everything)
        let image = isEnd ? crash.image.fingerprint() : note(crash)
        let evidence = history.evidence(crash.state.events, image == crash.extremes.nothingLost)
        try await judge(crash, evidence, replaying: rest)
    }

    /// Checks what a crash left, and crashes the check.
    ///
    /// - Parameter rest: The only crashes after it; nil: those that the subject draws.
    private func judge(
        _ crash: Crash, _ evidence: Subject.Evidence, replaying rest: ArraySlice<CrashState>? = nil
    ) async throws {
        path.append(crash.state)
        judging = (crash, evidence)
        totals.crashes += 1
        if path.count > 1 { totals.crashesAgain += 1 }
        let check = try await subject.check(crash.image, evidence, depth: path.count)
        totals += check.counts
        if let next = rest?.first {
            try await judge(check.trace.crash(next), of: check, replaying: rest?.dropFirst())
        } else {
            let image = crash.image.fingerprint()
            for next in subject.crashes(of: check.trace, from: image, seed: seed, depth: path.count) {
                try await judge(next, of: check)
            }
        }
        path.removeLast()
    }
}
