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
        /// Whether a renewal is being written. What is reported of it waits for that.
        var isRenewing = false
    }

    /// An exchange that is being written, and what the book keeps for it.
    struct Round {
        var exchange: Exchange
        /// Run what it claims.
        var slots: [Int] = []
        /// How often it had been rung before.
        var rings = 0

        var claims: Bool { exchange.demand > 0 }
    }

    enum Phase: Equatable {
        case working
        /// No job is claimed any longer. Those that run may finish until this time.
        case stopping(Timestamp)
        /// Nothing may run any longer: everything is given back.
        case ending
    }

    /// What a lane of the workers does next.
    enum Step {
        case exchange(Round)
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
    /// Whether several rounds may claim at a time. On an engine whose views don't show what is being committed they
    /// would want the same jobs.
    let claimsTogether: Bool
    private(set) var phase = Phase.working
    private(set) var held: [LeaseID: Held] = [:]
    private var freeSlots: [Int]
    /// The jobs with a report, in the order of their reports.
    private var reported: [LeaseID] = []
    /// Whether there may be jobs to claim now.
    private var mayHaveDue = true
    /// The entries of jobs that this program can neither run nor bury.
    private var passedOver: Set<[UInt8]> = []
    /// When a job is due that isn't yet.
    private var nextDue: Timestamp?
    private var nextRenewal: Timestamp?
    /// When a lease ends, or earlier.
    private(set) var nextEnd: Timestamp?
    /// How many rounds are being written, and how many of them claim.
    private var rounds = (all: 0, claiming: 0)
    private var rings = 0
    private var isOver = false

    init(
        slots: Int, batch: Int, lease: Duration, poll: Duration?, most: Int = .max, claimsTogether: Bool = true
    ) {
        self.most = max(1, most)
        (self.slots, self.batch) = (Self.bounded(slots), Self.bounded(batch))
        (self.lease, self.poll) = (lease, poll)
        self.claimsTogether = claimsTogether
        freeSlots = Array((0..<self.slots).reversed())
    }

    private static func bounded(_ number: Int) -> Int { min(max(1, number), 10_000) }

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

    /// The store can't be written any longer: nothing is done any more.
    mutating func giveUp() { isOver = true }

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

    // MARK: - Called by the lanes

    mutating func next(now: Timestamp) -> Step {
        if case .stopping(let deadline) = phase, now >= deadline { phase = .ending }
        if phase == .ending { for id in Array(held.keys) { report(id, .release) } }
        if isOver || phase != .working && held.isEmpty && rounds.all == 0 { return .end }
        if let due = nextDue, due <= now { (mayHaveDue, nextDue) = (true, nil) }
        var round = Round(exchange: Exchange(lease: lease), rings: rings)
        addReports(to: &round)
        renew(now, &round)
        addClaims(to: &round)
        guard !round.exchange.reports.isEmpty || round.claims else { return .wait(wakeUp) }
        rounds.all += 1
        if round.claims { rounds.claiming += 1 }
        return .exchange(round)
    }

    private mutating func addReports(to round: inout Round) {
        var later: [LeaseID] = []
        for id in reported {
            guard let held = held[id], let event = held.report else { continue }
            if held.isRenewing || round.exchange.reports.count == most {
                later.append(id)
            } else {
                round.exchange.reports.append(Exchange.Report(job: held.job, event: event))
            }
        }
        reported = later
    }

    private mutating func addClaims(to round: inout Round) {
        let space = most - round.exchange.reports.count
        guard phase == .working, mayHaveDue, !freeSlots.isEmpty, space > 0, claimsTogether || rounds.claiming == 0
        else { return }
        swap(&round.slots, &freeSlots)
        round.exchange.demand = min(round.slots.count * batch, space)
        round.exchange.passedOver = passedOver
    }

    private var wakeUp: Timestamp? {
        var deadline: Timestamp?
        if case .stopping(let end) = phase { deadline = end }
        let due = phase == .working && !freeSlots.isEmpty ? nextDue : nil
        return [deadline, due, nextRenewal].compactMap(\.self).min()
    }

    /// Renews each lease of which less than two thirds are left.
    private mutating func renew(_ now: Timestamp, _ round: inout Round) {
        guard let due = nextRenewal, due <= now else { return }
        nextRenewal = nil
        for (id, held) in held where held.report == nil && !held.isRenewing {
            if renewal(of: held) <= now, round.exchange.reports.count < most {
                self.held[id]?.isRenewing = true
                round.exchange.reports.append(Exchange.Report(job: held.job, event: .renew(lease: lease)))
            } else {
                nextRenewal = min(nextRenewal ?? renewal(of: held), renewal(of: held))
            }
        }
    }

    private func renewal(of held: Held) -> Timestamp { held.leaseEnd + (lease * -2 / 3) }

    /// Takes over what a round has brought.
    ///
    /// - Returns: The jobs that slots run now, and the slots whose task is to be cancelled because a lease was lost.
    mutating func finish(
        _ round: Round, _ result: Exchange.Result, now: Timestamp
    ) -> (started: [(slot: Int, jobs: [LeasedJob])], lost: [Int]) {
        ended(round)
        var lost: [Int] = []
        for (position, report) in round.exchange.reports.enumerated() {
            let id = report.job.id
            if report.event.isRenewal, let end = result.leases[position] {
                guard var job = held[id] else { continue }
                (job.leaseEnd, job.isRenewing) = (end, false)
                held[id] = job
                nextRenewal = min(nextRenewal ?? renewal(of: job), renewal(of: job))
            } else if let gone = held.removeValue(forKey: id), report.event.isRenewal, gone.report == nil {
                // Of one that has ended meanwhile, the slot may run another job.
                lost.append(gone.slot)
            }
        }
        if round.claims {
            mayHaveDue = result.claimed.count >= round.exchange.demand || rings != round.rings
            nextDue = [result.next, poll.map { now + $0 }].compactMap(\.self).min()
            passedOver.formUnion(result.passedOver.lazy.map(\.entry))
        }
        return (start(result.claimed, round.slots), lost)
    }

    /// A round has failed: nothing was written. Everything is to be reported again.
    mutating func failed(_ round: Round) {
        ended(round)
        freeSlots += round.slots
        // Another look may have missed what this one wanted.
        if round.claims { mayHaveDue = true }
        for report in round.exchange.reports {
            let id = report.job.id
            if report.event.isRenewal {
                held[id]?.isRenewing = false
            } else if held[id]?.report != nil {
                reported.append(id)
            }
        }
        nextRenewal = held.values.lazy.filter { $0.report == nil }.map(renewal).min()
    }

    private mutating func ended(_ round: Round) {
        rounds.all -= 1
        if round.claims { rounds.claiming -= 1 }
    }

    /// A round was too large for the engine.
    ///
    /// - Returns: False if it can't be smaller.
    mutating func shrink(_ round: Round) -> Bool {
        guard most > 1 else { return false }
        most = max(1, min(most, round.exchange.reports.count + slots * batch) / 2)
        return true
    }

    /// The slots with a job whose lease has ended: another worker may have it.
    mutating func overdue(now: Timestamp) -> [Int] {
        guard let end = nextEnd, end <= now else { return [] }
        nextEnd = held.values.lazy.map(\.leaseEnd).filter { $0 > now }.min()
        return held.values.filter { $0.leaseEnd <= now && $0.report == nil }.map(\.slot)
    }

    private mutating func start(_ jobs: [LeasedJob], _ slots: [Int]) -> [(slot: Int, jobs: [LeasedJob])] {
        var started: [(slot: Int, jobs: [LeasedJob])] = []
        var rest = jobs[...]
        var slots = slots
        while !rest.isEmpty, let slot = slots.popLast() {
            // Evenly, so that no worker waits while another has several.
            let count = (rest.count + slots.count) / (slots.count + 1)
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
        freeSlots += slots
        return started
    }
}
