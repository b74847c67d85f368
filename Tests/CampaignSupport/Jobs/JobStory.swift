/// What is known of one job of a campaign, from its facts. A fact may come late: a worker that stood still learns of a
/// lease that has ended.
struct JobStory {
    /// One time that a worker was given the job.
    struct Attempt {
        var fence: UInt64
        /// When it was given, by the store's clock.
        var since: UInt64
        /// When the lease ends, as far as that was acknowledged.
        var until: UInt64
        /// Whether something was reported of it, or is about to be.
        var mayHaveReport = false
        var isReported = false
    }

    var isEnqueuing = false
    var isEnqueued = false
    /// Whether its record can't be read.
    var isSpoiling = false
    var isSpoiled = false
    var hasData = false
    var mayBeFinished = false
    /// The attempt that has finished it.
    private(set) var finishedBy: Int?
    private(set) var attempts: [Int: Attempt] = [:]

    /// The newest attempt that was acknowledged; 0 if there is none.
    var attempt: Int { attempts.keys.max() ?? 0 }

    /// - Throws: `Violation` if the fact can't be.
    mutating func read(_ kind: JobFact.Kind) throws {
        switch kind {
        case .enqueuing(let withData): (isEnqueuing, hasData) = (true, withData)
        case .enqueued: isEnqueued = true
        case .spoiling: isSpoiling = true
        case .spoiled: isSpoiled = true
        case .claimed(let attempt, let fence, let until):
            try expect(attempts[attempt] == nil, "attempt \(attempt) was given twice")
            try expect(attempt <= finishedBy ?? .max, "it was finished by attempt \(finishedBy ?? 0)")
            let since = until - UInt64(JobProgram.lease.components.seconds) * 1_000
            attempts[attempt] = Attempt(fence: fence, since: since, until: until)
            try compare(attempt)
        case .renewed(let attempt, let until):
            let before = attempts[attempt]?.until ?? 0
            attempts[attempt]?.until = max(before, until)
            try compare(attempt)
        case .reporting(let attempt, let isFinish):
            attempts[attempt]?.mayHaveReport = true
            if isFinish { mayBeFinished = true }
        case .reported(let attempt, let isFinish):
            attempts[attempt]?.isReported = true
            guard isFinish else { return }
            finishedBy = attempt
            try expect(attempt >= self.attempt, "attempt \(attempt) has finished it after \(self.attempt) began")
        }
    }

    /// Compares an attempt with those before and after it.
    private func compare(_ number: Int) throws {
        let numbers = attempts.keys.sorted()
        for (left, right) in zip(numbers, numbers.dropFirst()) where left == number || right == number {
            guard let first = attempts[left], let second = attempts[right] else { continue }
            try expect(second.fence > first.fence, "attempts \(left) and \(right) have no rising numbers")
            try expect(
                second.since >= first.until || first.mayHaveReport,
                "two workers have it: attempt \(left) until \(first.until), attempt \(right) from \(second.since)")
        }
    }
}
