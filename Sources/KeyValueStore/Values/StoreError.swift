/// The error type of the store: what went wrong, and what to do.
///
/// `code` is for programs. `message` is one sentence for people and ends with a remedy. Problems of the environment
/// (full disk, permission, locked store) never have the same code as corruption.
///
/// Log the error itself, as in `"\(error)"`: this gives message, file, offset and cause. Foundation's
/// `localizedDescription` gives the same only in programs that use the product `HeartwoodFoundation`; otherwise it is
/// "error 1".
public struct StoreError: Error, Sendable {
    /// The kind of error. Later versions may add codes: always handle unknown ones.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// Creates a code, for a module above this one. Two codes are equal if their names are.
        public init(_ name: String) { description = name }

        /// An argument is outside its limits (an empty key, a key over 65,535 bytes, …), or the call isn't allowed here
        /// (a write to a store inside the body of its own transaction). Nothing was written.
        public static let invalidArgument = Code("invalidArgument")
        /// A value, a batch or a stored item is larger than the configuration allows.
        public static let tooLarge = Code("tooLarge")
        /// The store was closed before the call, or while the call waited. Nothing was written.
        public static let closed = Code("closed")
        /// The task was cancelled before the write got its sequence number. Nothing was written.
        public static let cancelled = Code("cancelled")
        /// A condition was not met. Nothing was written.
        public static let conflict = Code("conflict")
        /// There is no store in this directory, and the configuration doesn't allow creating one; or the path names a
        /// file, or can't be a directory.
        public static let notFound = Code("notFound")
        /// The store is already open, in this process or another.
        public static let locked = Code("locked")
        /// The system denies access to a file or directory.
        public static let permission = Code("permission")
        /// The disk has no space left, or a quota is reached. Nothing was written. Reads succeed. In a store of files
        /// batches that only remove succeed, too: they use reserved space. Another engine may refuse those: an etcd
        /// cluster refuses all writes until its operator has made space.
        public static let outOfSpace = Code("outOfSpace")
        /// The process or the system has too many open files.
        public static let tooManyFiles = Code("tooManyFiles")
        /// The system couldn't read or write, or a file was removed while the store was open. Says nothing about the
        /// data: check the disk and the kernel's log.
        public static let inputOutput = Code("inputOutput")
        /// A write or sync failed during this write: the write may or may not survive. Reopen the store and check.
        public static let outcomeUnknown = Code("outcomeUnknown")
        /// An earlier write or sync failed, so this write was refused. The store accepts no writes until it is
        /// reopened.
        public static let failed = Code("failed")
        /// Durable bytes are damaged, or files are missing or misplaced. Only this code suggests repair.
        public static let corruption = Code("corruption")
        /// The log has a torn tail, as after a crash, and the configuration asks for strict recovery.
        public static let tornTail = Code("tornTail")
        /// The files are intact but from a newer version of the format.
        public static let unsupportedFormat = Code("unsupportedFormat")
        /// Changes can't be followed from this position: it is of another store, the log after it was removed, or the
        /// writes up to it were lost in a crash. Read the store's contents again, and follow from their position.
        public static let positionUnavailable = Code("positionUnavailable")
        /// The engine no longer has the moment that a view shows. Make a new view, and read again.
        public static let viewEnded = Code("viewEnded")
    }

    /// The kind of error.
    public var code: Code
    /// One sentence: what happened and what to do.
    public var message: String
    /// The rest, outside: a large error would be copied by each call that may throw it, also when the call succeeds.
    /// With fewer than five words, Swift 6.3.1 crashes in optimised builds of asynchronous functions with typed throws.
    private var details: Details?

    private final class Details: Sendable {
        let content: Content

        init(_ content: Content) { self.content = content }
    }

    private struct Content: Sendable {
        var file: String?
        var offset: UInt64?
        var lostSequences: ClosedRange<SequenceNumber>?
        var restart: ChangePosition?
        var cause: (any Error)?
    }

    private var content: Content {
        get { details?.content ?? Content() }
        set { details = Details(newValue) }
    }

    /// The file concerned.
    public var file: String? {
        get { content.file }
        set { content.file = newValue }
    }
    /// The offset in the file, in bytes.
    public var offset: UInt64? {
        get { content.offset }
        set { content.offset = newValue }
    }
    /// The sequence numbers that are certainly lost, from the first to the last. Writes in between may still exist. Nil
    /// if no loss is certain.
    public var lostSequences: ClosedRange<SequenceNumber>? {
        get { content.lostSequences }
        set { content.lostSequences = newValue }
    }
    /// For ``Code/positionUnavailable``: the earliest position from which changes can still be followed, or another
    /// later one; nil if it is unknown. For a complete copy, read a view that is made now, and follow from its
    /// position.
    public var restart: ChangePosition? {
        get { content.restart }
        set { content.restart = newValue }
    }
    /// The underlying error, usually a `FileSystemError` or a `FormatError`.
    public var cause: (any Error)? {
        get { content.cause }
        set { content.cause = newValue }
    }

    /// Creates an error.
    public init(
        _ code: Code, _ message: String, file: String? = nil, offset: UInt64? = nil,
        lostSequences: ClosedRange<SequenceNumber>? = nil, restart: ChangePosition? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        if file != nil || offset != nil || lostSequences != nil || restart != nil || cause != nil {
            details = Details(
                Content(file: file, offset: offset, lostSequences: lostSequences, restart: restart, cause: cause))
        }
    }
}

extension StoreError: CustomStringConvertible {
    /// One line: the message, then file, offset and cause if there are any.
    public var description: String {
        var text = message
        if let file {
            text += " [\(file)"
            if let offset { text += " at offset \(offset)" }
            text += "]"
        }
        if let cause { text += " (\(cause))" }
        return text
    }
}

extension StoreError {
    package static let closed = StoreError(
        .closed, "the store is closed: open it again, and close it only when its reads, views and scans have ended")

    package static let cancelled = StoreError(
        .cancelled, "the task was cancelled before the write was accepted: nothing was written")
}
