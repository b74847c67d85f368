/// When a figure has been measured for long enough.
struct Stopwatch: Sendable {
    let start: UInt64
    private let deadline: UInt64

    /// Starts now.
    init(seconds: Double) {
        start = Ticks.now
        deadline = start + UInt64(seconds * 1e9)
    }

    /// Whether the time is over, or somebody asked to stop.
    @inline(__always)
    func isOver(_ now: UInt64) -> Bool { now >= deadline || Signals.requestToStop != nil }
}

/// Somebody asked to stop: the figure under way isn't to be shown.
struct BenchStopped: Error {
    /// Throws this if somebody did.
    static func check() throws {
        if Signals.requestToStop != nil { throw BenchStopped() }
    }
}
