// From Sources/HeartwoodJobs/Records/JobOptions.swift, with the spacing that it has there.
// swift-format-ignore-file
import HeartwoodJobs

private struct Reindex: Job {
    static let name = "reindex"
}

func enqueueWithOptions(_ queue: JobQueue) async throws {
    try await queue.enqueue(SendEmail(address: "a@example.com", template: "welcome"), .after(.seconds(60)))
    try await queue.enqueue(Reindex(), JobOptions(priority: .low, uniqueKey: "reindex"))
}
