internal import Heartwood
internal import HeartwoodFileSystem
import HeartwoodTesting
import Synchronization

/// A clock that never goes back, so that what has expired is expired for good.
struct SoakClock: StoreClock {
    private let start = ContinuousClock.now
    private let startTime = SystemClock().now()

    func now() -> Timestamp { startTime + (ContinuousClock.now - start) }
}

/// One opening of the store, as its tasks share it.
final class SoakLife: Sendable {
    let store: Store
    let keys: SoakKeys
    let clock: SoakClock
    let meter: SoakMeter
    let counters: SoakCounters
    /// Differs for each opening.
    let seed: UInt64
    /// Everything up to this number was acknowledged as written or synced, and survives the death of the process.
    let kept = Atomic<UInt64>(0)
    /// Snapshots that somebody is to look at later.
    let held = Locked<[SoakHeld]>([])
    private let over = Atomic<Bool>(false)

    init(store: Store, keys: SoakKeys, clock: SoakClock, meter: SoakMeter, counters: SoakCounters, seed: UInt64) {
        self.store = store
        self.keys = keys
        self.clock = clock
        self.meter = meter
        self.counters = counters
        self.seed = seed
    }

    /// Whether the tasks are to come to an end.
    var isOver: Bool { over.load(ordering: .relaxed) || Task.isCancelled }

    func end() { over.store(true, ordering: .relaxed) }

    var now: UInt64 { clock.now().milliseconds }

    /// A moment's rest; shorter where the opening ends.
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

/// A snapshot, and what it must show of one writer's keys.
struct SoakHeld: Sendable {
    let snapshot: ReadView
    let writer: Int
    let model: SoakModel
    /// When it was taken, as exactly as can be known.
    let times: ClosedRange<UInt64>
    let due: ContinuousClock.Instant
}
