// From Sources/HeartwoodJobs/JobHandler.swift, with the spacing that it has there.
// swift-format-ignore-file
import HeartwoodJobs
import HeartwoodRepository

struct Mailer {
    func send(_ template: String, to address: String, idempotencyKey: String) async throws {}
    func send(_ email: SendEmail) async throws {}
}

func handlers(_ queue: JobQueue, _ mailer: Mailer) {
    let workers = JobWorkers(
        queue,
        handlers: [
            .handling(SendEmail.self) { email, context in
                try await mailer.send(email.template, to: email.address, idempotencyKey: "\(context.id)")
            }
        ])
    _ = workers
}

private struct Recipient: Codable, Identifiable, Sendable {
    var id: Int
}

private struct Invoice {
    var user: Int
}

private struct Limiter {
    var isBusy: Bool { get async { false } }
}

private func decide(_ users: Repository<Recipient>, _ email: Invoice, _ limiter: Limiter) async throws {
    guard let user = try await users.find(by: email.user) else { throw JobDecision.discard("the user is gone") }
    if await limiter.isBusy { throw JobDecision.snooze(.seconds(30)) }
    print(user)
}
