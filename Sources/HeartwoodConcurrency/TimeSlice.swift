internal import CHeartwood

/// How long a thread may make calls that don't have to wait, before it lets other tasks run.
///
/// A call that never suspends keeps its thread of the cooperative pool, which has only as many threads as processors. A
/// loop of such calls would delay every other task of the process. So these calls yield by time. A yield once a
/// millisecond costs less than can be measured; a yield after every hundred puts costs 37 % of their throughput.
package enum TimeSlice {
    /// Long enough that the cost of yielding does not matter, short enough that eight tasks on two processors all run
    /// within some milliseconds.
    package static let nanoseconds: UInt64 = 1_000_000

    /// Whether the thread has been busy for longer than a slice. Takes a few nanoseconds.
    ///
    /// - Parameter isLong: Whether the call takes so long that the clock is read after each one.
    @inline(__always)
    package static func isOver(isLong: Bool = false) -> Bool { heartwood_slice_is_over(isLong ? 8 : 1) }

    /// Lets other tasks run, then begins a new slice.
    package nonisolated(nonsending) static func yield() async {
        begin()
        await Task.yield()
        // The task may now be on another thread.
        begin()
    }

    /// Begins a slice on this thread.
    package static func begin(nanoseconds: UInt64 = nanoseconds) { heartwood_slice_begin(nanoseconds) }
}
