internal import KeyValueStore
internal import HeartwoodRepository

/// What runs the jobs of one kind.
///
/// ```swift
/// let workers = JobWorkers(
///     queue,
///     handlers: [
///         .handling(SendEmail.self) { email, context in
///             try await mailer.send(email.template, to: email.address, idempotencyKey: "\(context.id)")
///         }
///     ])
/// ```
public struct JobHandler: Sendable {
    typealias Body = nonisolated(nonsending) @Sendable ([UInt8], any ModelCoder, JobContext) async throws -> Void

    let kind: String
    let body: Body

    /// A handler.
    ///
    /// - Parameters:
    ///   - work: The type of the jobs.
    ///   - body: Does a job. It runs at least once for each job: again after a failure, a crash, or a lost lease. If it
    ///     returns, the job is finished. If it throws ``JobDecision``, that is done; another error is a failure. Its
    ///     task is cancelled when the lease is lost, or when the workers end.
    public static func handling<Work: Job>(
        _ work: Work.Type, _ body: nonisolated(nonsending) @escaping @Sendable (Work, JobContext) async throws -> Void
    ) -> JobHandler {
        JobHandler(kind: Work.name) { payload, coder, context in
            let job: Work
            do {
                job = try coder.decode(Work.self, from: payload.span.bytes)
            } catch {
                throw JobDecision.discard("it doesn't decode as \(Work.self): \(error)")
            }
            try await body(job, context)
        }
    }
}

/// What a job's body throws to decide what becomes of the job.
///
/// ```swift
/// guard let user = try await users.find(by: email.user) else { throw JobDecision.discard("the user is gone") }
/// if await limiter.isBusy { throw JobDecision.snooze(.seconds(30)) }
/// ```
public struct JobDecision: Error, Sendable, Hashable {
    let event: HeldEvent

    /// It can't succeed: it becomes a dead letter now.
    public static func discard(_ reason: String) -> JobDecision { JobDecision(event: .discard(reason)) }

    /// It has failed, and is tried again after this pause rather than that of its policy. After its last attempt it
    /// becomes a dead letter.
    public static func retry(after pause: Duration, _ reason: String) -> JobDecision {
        JobDecision(event: .retry(reason, after: pause))
    }

    /// It can't run now, and is tried again after this pause. That is no failure.
    public static func snooze(_ pause: Duration) -> JobDecision { JobDecision(event: .snooze(pause)) }
}
