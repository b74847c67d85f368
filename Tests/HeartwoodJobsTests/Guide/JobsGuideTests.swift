import Heartwood
import HeartwoodJobs
import Testing

struct SendEmail: Job {
    static let name = "send-email"
    static var options: JobOptions { JobOptions(retry: JobRetry(limit: 8, first: .seconds(5), longest: .seconds(600))) }
    var user: Int
    var template: String
}

private struct Payment: Codable, Identifiable, Sendable, Equatable {
    var id: Int
    var amount: Int
}

private struct Settle: Job {
    static let name = "settle"
    var payment: Int
}

/// The Swift of Documentation/Jobs.md, run.
@Suite("Guide to jobs", .timeLimit(.minutes(10)))
struct JobsGuideTests {
    private struct User: Codable, Identifiable, Sendable {
        var id: Int
        var email: String
    }

    private struct Mailer {
        let sent: Notebook<String>

        func send(_ template: String, to address: String, idempotencyKey: String) async throws {
            sent.add("\(template) to \(address)")
        }
    }

    @Test("the first job", arguments: JobEngine.reliable)
    func first(_ engine: JobEngine) async throws {
        let store = try await JobStore(engine).open()
        let users = try await store.repository(of: User.self, named: "users")
        let mailer = Mailer(sent: Notebook())
        let user = User(id: 7, email: "ada@example.com")

        let queue = try await JobQueue.open(in: store)
        try await store.transaction { transaction in
            try await users.insert(user, in: transaction)
            try await queue.enqueue(SendEmail(user: user.id, template: "welcome"), in: transaction)
        }

        let workers = JobWorkers(
            queue,
            handlers: [
                .handling(SendEmail.self) { email, context in
                    guard let user = try await users.find(by: email.user) else {
                        throw JobDecision.discard("there is no user \(email.user)")
                    }
                    try await mailer.send(email.template, to: user.email, idempotencyKey: "\(context.id)")
                }
            ])
        let running = Task { try await workers.run() }
        try await mailer.sent.wait(count: 1)
        workers.stop()
        try await running.value
        #expect(mailer.sent.notes == ["welcome to ada@example.com"])
        #expect(try await queue.counts().due == 0)
    }

    @Test("options and dead letters", arguments: JobEngine.reliable)
    func options(_ engine: JobEngine) async throws {
        let store = try await JobStore(engine).open()
        let queue = try await JobQueue.open(in: store)
        let mail = SendEmail(user: 7, template: "reminder")
        try await queue.enqueue(mail, .after(.seconds(86_400)))
        try await queue.enqueue(mail, JobOptions(priority: .high, uniqueKey: "reminder-7"))
        #expect(try await queue.counts().due == 1)
        for job in try await queue.jobs(.dead, limit: 100).models {
            print(job.id, job.kind, job.failures, job.failure ?? "")
        }
        let id = try await queue.enqueue(mail)
        try await queue.retry(id)  // this one
        try await queue.retryDeadLetters()  // or all of them
        try await queue.removeDeadLetters()
    }

    @Test("a job whose effect is in the store happens once", arguments: JobEngine.reliable)
    func once(_ engine: JobEngine) async throws {
        let store = try await JobStore(engine).open()
        let queue = try await JobQueue.open(in: store)
        let payments = try await store.repository(of: Payment.self, named: "payments")
        try await payments.save(Payment(id: 1, amount: 10))
        try await queue.enqueue(Settle(payment: 1))
        let settle = JobHandler.handling(Settle.self) { job, context in
            try await store.transaction { transaction in
                try await payments.increment(\.amount, of: job.payment, in: transaction)
                try await context.finish(in: transaction)
            }
        }
        let workers = JobWorkers(queue, handlers: [settle])
        let running = Task { try await workers.run() }
        try await reach(queue) { $0.due + $0.scheduled + $0.running + $0.dead == 0 }
        workers.stop()
        try await running.value
        #expect(try await payments.find(by: 1) == Payment(id: 1, amount: 11))
    }
}
