internal import KeyValueStore

/// What the workers of a ``JobWorkers`` do and have, as a state machine without I/O: which jobs they hold, what has to
/// be written, and when to look again.
struct WorkerBook {
    /// A job that a worker has.
    struct Held {
        var job: LeasedJob
        var slot: Int
        var leaseEnd: Timestamp
        /// Whether its body runs, or has run.
        var hasBegun = false
        /// What is to be written of it; nil while it isn't done.
        var report: HeldEvent?
    }

    enum Phase: Equatable {
        case working
        /// No job is claimed any longer. Those that run may finish until this time.
        case stopping(Timestamp)
        /// Nothing may run any longer: everything is given back.
        case ending
    }

    /// What the workers' loop does next.
    enum Step {
        case exchange(Exchange)
        /// Until something happens, or this time.
        case wait(Timestamp?)
        case end
    }

    let slots: Int
    let batch: Int
    let lease: Duration
    /// How often it looks for jobs although nothing has told of any; nil if something always does.
    let poll: Duration?
    /// How many jobs an exchange may change. An engine's limits may allow fewer than there are.
    private(set) var most: Int
    private(set) var phase = Phase.working
    private(set) var held: [LeaseID: Held] = [:]
    private var freeSlots: [Int]
    /// The jobs with a report, in the order of their reports.
    private var reported: [LeaseID] = []
    /// Whether there may be jobs to claim now.
    private var mayHaveDue = true
    /// When a job is due that isn't yet.
    private var nextDue: Timestamp?
    private var nextRenewal: Timestamp?
    /// When a lease ends, or earlier.
    private(set) var nextEnd: Timestamp?
    /// The jobs of the exchange that is being written.
    private var inExchange: [(id: LeaseID, isRenewal: Bool)] = []
    private var rings = 0
    private var ringsBefore = 0

    init(slots: Int, batch: Int, lease: Duration, poll: Duration?, most: Int = .max) {
        self.most = max(1, most)
        (self.slots, self.batch, self.lease, self.poll) = (max(1, slots), max(1, batch), lease, poll)
        freeSlots = Array((0..<self.slots).reversed())
    }

    /// Jobs may be due.
    mutating func ring() {
        rings += 1
        mayHaveDue = true
    }

    mutating func stop(until deadline: Timestamp) {
        guard phase == .working else { return }
        phase = .stopping(deadline)
        for (id, job) in held where !job.hasBegun { report(id, .release) }
    }

    mutating func end() { phase = .ending }

    // MARK: - Called by the slots

    /// Whether a job may run now.
    mutating func begin(_ id: LeaseID, now: Timestamp) -> Bool {
        guard phase == .working, let job = held[id], job.leaseEnd > now else { return false }
        held[id]?.hasBegun = true
        return true
    }

    /// Notes what has become of a job. A job that isn't held any longer is ignored.
    mutating func report(_ id: LeaseID, _ event: HeldEvent) {
        guard var job = held[id], job.report == nil else { return }
        job.report = event
        held[id] = job
        reported.append(id)
    }

    /// The slot has run all its jobs.
    mutating func free(_ slot: Int) { freeSlots.append(slot) }

    // MARK: - Called by the loop

    mutating func next(now: Timestamp) -> Step {
        if case .stopping(let deadline) = phase, now >= deadline { phase = .ending }
        if phase == .ending { for id in Array(held.keys) { report(id, .release) } }
        if phase != .working, held.isEmpty { return .end }
        if let due = nextDue, due <= now { (mayHaveDue, nextDue) = (true, nil) }
        var exchange = Exchange(lease: lease)
        inExchange = []
        for id in reported.prefix(most) {
            guard let held = held[id], let event = held.report else { continue }
            add(held.job, event, isRenewal: false, &exchange)
        }
        reported.removeFirst(min(most, reported.count))
        renew(now, &exchange)
        if phase == .working, mayHaveDue {
            exchange.demand = min(freeSlots.count * batch, max(0, most - exchange.reports.count))
        }
        guard exchange.reports.isEmpty, exchange.demand == 0 else {
            ringsBefore = rings
            return .exchange(exchange)
        }
        return .wait(wakeUp)
    }

