// From Sources/HeartwoodJobs/JobCounts.swift, with the spacing that it has there.
// swift-format-ignore-file
import HeartwoodJobs

func watchCounts(_ queue: JobQueue) async throws {
    for try await counts in queue.observeCounts() { print(counts.due, counts.running, counts.dead) }
}
