internal import HeartwoodConcurrency

/// Which figure is being measured. Set by the run, read by the progress bar.
final class BenchTally: Sendable {
    private struct State {
        var index = 0
        var figure: BenchFigure?
        var since: UInt64 = 0
    }

    private let plan: BenchPlan
    private let state = Locked(State())
    private let start = Ticks.now

    init(_ plan: BenchPlan) { self.plan = plan }

    func begin(_ figure: BenchFigure, index: Int) {
        state.withLock { $0 = State(index: index, figure: figure, since: Ticks.now) }
    }

    /// `fillsync, 64 tasks  figure 3 of 11`. All figures take equally long.
    var progress: Progress? {
        let (state, now) = (state.withLock { $0 }, Ticks.now)
        guard let figure = state.figure else { return nil }
        let current = min(1, Ticks.seconds(now - min(now, state.since)) / plan.options.seconds)
        return Progress(
            share: (Double(state.index) + current) / Double(plan.figures.count),
            parts: [figure.title, "figure \(state.index + 1) of \(plan.figures.count)"],
            seconds: Ticks.seconds(now - start))
    }
}
