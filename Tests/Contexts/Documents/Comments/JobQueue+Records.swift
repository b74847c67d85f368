// From Sources/HeartwoodJobs/JobQueue+Records.swift, with the spacing that it has there.
// swift-format-ignore-file
import HeartwoodJobs

func showDeadLetters(_ queue: JobQueue) async throws {
    for job in try await queue.jobs(.dead, limit: 20).models { print(job.id, job.kind, job.failure ?? "") }
}
