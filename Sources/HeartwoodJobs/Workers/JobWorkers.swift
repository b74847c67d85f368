internal import HeartwoodConcurrency
internal import KeyValueStore
public import Logging

/// Runs the jobs of a queue: several at a time, each at least once.
///
/// ```swift
/// let workers = JobWorkers(queue, handlers: [.handling(SendEmail.self) { email, _ in try await mailer.send(email) }])
/// try await workers.run()
/// ```
///
/// With the package trait `Service` it is a `Service` of swift-service-lifecycle, which drains on a graceful shutdown.
///
/// A job that a worker has is leased to it, and the lease is renewed while it runs. If the program dies, the lease
/// ends, and another worker gets the job. Any number of programs and `JobWorkers` can work on one queue.
public final class JobWorkers: Sendable {
    /// How workers work.
    public struct Configuration: Sendable {
        /// How many jobs run at a time, 1 to 10,000. 8 by default.
        public var count: Int
        /// How many jobs a worker takes at once, and runs one after the other, 1 to 10,000. 1 by default. More make
        /// fewer writes; but a worker that has several may keep the later ones waiting.
        public var batch: Int
        /// How long a job is leased. 30 s by default. A job of a program that has died runs again after this time. It
        /// is renewed after a third of it, so it may be shorter than a job takes; but it must be longer than the pauses
        /// of the program, and the differences of the clocks of all programs.
        public var lease: Duration
        /// How long jobs may run after ``JobWorkers/stop()``. 20 s by default. Then they are cancelled and given back.
        public var grace = Duration.seconds(20)
        /// How often workers look for jobs of other programs, of which the engine's feed should have told. 10 s by
        /// default; without effect on an engine that has no other writers.
        public var poll = Duration.seconds(10)
        /// Logs jobs that fail or are passed over, and errors of the store. Nil by default: nothing is logged.
        public var logger: Logger?

        package var clock: (any JobClock)?
        /// Gets what is written of jobs, for campaigns.
        package var recorder: (@Sendable (JobNote) -> Void)?

        /// The defaults except these.
        public init(count: Int = 8, batch: Int = 1, lease: Duration = .seconds(30)) {
            (self.count, self.batch, self.lease) = (count, batch, lease)
        }
    }

    private struct State {
        var book: WorkerBook
        var hasRun = false
        /// By slot.
        var tasks: [Int: Task<Void, Never>] = [:]
        /// How often something has changed for which a lane may wait.
        var signals = 0
        /// Lanes that wait for the next signal.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// How many exchanges are on their way at a time: the next ones are made while others wait for the disk.
    private static let lanes = 3

    let queue: JobQueue
    private let configuration: Configuration
    private let handlers: [JobHandler]
    private let state: Locked<State>

    /// Creates workers, which do nothing until ``run()``.
    ///
    /// - Parameters:
    ///   - queue: Its jobs are run.
    ///   - configuration: How.
    ///   - handlers: One for each kind. A job of another kind fails, and is tried again after a pause.
    public init(_ queue: JobQueue, _ configuration: Configuration = Configuration(), handlers: [JobHandler]) {
        (self.queue, self.configuration, self.handlers) = (queue, configuration, handlers)
        let limits = queue.store.limits
        state = Locked(
            State(
                book: WorkerBook(
                    slots: configuration.count, batch: configuration.batch, lease: configuration.lease,
                    poll: limits.hasOtherWriters ? configuration.poll : nil, most: queue.most,
                    claimsTogether: !limits.hasOtherWriters)))
    }

    /// Runs jobs until ``stop()``, and returns when they have ended. If the task is cancelled, the jobs are cancelled
    /// and given back, and it returns.
    ///
    /// - Throws: `.invalidArgument` if it was called before, if two handlers are for one kind, or for a lease
    ///   that isn't 100 ms to 7 days; an error of the store after which it can't continue, such as `.closed`, `.failed`
    ///   or `.corruption`. The jobs are cancelled then, and their leases end by themselves.
    public func run() async throws {
        try prepare()
        try await drainingOnShutdown {
            // Not a child of this task: giving jobs back is not cancelled with it.
            let work = Task { try await self.work() }
            try await withTaskCancellationHandler {
                try await work.value
            } onCancel: {
                self.change { $0.end() }
            }
        }
    }

    /// Begins to stop: no job is claimed any longer, and those that run may finish within ``Configuration/grace``. Then
    /// they are cancelled and given back. A body that ignores its cancellation continues without a lease. O(1).
    public func stop() {
        let deadline = queue.store.now + configuration.grace
        change { $0.stop(until: deadline) }
    }

    private func prepare() throws(StoreError) {
        guard Set(handlers.map(\.kind)).count == handlers.count else {
            throw StoreError(.invalidArgument, "two handlers are for one kind of job: give the types different names")
        }
        guard .milliseconds(100)...(.seconds(604_800)) ~= configuration.lease else {
            throw StoreError(.invalidArgument, "a lease is \(configuration.lease): take 100 milliseconds to 7 days")
        }
        let isFirst = state.withLock { state in
            defer { state.hasRun = true }
            return !state.hasRun
        }
        if !isFirst {
            throw StoreError(.invalidArgument, "the workers have run before: create others")
        }
    }

