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
    private let window: SummaryWindow
    /// The current hour, if its mark is set, and the key that closes it.
    private let open = Mutex<(hour: Hour, closed: [UInt8])?>(nil)

    init(_ window: SummaryWindow) { self.window = window }

    /// What a commit must contain for the hours of its events.
    struct Plan {
        /// The hours whose marks it sets.
        var marks: [Hour] = []
        /// The hour whose mark is set, and the key that must be absent for that.
        var open: Hour?
        var closed: [UInt8]?
    }

    func plan(_ hours: HourSet, now: Timestamp) -> Plan {
        var plan = Plan()
        let current = Hour(of: now.milliseconds)
        hours.forEach { hour in
            if hour == current, let open = open.withLock(\.self), open.hour == hour {
                (plan.open, plan.closed) = (hour, open.closed)
            } else if window.contains(hour, at: now) {
                plan.marks.append(hour)
            }
        }
        return plan
    }

    /// A plan without a condition, for a commit whose condition didn't hold: the job of the hour has begun.
    func replan(_ plan: Plan) -> Plan {
        open.withLock { $0 = nil }
        return Plan(marks: plan.marks + [plan.open].compactMap(\.self))
    }

    /// The commit of a plan is on the disk.
    func committed(_ plan: Plan, now: Timestamp) {
        if plan.marks.isEmpty { return }
        let current = Hour(of: now.milliseconds)
        if plan.marks.contains(current) { open.withLock { $0 = (current, EventKeys.closed(current)) } }
    }

    /// The hour is closed.
    func closed(_ hour: Hour) {
        open.withLock { if $0?.hour == hour { $0 = nil } }
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
