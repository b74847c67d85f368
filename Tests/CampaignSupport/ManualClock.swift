package import Heartwood
package import HeartwoodTesting
internal import Synchronization

/// Clocks that only move when they are told to: a wall clock, and a monotonic one.
package final class ManualClock: StoreClock {
    private let wall: Atomic<UInt64>
    private let elapsed = Atomic<UInt64>(1_000_000)

    package init(milliseconds: UInt64) { wall = Atomic(milliseconds) }

    package func now() -> Timestamp { Timestamp(milliseconds: wall.load(ordering: .acquiring)) }

    package func monotonic() -> Duration { .milliseconds(Int64(elapsedMilliseconds)) }

    fileprivate var elapsedMilliseconds: UInt64 { elapsed.load(ordering: .acquiring) }

    /// Lets time pass.
    package func advance(by milliseconds: UInt64) {
        elapsed.add(milliseconds, ordering: .releasing)
        wall.add(milliseconds, ordering: .releasing)
    }

    /// Sets the wall clock forward or back, as a time server does. No time passes.
    package func jump(by milliseconds: Int64) {
        wall.wrappingAdd(UInt64(bitPattern: milliseconds), ordering: .releasing)
    }

    /// Lets time pass up to a later time, or sets the wall clock back to an earlier one.
    package func set(_ milliseconds: UInt64) {
        let now = now().milliseconds
        if milliseconds > now { advance(by: milliseconds - now) } else { jump(by: -Int64(now - milliseconds)) }
    }

    /// By how much a clock is set: a correction, some minutes, or a year.
    package static func jump(_ random: inout SeededRandom) -> Int64 {
        let longest = random.pick([1_500, 100_000, 365 * 86_400_000])
        return Int64(random.number(in: 1...longest)) * (random.oneIn(2) ? 1 : -1)
    }
}

/// The time that an open store must have, by the rule of Documentation/Design.md.
package struct StoreTimeModel: Sendable {
    package private(set) var now: UInt64
    private var elapsed: UInt64

    /// - Parameter now: The time of the store when it was opened.
    package init(_ clock: ManualClock, now: UInt64) { (self.now, elapsed) = (now, clock.elapsedMilliseconds) }

    /// Moves on to what the clock says, and compares the store with it.
    mutating func follow(_ clock: ManualClock, _ store: Store) throws {
        read(clock)
        let found = store.now.milliseconds
        try expect(found == now, "the store's time is \(found), not \(now); the clock's is \(clock.now())")
    }

    /// The store reads the clock.
    package mutating func read(_ clock: ManualClock) {
        let (wall, steady) = (clock.now().milliseconds, now + clock.elapsedMilliseconds - elapsed)
        // The monotonic clock counts if the wall clock is more than a second behind.
        now = max(now, wall + 1_000 < steady ? steady : wall)
        elapsed = clock.elapsedMilliseconds
    }
}
