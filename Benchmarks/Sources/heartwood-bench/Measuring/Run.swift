/// What a workload gets for one run.
struct Run: Sendable {
    /// Keys and values.
    let data: Dataset
    /// Where stores and files are made.
    let directory: WorkDirectory
    /// Filled stores that several workloads start from.
    let fixtures: Fixtures
    /// How long the clock is to run.
    let seconds: Double

    /// How often a loop of quick operations looks at the clock.
    static let checkInterval = 256

    /// The length of the run, in nanoseconds.
    var nanoseconds: UInt64 { UInt64(seconds * 1e9) }

    /// Whether somebody asked to stop: the sample is thrown away then.
    var isInterrupted: Bool { Interrupt.isRequested }

    /// Whether a loop is to end.
    @inline(__always)
    func isOver(_ now: UInt64, deadline: UInt64) -> Bool {
        now >= deadline || Interrupt.isRequested
    }

    /// The same run with that many keys.
    func with(keyCount: Int) -> Run { with(data.with(keyCount: keyCount)) }

    /// The same run with other keys and values.
    func with(_ data: Dataset) -> Run {
        Run(data: data, directory: directory, fixtures: fixtures, seconds: seconds)
    }
}
