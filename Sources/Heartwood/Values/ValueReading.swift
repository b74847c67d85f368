/// How values are read back from the files.
public struct ValueReading: Sendable, Hashable {
    private enum Kind { case positioned, mapped }
    private let kind: Kind

    /// Each by a call of the system (`pread`): half as fast as from memory, and a disk that fails is an error of the read.
    public static let positioned = ValueReading(kind: .positioned)

    /// From the files mapped into memory, once nothing is written to them any more: those of earlier openings, and each
    /// segment once the next has begun. Twice as fast, but where the disk fails, or somebody cuts a file short, the system
    /// ends the process (SIGBUS). Where a file system has no mappings, as `.positioned`.
    public static let mapped = ValueReading(kind: .mapped)
}
