/// How values are read from the files.
public struct ValueReading: Sendable, Hashable {
    private enum Kind { case positioned, mapped }
    private let kind: Kind

    /// Reads each value with a system call (`pread`). Half as fast as `.mapped`. If the disk fails, the read throws an
    /// error.
    public static let positioned = ValueReading(kind: .positioned)

    /// Reads from files that are mapped into memory. A file is mapped once it is no longer written: files of earlier
    /// openings, and each segment after the next one has begun.
    ///
    /// Twice as fast as `.positioned`. But if the disk fails, or another process truncates a file, the system ends this
    /// process (SIGBUS). On a file system without mappings, this is the same as `.positioned`.
    public static let mapped = ValueReading(kind: .mapped)
}