    private var wakeUp: Timestamp? {
        var deadline: Timestamp?
        if case .stopping(let end) = phase { deadline = end }
        let due = phase == .working && !freeSlots.isEmpty ? nextDue : nil
        return [deadline, due, nextRenewal].compactMap(\.self).min()
    }

    private mutating func add(
        _ job: LeasedJob, _ event: HeldEvent, isRenewal: Bool, _ exchange: inout Exchange
    ) {
        exchange.reports.append(Exchange.Report(job: job, event: event))
        inExchange.append((job.id, isRenewal))
    }

    /// Renews each lease of which less than two thirds are left.
    private mutating func renew(_ now: Timestamp, _ exchange: inout Exchange) {
        guard let due = nextRenewal, due <= now else { return }
        nextRenewal = nil
        for held in held.values where held.report == nil {
            if renewal(of: held) <= now, exchange.reports.count < most {
                add(held.job, .renew(lease: lease), isRenewal: true, &exchange)
            } else {
                nextRenewal = min(nextRenewal ?? renewal(of: held), renewal(of: held))
            }
        }
    }

    private func renewal(of held: Held) -> Timestamp { held.leaseEnd + (lease * -2 / 3) }

    /// Takes over what an exchange has brought.
    ///
    /// - Returns: The jobs that slots run now, and the slots whose task is to be cancelled because a lease was lost.
    mutating func finish(
        _ result: Exchange.Result, demand: Int, now: Timestamp
    ) -> (started: [(slot: Int, jobs: [LeasedJob])], lost: [Int]) {
        var lost: [Int] = []
        for (position, (id, isRenewal)) in inExchange.enumerated() {
            if isRenewal, let end = result.leases[position] {
                guard var job = held[id] else { continue }
                job.leaseEnd = end
                held[id] = job
                nextRenewal = min(nextRenewal ?? renewal(of: job), renewal(of: job))
            } else if let gone = held.removeValue(forKey: id), isRenewal, result.wasLost[position] {
                lost.append(gone.slot)
            }
        }
        inExchange = []
        if demand > 0 {
            mayHaveDue = result.claimed.count >= demand || rings != ringsBefore
            nextDue = [result.next, poll.map { now + $0 }].compactMap(\.self).min()
        }
        return (start(result.claimed), lost)
    }

    /// An exchange has failed: nothing was written. Everything is to be reported again.
    mutating func failed() {
        for (id, isRenewal) in inExchange {
            guard !isRenewal, held[id]?.report != nil else { continue }
            reported.append(id)
        }
        nextRenewal = held.values.lazy.filter { $0.report == nil }.map(renewal).min()
        inExchange = []
    }

    /// An exchange was too large for the engine.
    ///
    /// - Returns: False if it can't be smaller.
    mutating func shrink() -> Bool {
        guard most > 1 else { return false }
        most = max(1, min(most, inExchange.count + slots * batch) / 2)
        return true
    }

    /// The slots with a job whose lease has ended: another worker may have it.
    mutating func overdue(now: Timestamp) -> [Int] {
        guard let end = nextEnd, end <= now else { return [] }
        nextEnd = held.values.lazy.map(\.leaseEnd).filter { $0 > now }.min()
        return held.values.filter { $0.leaseEnd <= now && $0.report == nil }.map(\.slot)
    }

    private mutating func start(_ jobs: [LeasedJob]) -> [(slot: Int, jobs: [LeasedJob])] {
        var started: [(slot: Int, jobs: [LeasedJob])] = []
        var rest = jobs[...]
        while !rest.isEmpty, let slot = freeSlots.popLast() {
            // Evenly, so that no worker waits while another has several.
            let count = (rest.count + freeSlots.count) / (freeSlots.count + 1)
            let share = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            for job in share {
                let new = Held(job: job, slot: slot, leaseEnd: job.record.time)
                held[job.id] = new
                nextRenewal = min(nextRenewal ?? renewal(of: new), renewal(of: new))
                nextEnd = min(nextEnd ?? new.leaseEnd, new.leaseEnd)
            }
            started.append((slot, share))
        }
        return started
    }
}
