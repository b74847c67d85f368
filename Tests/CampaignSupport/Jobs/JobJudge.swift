internal import HeartwoodJobs
internal import KeyValueStore

/// What the facts allow. Written without the code that it judges.
struct JobJudge {
    private(set) var stories: [Int: JobStory] = [:]

    /// Reads facts in their order.
    ///
    /// - Throws: `Violation` if two workers have a job at once, a finished one comes back, or numbers don't rise.
    init(_ facts: [JobFact]) throws {
        for (position, fact) in facts.enumerated() {
            do {
                try stories[fact.job, default: JobStory()].read(fact.kind)
            } catch {
                let known = facts[...position].filter { $0.job == fact.job }.map { "\n    \($0.time): \($0.kind)" }
                throw Violation("job \(fact.job): \(error)\(known.joined())")
            }
        }
    }

    /// Compares what is stored with what must be there.
    ///
    /// - Parameters:
    ///   - jobs: By the number in them.
    ///   - data: The numbers whose data are there.
    ///   - spoiled: How many jobs can't be read: if workers have ended, those that are dead letters.
    /// - Throws: `Violation`.
    func judge(_ jobs: [Int: JobRecord], data: Set<Int>, spoiled: Int, isDrained: Bool) throws {
        let least = isDrained ? stories.values.count(where: \.isSpoiled) : 0
        let most = stories.values.count(where: \.isSpoiling)
        try expect((least...most) ~= spoiled, "\(spoiled) jobs can't be read, and it should be \(least) to \(most)")
        for (number, job) in jobs {
            guard let story = stories[number], story.isEnqueuing else {
                throw Violation("job \(number) comes from nowhere")
            }
            try expect(story.finishedBy == nil, "job \(number) was finished, and is there")
            try expect(
                job.attempt >= story.attempt,
                "job \(number) is at attempt \(job.attempt), and \(story.attempt) was acknowledged")
            if job.state == .running, let attempt = story.attempts[job.attempt] {
                try expect(!attempt.isReported, "job \(number) runs, and its end was acknowledged")
                try expect(
                    job.time.milliseconds >= attempt.until,
                    "the lease of job \(number) ends at \(job.time), and \(attempt.until) was acknowledged")
            }
            if story.hasData { try expect(data.contains(number), "job \(number) is there without its data") }
        }
        for (number, story) in stories where jobs[number] == nil && !story.mayBeFinished {
            try expect(!story.isEnqueued, "job \(number) was enqueued, and is lost")
            try expect(!data.contains(number), "the data of job \(number) are there without it")
        }
    }
}
