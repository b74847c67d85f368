/// How commits get from the process into the log.
public struct LogWriting: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String { case mapped, calls }
    private let kind: Kind

    /// As stores to memory that is a mapping of the log's file, where the file system allows it (ext4, XFS and tmpfs, on Linux
    /// 5.14 and later); elsewhere by calls.
    ///
    /// A `.written` put takes no system call then. What the process stored is in the kernel, whatever becomes of the process, as
    /// after a call. Only pages are stored to that were allocated and brought into memory before; where the disk fails under
    /// one of them, or somebody cuts the file, the system ends the process (SIGBUS), and the next opening finds what a death of
    /// the process leaves.
    public static let mapped = LogWriting(kind: .mapped)

    /// By system calls of the log writer's thread, for which a `.written` put waits: some tens of microseconds. An error of the
    /// disk is always an error of the store then, and a trace of system calls shows every write.
    public static let calls = LogWriting(kind: .calls)

    /// "mapped" or "calls".
    public var description: String { kind.rawValue }
}
