import Heartwood
import Synchronization

/// Makes sure that each hour with events is summarised, without a write of its own for each request.
///
/// An hour has a mark, a key, while it has events that its summary may lack. The mark is set in the commit of the
/// events, so a crash can't separate them; ``SummaryScheduler`` makes a job for it. The job removes the mark and sets
/// the key that closes the hour, in one commit, and then counts. So every event is counted that was written before, and
/// every later one sets the mark again.
///
/// Most requests have events of the current hour, whose mark is already set. They don't set it again: it is a condition
/// of their commit that the hour isn't closed.
final class HourMarks: Sendable {
    private struct State {
        /// The current hour, if its mark is set, and the condition that it isn't closed.
        var open: (hour: Hour, conditions: [Condition])?
        /// The hours that ``marked`` has had and whose jobs haven't begun.
        var known: Set<Hour> = []
    }

    private let window: SummaryWindow
    private let state = Mutex(State())
    /// Hours whose mark was set, each once until its job begins.
    let marked: AsyncStream<Hour>
    private let continuation: AsyncStream<Hour>.Continuation

    init(_ window: SummaryWindow) {
        self.window = window
        (marked, continuation) = AsyncStream.makeStream(of: Hour.self)
    }

    /// What a commit must contain for the hours of its events.
    struct Plan {
        /// The hours whose marks it sets.
        var marks: [Hour] = []
        /// The hour whose mark is set, and what must be true for that.
        var open: Hour?
        var conditions: [Condition] = []
    }

    func plan(_ hours: HourSet, now: Timestamp) -> Plan {
        var plan = Plan()
        let current = Hour(of: now.milliseconds)
        hours.forEach { hour in
            if hour == current, let open = state.withLock({ $0.open }), open.hour == hour {
                (plan.open, plan.conditions) = (hour, open.conditions)
            } else if window.contains(hour, at: now) {
                plan.marks.append(hour)
            }
        }
        return plan
    }

    /// A plan without a condition, for a commit whose condition didn't hold: the job of the hour has begun.
    func replan(_ plan: Plan) -> Plan {
        state.withLock { $0.open = nil }
        return Plan(marks: plan.marks + [plan.open].compactMap(\.self))
    }

    /// The commit of a plan is on the disk.
    func committed(_ plan: Plan, now: Timestamp) {
        if plan.marks.isEmpty { return }
        let current = Hour(of: now.milliseconds)
        let new = state.withLock { state in
            if plan.marks.contains(current) { state.open = (current, [.absent(EventKeys.closed(current))]) }
            return plan.marks.filter { state.known.insert($0).inserted }
        }
        for hour in new { continuation.yield(hour) }
    }

    /// The hour is closed: events that come from now on are new for ``marked``.
    func closed(_ hour: Hour) {
        state.withLock { state in
            state.known.remove(hour)
            if state.open?.hour == hour { state.open = nil }
        }
    }
}

/// The hours of the events of a request. Usually it is one, for which nothing is allocated.
struct HourSet {
    private var first: Hour?
    private var others: Set<Hour> = []

    @inline(__always)
    mutating func insert(_ hour: Hour) {
        if hour == first { return }
        if first == nil { first = hour } else { others.insert(hour) }
    }

    func forEach(_ body: (Hour) -> Void) {
        if let first { body(first) }
        for hour in others { body(hour) }
    }
}
