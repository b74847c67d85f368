extension DiskTrace {
    /// The crashes that may have happened during this trace: before and after every call that changes what is on the
    /// disk, or what would be there after a crash.
    ///
    /// A moment with at most `limit` states gives all of them. Any other moment gives the state that loses everything,
    /// the state that loses nothing, and states that are drawn. The same trace, limit and seed give the same crashes.
    /// Different moments may give the same image: see ``DiskImage/fingerprint(ignoring:)``.
    ///
    /// - Parameters:
    ///   - range: Only crashes after this many events; all by default.
    ///   - limit: The most states per moment, at least 2.
    ///   - seed: The seed for drawn states.
    /// - Complexity: Lazy; the cost of each crash is proportional to the pending changes.
    package func crashStates(in range: Range<Int>? = nil, limit: Int = 64, seed: UInt64 = 0) -> CrashStates {
        CrashStates(trace: self, range: range ?? 0..<(events.count + 1), limit: max(2, limit), seed: seed)
    }

    /// One crash, from its state. O(events).
    ///
    /// - Precondition: The trace has as many events as the state says.
    package func crash(_ state: CrashState) -> Crash {
        precondition(
            state.events <= events.count, "the trace has \(events.count) events, and the crash is after \(state.events)"
        )
        var disk = start
        var notes = 0
        for event in events[..<state.events] {
            switch event {
            case .call(let call): disk.apply(call.effect)
            case .note: notes += 1
            }
        }
        return Crash(
            state: state, image: disk.afterCrash(CrashLosses(state.losses, of: disk)),
            possibleStates: CrashLosses.count(disk), extremes: Crash.Extremes(disk), noteCount: notes,
            events: events[..<state.events])
    }
}

/// The crashes of a trace, in order.
package struct CrashStates: Sequence, IteratorProtocol, Sendable {
    private let trace: DiskTrace
    private let range: Range<Int>
    private let limit: Int
    private let seed: UInt64
    private var disk: DiskState
    /// How many events were applied to the disk.
    private var position = 0
    /// How many of these events were notes.
    private var notes = 0
    /// How many states the moment has, and how many of them were returned; nil between moments.
    private var moment: Moment?
    private var isOver = false

    private struct Moment {
        var count: UInt64
        var next = 0
        var extremes: Crash.Extremes
    }

    init(trace: DiskTrace, range: Range<Int>, limit: Int, seed: UInt64) {
        self.trace = trace
        self.range = range
        self.limit = limit
        self.seed = seed
        disk = trace.start
    }

    /// Returns the next crash; nil at the end.
    package mutating func next() -> Crash? {
        while !isOver {
            if let moment {
                if let losses = losses(of: moment) {
                    self.moment!.next += 1
                    let state = CrashState(events: position, losses: losses)
                    return Crash(
                        state: state, image: disk.afterCrash(CrashLosses(losses, of: disk)),
                        possibleStates: moment.count, extremes: moment.extremes, noteCount: notes,
                        events: trace.events[..<position])
                }
                step()
            }
            findMoment()
        }
        return nil
    }

    private func losses(of moment: Moment) -> CrashState.Losses? {
        if moment.count <= UInt64(limit) {
            return moment.next < moment.count ? .numbered(UInt64(moment.next)) : nil
        }
        guard moment.next < limit else { return nil }
        switch moment.next {
        case 0: return .everything
        case 1: return .nothing
        default:
            return .drawn(SeededRandom.mix(seed ^ SeededRandom.mix(UInt64(position) << 20 ^ UInt64(moment.next))) >> 24)
        }
    }

    /// Applies events up to the next call that changes the disk, or up to the end.
    private mutating func findMoment() {
        while position < Swift.min(trace.events.count, range.upperBound) {
            if position >= range.lowerBound, case .call(let call) = trace.events[position], call.changesDisk {
                begin()
                return
            }
            apply()
        }
        guard range.contains(position), position == trace.events.count else {
            isOver = true
            return
        }
        begin()
    }

    private mutating func begin() {
        disk.rememberHashes()
        moment = Moment(count: CrashLosses.count(disk), extremes: Crash.Extremes(disk))
    }

    private mutating func step() {
        moment = nil
        if position == trace.events.count { isOver = true } else { apply() }
    }

    private mutating func apply() {
        switch trace.events[position] {
        case .call(let call): disk.apply(call.effect)
        case .note: notes += 1
        }
        position += 1
    }
}
