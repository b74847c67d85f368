internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodInspection

/// What a thread reports of its work now and then.
protocol WorkReport: Sendable {
    associatedtype Phase: Equatable

    /// Each phase has its own speed.
    var phase: Phase { get }

    /// - Parameters:
    ///   - phaseSeconds: The time since the phase began.
    ///   - seconds: The time since the work began.
    func progress(phaseSeconds: Double, seconds: Double) -> Progress
}

/// The newest report of some work. Set by the thread that works, read by the progress bar.
final class Tally<Report: WorkReport>: Sendable {
    private struct State {
        var newest: Report?
        var phaseStart = ContinuousClock.now
    }

    private let state = Locked(State())
    private let start = ContinuousClock.now

    var seconds: Double { (ContinuousClock.now - start).seconds }

    func note(_ report: Report) {
        state.withLock { state in
            if state.newest?.phase != report.phase { state.phaseStart = .now }
            state.newest = report
        }
    }

    /// Nil before the first report.
    var progress: Progress? {
        let (newest, phaseStart) = state.withLock { ($0.newest, $0.phaseStart) }
        return newest?.progress(phaseSeconds: (ContinuousClock.now - phaseStart).seconds, seconds: seconds)
    }
}

extension RecoveryProgress: WorkReport {
    /// An opening has one phase.
    var phase: Bool { true }

    /// `opening  17,683 records`
    func progress(phaseSeconds: Double, seconds: Double) -> Progress {
        Progress(
            share: Double(bytes) / Double(max(totalBytes, 1)), parts: ["opening", Numbers.count(records, "record")],
            seconds: seconds)
    }
}

extension InspectionProgress: WorkReport {
    /// `reading  17,683 records  1.2 GiB  181 MiB/s`
    func progress(phaseSeconds: Double, seconds: Double) -> Progress {
        Progress(
            share: Double(bytes) / Double(max(1, totalBytes)),
            parts: [
                phase, Numbers.count(records, "record"), Numbers.bytes(bytes),
                "\(Numbers.bytes(Int(Double(bytes) / max(phaseSeconds, 1e-3))))/s",
            ],
            seconds: phaseSeconds)
    }
}

extension CompactionProgress: WorkReport {
    /// `writing  17,683 keys  181,204/s`
    func progress(phaseSeconds: Double, seconds: Double) -> Progress {
        let done = min(1, Double(keys) / Double(max(1, totalKeys)))
        let (name, start, end) = phase.nameAndShare
        let rate = Double(keys) / max(phaseSeconds, 1e-3)
        return Progress(
            share: start + (end - start) * done,
            parts: [name, Numbers.count(keys, "key"), "\(Numbers.grouped(Int(rate)))/s"], seconds: seconds)
    }
}

extension CompactionProgress.Phase {
    /// With the part of the whole bar. Writing takes most, because it also waits for the disk.
    fileprivate var nameAndShare: (name: String, start: Double, end: Double) {
        switch self {
        case .writing: ("writing", 0, 0.7)
        case .verifying: ("verifying", 0.7, 0.9)
        case .moving: ("moving", 0.9, 1)
        }
    }
}
