internal import Foundation

/// Resources that this process has used so far.
struct ProcessUse: Sendable {
    /// Bytes passed to the system to be written; nil if the system doesn't report them. `write_bytes`, the bytes sent
    /// to the disk, isn't usable: newer systems count a whole folio of up to a MiB for each byte.
    let writtenBytes: UInt64?
    /// Peak memory, including mapped files.
    let peakMemoryBytes: UInt64?
    /// Processor time of all threads, in the program and in the system.
    let processorNanoseconds: UInt64

    static var now: ProcessUse {
        var usage = rusage()
        // 0 is RUSAGE_SELF, whose type differs between systems.
        getrusage(0, &usage)
        let io = lines(of: "/proc/self/io")
        return ProcessUse(
            writtenBytes: number("wchar:", io),
            peakMemoryBytes: number("VmHWM:", lines(of: "/proc/self/status")).map { $0 * 1024 },
            processorNanoseconds: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime))
    }

    /// Memory without and of mapped files.
    struct Memory: Sendable {
        var anonymous: UInt64
        var mapped: UInt64
    }

    /// Current memory; nil if the system doesn't report it.
    static var memory: Memory? {
        let status = lines(of: "/proc/self/status")
        guard let anonymous = number("RssAnon:", status), let mapped = number("RssFile:", status) else { return nil }
        return Memory(anonymous: anonymous * 1024, mapped: mapped * 1024)
    }

    private static func nanoseconds(_ time: timeval) -> UInt64 {
        UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1_000
    }

    private static func lines(of path: String) -> [Substring] {
        (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: "\n") ?? []
    }

    /// The number after a name at the start of a line: `VmHWM:    4112 kB`.
    private static func number(_ name: String, _ lines: [Substring]) -> UInt64? {
        guard let line = lines.first(where: { $0.hasPrefix(name) }) else { return nil }
        return line.dropFirst(name.count).split(whereSeparator: { $0 == " " || $0 == "\t" }).first.flatMap {
            UInt64($0)
        }
    }
}
