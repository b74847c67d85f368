internal import Heartwood
internal import HeartwoodConcurrency
import HeartwoodTesting
import Synchronization

/// A clock that never goes back, so that an expired value stays expired.
struct SoakClock: StoreClock {
    private let start = ContinuousClock.now
    private let startTime = SystemClock().now()

    func now() -> Timestamp { startTime + (ContinuousClock.now - start) }
}

/// One opening of the store, shared by its tasks.
final class SoakLife: Sendable {
    let store: Store
    let keys: SoakKeys
    let clock: SoakClock
    let meter: SoakMeter
    let counters: SoakCounters
    /// Differs for each opening.
    let seed: UInt64
    /// Everything up to this sequence number was acknowledged as written or synced: it survives the death of the
    /// process.
    let kept = Atomic<UInt64>(0)
    /// Read views to be checked later.
    let readViews = Locked<[SoakReadView]>([])
    private let over = Atomic<Bool>(false)

    init(store: Store, keys: SoakKeys, clock: SoakClock, meter: SoakMeter, counters: SoakCounters, seed: UInt64) {
        self.store = store
        self.keys = keys
        self.clock = clock
        self.meter = meter
        self.counters = counters
        self.seed = seed
    }

    /// Whether the tasks must end.
    var isOver: Bool { over.load(ordering: .relaxed) || Task.isCancelled }

    func end() { over.store(true, ordering: .relaxed) }

    var now: UInt64 { clock.now().milliseconds }

    /// Sleeps; shorter if the opening ends.
    func rest(milliseconds: Int) async {
        var left = milliseconds
        while left > 0, !isOver {
            try? await Task.sleep(for: .milliseconds(min(left, 200)))
            left -= 200
        }
    }

    /// A write was acknowledged.
    func note(_ sequence: SequenceNumber, _ durability: Durability) {
        if durability != .buffered { kept.max(sequence, ordering: .relaxed) }
    }
}

/// A read view, and what it must show of one writer's keys.
struct SoakReadView: Sendable {
    let view: ReadView
    let writer: Int
    let model: SoakModel
    /// The time at which it was taken, as exactly as is known.
    let times: ClosedRange<UInt64>
    let due: ContinuousClock.Instant
}
