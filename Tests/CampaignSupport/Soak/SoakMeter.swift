internal import Heartwood
internal import HeartwoodFileSystem
import Synchronization

/// What is counted and measured while a soak goes on.
final class SoakMeter: Sendable {
    /// How long puts of each durability took since somebody asked last, in nanoseconds.
    private let latencies = Locked<[[UInt64]]>([[], [], []])
    let writes = Atomic<Int>(0)
    let reads = Atomic<Int>(0)
    let transactions = Atomic<Int>(0)
    let conflicts = Atomic<Int>(0)
    let snapshots = Atomic<Int>(0)
    let requested = Atomic<Int>(0)
    let cancelled = Atomic<Int>(0)

    static let classes: [Durability] = [.synced, .written, .buffered]

    func note(_ duration: Duration, _ durability: Durability) {
        guard let number = Self.classes.firstIndex(of: durability) else { return }
        let (seconds, attoseconds) = duration.components
        let nanoseconds = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
        latencies.withLock { $0[number].append(nanoseconds) }
    }

    /// The percentiles since the last call.
    func takeLatencies() -> [SoakSample.Latency?] {
        let taken = latencies.withLock { latencies in
            defer { latencies = [[], [], []] }
            return latencies
        }
        return taken.map { SoakSample.Latency($0) }
    }

    var operations: Int { writes.load(ordering: .relaxed) + reads.load(ordering: .relaxed) }
}

extension Atomic where Value == Int {
    func count(_ more: Int = 1) { add(more, ordering: .relaxed) }
    var value: Int { load(ordering: .relaxed) }
}
