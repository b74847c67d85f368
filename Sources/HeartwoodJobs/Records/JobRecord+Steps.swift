internal import HeartwoodRepository

/// What identifies a lease of a job: no other one has both.
struct JobClaim: Sendable, Hashable {
    var attempt: Int
    var token: UInt64
}

/// What may happen to a job.
enum JobEvent: Sendable, Hashable {
    /// A worker wants it, for as long as the lease.
    case claim(token: UInt64, lease: Duration)
    /// Of a running job, by the worker with this lease.
    case held(JobClaim, HeldEvent)
    /// A dead letter is to run again.
    case retry
}

/// What a worker with a lease does.
enum HeldEvent: Sendable, Hashable {
    case renew(lease: Duration)
    /// It is done.
    case finish
    /// - Parameter jitter: 0 to 1.
    case fail(String, jitter: Double)
    /// It failed, and is due after this pause rather than the one of its policy.
    case retry(String, after: Duration)
    /// It is due again after this pause. It isn't a failure.
    case snooze(Duration)
    /// It is due at once. It isn't a failure.
    case release
    /// It becomes a dead letter.
    case discard(String)

    var isRenewal: Bool { if case .renew = self { true } else { false } }
}

/// What becomes of a job.
enum JobStep: Sendable, Hashable {
    /// Nothing: it isn't due, or the lease was lost.
    case refused
    case changed(JobRecord)
    case removed
}

/// The state machine of a job. No I/O: what it says is written in the transaction that has read the job.
extension JobRecord {
    /// Whether this lease is the job's. After its end it is, until the job is given to another worker.
    func isHeld(by claim: JobClaim) -> Bool {
        state == .running && attempt == claim.attempt && token == claim.token
    }

    /// Whether a worker may take it: a waiting job that is due, or one whose lease has ended.
    func isDue(now: Timestamp) -> Bool { state != .dead && time <= now }

    func after(_ event: JobEvent, now: Timestamp) -> JobStep {
        var job = self
        switch event {
        case .claim(let token, let lease):
            guard isDue(now: now), fault != .newer else { return .refused }
            if fault == .damaged {
                job.bury(failure ?? "", now)
                return .changed(job)
            }
            if state == .running {
                // The worker has ended without a word: it may have died of this job.
                job.fail("the lease of attempt \(attempt) ended", now, after: .zero)
                if job.state == .dead { return .changed(job) }
            }
            job.attempt = min(attempt + 1, JobRetry.highestLimit)
            (job.state, job.token, job.time) = (.running, token, now + lease)
        case .held(let claim, let event):
            guard isHeld(by: claim) else { return .refused }
            return after(event, now: now)
        case .retry:
            guard state == .dead, !kind.isEmpty else { return .refused }
            job.limit = min(max(limit, failures + 1), JobRetry.highestLimit)
            job.wait(until: now)
        }
        return .changed(job)
    }

    private func after(_ event: HeldEvent, now: Timestamp) -> JobStep {
        var job = self
        switch event {
        case .finish: return .removed
        case .renew(let lease): job.time = max(time, now + lease)
        case .fail(let reason, let jitter):
            job.fail(reason, now, after: retry.pause(afterFailure: failures + 1, jitter: jitter))
        case .retry(let reason, let pause): job.fail(reason, now, after: pause)
        case .snooze(let pause): job.wait(until: now + pause)
        case .release: job.wait(until: now)
        case .discard(let reason): job.bury(reason, now)
        }
        return .changed(job)
    }

    private mutating func fail(_ reason: String, _ now: Timestamp, after pause: Duration) {
        failures = min(failures + 1, JobRetry.highestLimit)
        if failures >= limit { return bury(reason, now) }
        failure = Self.shortened(reason)
        wait(until: now + pause)
    }

    private mutating func wait(until due: Timestamp) { (state, token, time) = (.waiting, 0, due) }

    private mutating func bury(_ reason: String, _ now: Timestamp) {
        (state, token, time, failure) = (.dead, 0, now, Self.shortened(reason))
        fault = nil
    }

    static func shortened(_ text: String, to limit: Int = 1_024) -> String {
        guard text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: limit)
        while end.samePosition(in: text.unicodeScalars) == nil { end = text.utf8.index(before: end) }
        return String(text[..<end])
    }
}
