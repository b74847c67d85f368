internal import Foundation

/// What this process has used so far.
struct ProcessUse: Sendable {
    /// Bytes that it gave the system to be written; nil where the system doesn't tell.
    let writtenBytes: UInt64?
    /// Nanoseconds of the processor, of all threads, in the program and in the system.
    let processorNanoseconds: UInt64

    /// Up to now.
    static var now: ProcessUse {
        var usage = rusage()
        // RUSAGE_SELF, which has another type on each system.
        getrusage(0, &usage)
        return ProcessUse(
            writtenBytes: written(),
            processorNanoseconds: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime))
    }

    private static func nanoseconds(_ time: timeval) -> UInt64 {
        UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1_000
    }

    /// What was handed to `write` and its kin, whether it has reached the disk or not.
    private static func written() -> UInt64? {
        let lines = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)
        let line = lines?.split(separator: "\n").first { $0.hasPrefix("wchar: ") }
        return line.flatMap { UInt64($0.dropFirst("wchar: ".count)) }
    }
}
