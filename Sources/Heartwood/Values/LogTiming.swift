/// The delays of the log writer, in nanoseconds.
package struct LogTiming: Sendable, Hashable {
    /// From acceptance until a buffered write goes to the kernel (the guarantee is 10 ms). `.max` means never, also
    /// below.
    package var write: UInt64 = 5_000_000
    /// From acceptance until a written commit is synced in the background (the guarantee is one second).
    package var sync: UInt64 = 500_000_000
    /// From the last sync, if nothing follows, until a sync mark is written that says that everything before it is
    /// durable.
    package var mark: UInt64 = 50_000_000
    /// From acceptance until a buffered write goes to the kernel while a feed waits to read it. Each commit costs
    /// writers some microseconds, so this also limits how often a feed is woken.
    package var follow: UInt64 = 400_000

    package init() {}

    /// When a delay that began at `start` ends; `.max`: never.
    @inline(__always)
    static func end(of delay: UInt64, from start: UInt64) -> UInt64 {
        let (end, isBeyond) = start.addingReportingOverflow(delay)
        return isBeyond ? .max : end
    }
}
