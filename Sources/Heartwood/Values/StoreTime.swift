internal import Synchronization

/// The time of an open store, by which keys expire and which dates the commits.
///
/// It is the wall clock's, with two exceptions: it never goes back, and it passes at least as fast as the monotonic
/// clock. So after the wall clock was ahead for a while, or was set back, the store's time continues from the latest
/// one by the monotonic clock: what has expired stays expired, and what expires later still does. A clock that is set
/// forward is followed, because that can't be told from a correction.
///
/// A time is read without a lock. It is noted before it is returned, so a later reading can't be less. Two threads that
/// meet a jump at the same moment may leave an offset that is too small; the next reading corrects it.
struct StoreTime: ~Copyable, Sendable {
    /// The latest time that was read or noted, in milliseconds since 1970.
    private let latest: Atomic<UInt64>
    /// What to add to the monotonic clock for the time that was read last.
    private let offset: Atomic<Int64>

    /// How far the wall clock may fall behind the monotonic one before the latter counts, in milliseconds. Otherwise
    /// each small correction would leave the store ahead of the clock for good. Until the clock has caught up, the time
    /// stands still.
    private static var tolerance: UInt64 { 1_000 }

    /// - Parameter newest: The time of the store's newest commit.
    init(newest: UInt64, _ clock: some StoreClock) {
        let time = max(newest, clock.now().milliseconds)
        latest = Atomic(time)
        offset = Atomic(Int64(clamping: time) - clock.monotonicMilliseconds)
    }

    /// The time now, in milliseconds since 1970.
    @inline(__always)
    func now(_ clock: some StoreClock) -> UInt64 {
        // Before the clock is read: so a clock that shows less was set back.
        let latest = latest.load(ordering: .acquiring)
        let wall = clock.now().milliseconds
        // Most readings are in the same millisecond as the one before.
        return wall == latest ? wall : advance(to: wall, after: latest, clock)
    }

    @inline(never)
    private func advance(to wall: UInt64, after latest: UInt64, _ clock: some StoreClock) -> UInt64 {
        let monotonic = clock.monotonicMilliseconds
        let offset = offset.load(ordering: .relaxed)
        let steady = UInt64(clamping: monotonic.addingReportingOverflow(offset).partialValue)
        let isInStep = wall >= steady || steady - wall <= Self.tolerance
        let time = max(latest, isInStep ? wall : steady)
        note(time)
        let newOffset = Int64(clamping: time) - monotonic
        if newOffset != offset { self.offset.store(newOffset, ordering: .relaxed) }
        return time
    }

    /// Ensures that the time doesn't go back below this.
    func note(_ milliseconds: UInt64) {
        var latest = latest.load(ordering: .relaxed)
        // `Atomic.max` compares as signed numbers, and a commit may have any time.
        while latest < milliseconds {
            let (isNoted, other) = self.latest.compareExchange(
                expected: latest, desired: milliseconds, ordering: .relaxed)
            if isNoted { return }
            latest = other
        }
    }
}

extension StoreClock {
    /// Neither negative nor so large that sums overflow.
    var monotonicMilliseconds: Int64 {
        let (seconds, attoseconds) = min(max(.zero, monotonic()), .seconds(1 << 50)).components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
