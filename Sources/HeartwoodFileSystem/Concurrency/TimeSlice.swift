internal import CHeartwood

/// How long a thread may do one call after the other that need not wait, before others get their turn.
///
/// A call that is never suspended keeps its thread of the cooperative pool, of which there are only as many as processors: a
/// loop of such calls would hold up every other task of the process. So they suspend themselves now and then, by time: a
/// yield for every hundred puts took 37 % of their throughput, one in a millisecond less than can be measured.
package enum TimeSlice {
    /// Long enough that letting others run costs nothing beside it, short enough that eight tasks on two processors get
    /// their turn within some milliseconds.
    package static let nanoseconds: UInt64 = 1_000_000

    /// Whether the thread has been busy for longer than a slice. A few nanoseconds.
    ///
    /// - Parameter isLong: Whether the call takes so long that the clock is to be read after each of them.
    @inline(__always)
    package static func isOver(isLong: Bool = false) -> Bool { heartwood_slice_is_over(isLong ? 8 : 1) }

    /// Lets others run, and begins a new slice.
    package nonisolated(nonsending) static func yield() async {
        begin()
        await Task.yield()
        // On another thread, as it may be.
        begin()
    }

    /// Begins a slice on this thread.
    package static func begin(nanoseconds: UInt64 = nanoseconds) { heartwood_slice_begin(nanoseconds) }
}
