/// Tells when a figure was measured for long enough.
struct Stopwatch: Sendable {
    let start: UInt64
    private let deadline: UInt64

    init(seconds: Double) {
        start = Ticks.now
        deadline = start + UInt64(seconds * 1e9)
    }

    /// Whether the time is over, or a stop was requested.
    @inline(__always)
    func isOver(_ now: UInt64) -> Bool { now >= deadline || Signals.requestToStop != nil }
}

/// A stop was requested: the unfinished figure must not be shown.
struct BenchStopped: Error {
    /// Throws this if a stop was requested.
    static func check() throws {
        if Signals.requestToStop != nil { throw BenchStopped() }
    }
}
