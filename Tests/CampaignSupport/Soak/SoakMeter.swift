internal import Heartwood
internal import HeartwoodConcurrency

/// What a soak counts and measures.
final class SoakMeter: Sendable {
    private let counts = Locked(SoakRun.Summary())
    /// The durations of the puts of each durability since the last sample, in nanoseconds.
    private let latencies = Locked<[[UInt64]]>([[], [], []])
    private static let durabilities: [Durability] = [.synced, .written, .buffered]

    var summary: SoakRun.Summary { counts.withLock { $0 } }
    var operations: Int { counts.withLock { $0.writes + $0.reads } }

    func count(_ what: WritableKeyPath<SoakRun.Summary, Int>, _ number: Int = 1) {
        counts.withLock { $0[keyPath: what] += number }
    }

    func note(_ duration: Duration, _ durability: Durability) {
        guard let number = Self.durabilities.firstIndex(of: durability) else { return }
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
}
