internal import Heartwood
internal import HeartwoodConcurrency

/// What a soak counts and measures.
final class SoakMeter: Sendable {
    private let counts = Locked(Tally())
    /// The durations of the puts of each durability since the last sample, in nanoseconds.
    private let latencies = Locked<[[UInt64]]>([[], [], []])
    private static let durabilities: [Durability] = [.synced, .written, .buffered]

    var summary: Tally { counts.withLock { $0 } }
    var operations: Int { counts.withLock { $0.writes + $0.reads } }

    func count(_ what: String, _ number: Int = 1) { counts.withLock { $0[what] += number } }

    func note(_ duration: Duration, _ durability: Durability) {
        guard let number = Self.durabilities.firstIndex(of: durability) else { return }
        latencies.withLock { $0[number].append(UInt64(duration / .nanoseconds(1))) }
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
