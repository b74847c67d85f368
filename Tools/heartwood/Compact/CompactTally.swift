internal import Heartwood
internal import HeartwoodConcurrency

/// The progress of a compaction. Set by the thread that compacts, read by the progress bar.
final class CompactTally: Sendable {
    private struct State {
        var newest: CompactionProgress?
        /// When the current phase began.
        var phaseStart = ContinuousClock.now
    }

    private let state = Locked(State())
    private let start = ContinuousClock.now

    func note(_ progress: CompactionProgress) {
        state.withLock { state in
            if state.newest?.phase != progress.phase { state.phaseStart = .now }
            state.newest = progress
        }
    }

    var seconds: Double { (ContinuousClock.now - start).seconds }

    /// `writing  17,683 keys  181,204/s`; nil before the first report.
    var progress: Progress? {
        let (newest, phaseStart) = state.withLock { ($0.newest, $0.phaseStart) }
        guard let newest else { return nil }
        let done = min(1, Double(newest.keys) / Double(max(1, newest.totalKeys)))
        let weight = newest.phase.weight
        let rate = Double(newest.keys) / max((ContinuousClock.now - phaseStart).seconds, 1e-3)
        return Progress(
            share: weight.lowerBound + (weight.upperBound - weight.lowerBound) * done,
            parts: [newest.phase.name, Numbers.count(newest.keys, "key"), "\(Numbers.grouped(Int(rate)))/s"],
            seconds: seconds)
    }
}

extension CompactionProgress.Phase {
    fileprivate var name: String {
        switch self {
        case .writing: "writing"
        case .verifying: "verifying"
        case .moving: "moving"
        }
    }

    /// The part of the whole bar that a phase takes. Writing takes most, because it also waits for the disk.
    fileprivate var weight: ClosedRange<Double> {
        switch self {
        case .writing: 0...0.7
        case .verifying: 0.7...0.9
        case .moving: 0.9...1
        }
    }
}
