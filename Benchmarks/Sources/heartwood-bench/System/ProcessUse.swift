internal import Foundation

/// What this process has used so far.
struct ProcessUse: Sendable {
    /// Bytes that it gave the system to be written; nil where the system doesn't tell. (`write_bytes`, those sent to
    /// the disk, says nothing any more: newer systems count whole folios of up to a MiB for each byte.)
    let writtenBytes: UInt64?
    /// The most memory that it had, mapped files included.
    let peakMemoryBytes: UInt64?
    /// Nanoseconds of the processor, of all threads, in the program and in the system.
    let processorNanoseconds: UInt64

    /// Up to now.
    static var now: ProcessUse {
        var usage = rusage()
        // RUSAGE_SELF, which has another type on each system.
        getrusage(0, &usage)
        let io = lines(of: "/proc/self/io")
        return ProcessUse(
            writtenBytes: number("wchar:", io),
            peakMemoryBytes: number("VmHWM:", lines(of: "/proc/self/status")).map { $0 * 1024 },
            processorNanoseconds: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime))
    }

    /// Memory that isn't of files, and mapped files, at this moment; nil where the system doesn't tell.
    static var memory: (anonymous: UInt64, mapped: UInt64)? {
        let status = lines(of: "/proc/self/status")
        return both(number("RssAnon:", status), number("RssFile:", status)).map { ($0 * 1024, $1 * 1024) }
    }

    /// Both, where there are both.
    static func both(_ first: UInt64?, _ second: UInt64?) -> (UInt64, UInt64)? {
        guard let first, let second else { return nil }
        return (first, second)
    }

    private static func nanoseconds(_ time: timeval) -> UInt64 {
        UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1_000
    }

    private static func lines(of path: String) -> [Substring] {
        (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n") ?? []
    }

    /// The number behind a name at the beginning of a line: `VmHWM:    4112 kB`.
    private static func number(_ name: String, _ lines: [Substring]) -> UInt64? {
        guard let line = lines.first(where: { $0.hasPrefix(name) }) else { return nil }
        return line.dropFirst(name.count).split(whereSeparator: { $0 == " " || $0 == "\t" }).first.flatMap {
            UInt64($0)
        }
    }
}