    private func work() async throws {
        let bell = queue.bell.add { [weak self] in self?.change { $0.ring() } }
        let timer = WorkerTimer(queue.store, configuration.clock ?? StoreJobClock()) { [weak self] in self?.wake() }
        let feed = queue.follow { [weak self] in self?.change { $0.ring() } }
        defer {
            queue.bell.remove(bell)
            timer.cancel()
            feed?.cancel()
            for task in state.withLock({ $0.tasks.values }) { task.cancel() }
        }
        let performer = JobPerformer(workers: self, handlers: handlers, logger: configuration.logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.lanes { group.addTask { try await self.lane(performer, timer) } }
            try await group.waitForAll()
        }
    }

    /// Does one exchange after the other until the workers have ended.
    private func lane(_ performer: JobPerformer, _ timer: WorkerTimer) async throws {
        // The other lanes end, too.
        defer { wakeAll { $0.giveUp() } }
        var backoff = ConflictBackoff(isRemote: true)
        while true {
            let now = queue.store.now
            cancel { $0.overdue(now: now) }
            let (step, phase, end, signals) = state.withLock {
                ($0.book.next(now: now), $0.book.phase, $0.book.nextEnd, $0.signals)
            }
            if phase == .ending { cancel { _ in nil } }
            if let end { timer.set(end) }
            switch step {
            case .end: return
            case .wait(let time):
                if let time { timer.set(time) }
                await waitForSignal(after: signals)
            case .exchange(let round):
                do throws(StoreError) {
                    if let recorder = configuration.recorder { round.exchange.note(to: recorder) }
                    let result = try await queue.exchange(round.exchange)
                    if let recorder = configuration.recorder { result.note(round.exchange, to: recorder) }
                    start(result, round, performer)
                    backoff = ConflictBackoff(isRemote: true)
                } catch {
                    try await recover(round, from: error, &backoff)
                }
            }
        }
    }

    private func start(_ result: Exchange.Result, _ round: WorkerBook.Round, _ performer: JobPerformer) {
        let now = queue.store.now
        let (started, lost) = state.withLock { $0.book.finish(round, result, now: now) }
        cancel { _ in lost }
        for job in result.passedOver {
            configuration.logger?.warning("a job of \"\(queue.name)\" is passed over: \(job.reason)")
        }
        for (slot, jobs) in started {
            let task = Task { await performer.run(jobs, slot) }
            state.withLock { $0.tasks[slot] = task }
        }
    }

    /// - Throws: The error, if it doesn't pass.
    private func recover(
        _ round: WorkerBook.Round, from error: StoreError, _ backoff: inout ConflictBackoff
    ) async throws(StoreError) {
        let passing: [StoreError.Code] = [.outcomeUnknown, .inputOutput, .outOfSpace, .tooManyFiles, .conflict]
        let canShrink = error.code == .tooLarge && state.withLock { $0.book.shrink(round) }
        let mayPass = passing.contains(error.code) && !(error.code == .outcomeUnknown && !hasOtherWriters)
        if !canShrink { configuration.logger?.info("the workers of \"\(queue.name)\" can't write: \(error)") }
        // Workers that end don't wait for a store that doesn't answer: their leases end.
        let isTired = state.withLock { $0.book.phase == .ending } && backoff.attempt > 20
        guard canShrink || mayPass && !isTired else { throw error }
        state.withLock { $0.book.failed(round) }
        await backoff.wait()
    }

    private var hasOtherWriters: Bool { queue.store.limits.hasOtherWriters }

    // MARK: - Waiting

    /// Returns at once if there was a signal after the one with this number.
    private func waitForSignal(after signals: Int) async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.signals == signals { state.waiting.append(continuation) }
                return state.signals != signals
            }
            if isOver { continuation.resume() }
        }
    }

    /// Something was changed for which the lanes may wait. One is enough to see what there is to do.
    private func change(_ body: (inout WorkerBook) -> Void) {
        let waiting = state.withLock { state in
            body(&state.book)
            state.signals += 1
            return state.waiting.popLast()
        }
        waiting?.resume()
    }

    private func wakeAll(_ body: (inout WorkerBook) -> Void) {
        let waiting = state.withLock { state in
            body(&state.book)
            state.signals += 1
            defer { state.waiting = [] }
            return state.waiting
        }
        for lane in waiting { lane.resume() }
    }

    /// The alarm: leases may have ended, while the loop waits for the store.
    private func wake() {
        let now = queue.store.now
        cancel { $0.overdue(now: now) }
        change { _ in }
    }

    /// Cancels the tasks of slots; of all if it is nil.
    private func cancel(_ slots: (inout WorkerBook) -> [Int]?) {
        let tasks = state.withLock { state -> [Task<Void, Never>] in
            guard let slots = slots(&state.book) else { return Array(state.tasks.values) }
            return slots.compactMap { state.tasks[$0] }
        }
        for task in tasks { task.cancel() }
    }

    // MARK: - Called by the performer

    func begin(_ job: LeasedJob) -> Bool {
        let now = queue.store.now
        return state.withLock { $0.book.begin(job.id, now: now) }
    }

    func report(_ job: LeasedJob, _ event: HeldEvent) { change { $0.report(job.id, event) } }

    func free(_ slot: Int, with job: LeasedJob, _ event: HeldEvent) {
        change {
            $0.report(job.id, event)
            $0.free(slot)
        }
    }

    func leaseEnd(of id: LeaseID) -> Timestamp? { state.withLock { $0.book.held[id]?.leaseEnd } }
}
