// From Sources/HeartwoodJobs/JobWorkers.swift, with the spacing that it has there.
// swift-format-ignore-file
import HeartwoodJobs

func firstWorkers(_ queue: JobQueue, _ mailer: Mailer) async throws {
    let workers = JobWorkers(queue, handlers: [.handling(SendEmail.self) { email, _ in try await mailer.send(email) }])
    try await workers.run()
}
