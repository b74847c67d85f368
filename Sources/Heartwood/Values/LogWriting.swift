/// How commits are written to the log.
public struct LogWriting: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String { case mapped, calls }
    private let kind: Kind

    /// By stores to a memory mapping of the log's file, where the file system allows it (ext4, XFS and tmpfs, on Linux
    /// 5.14 and later); elsewhere by system calls.
    ///
    /// A `.written` put then makes no system call. What the process has stored is in the kernel and survives the death
    /// of the process, as after a call. Only pages that are already allocated and in memory are stored to. If the disk
    /// fails for one of them, or the file is truncated from outside, the system ends the process (SIGBUS). The next
    /// opening finds what the death of a process leaves.
    public static let mapped = LogWriting(kind: .mapped)

    /// By system calls of the log writer's thread. A `.written` put waits for them: some tens of microseconds. A disk
    /// error is then always an error of the store, and a trace of system calls shows every write.
    public static let calls = LogWriting(kind: .calls)

    /// "mapped" or "calls".
    public var description: String { kind.rawValue }
}
