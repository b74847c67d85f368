/// What went wrong, and what to do about it.
///
/// One error type for the whole store. Its `code` is for programs; `message` is one sentence for people and ends with
/// a remedy. Trouble with the environment (disk full, permission, lock held) and corruption never share a code.
public struct StoreError: Error, Sendable {
    /// What kind of trouble it is. New codes may be added: always handle the others.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// An argument is outside its limits (an empty key, a key over 65,535 bytes, …). Nothing was written.
        public static let invalidArgument = Code(description: "invalidArgument")
        /// A value, a batch or a stored item is larger than the configuration allows.
        public static let tooLarge = Code(description: "tooLarge")
        /// The store was closed before the call, or while it waited. Nothing was written.
        public static let closed = Code(description: "closed")
        /// The task was cancelled before the write was numbered. Nothing was written.
        public static let cancelled = Code(description: "cancelled")
        /// A condition didn't hold. Nothing was written.
        public static let conflict = Code(description: "conflict")
        /// There is no store in this directory, and the configuration says not to make one; or the path is that of a file,
        /// or one that no directory can have.
        public static let notFound = Code(description: "notFound")
        /// Another opening, of this process or another, holds the store.
        public static let locked = Code(description: "locked")
        /// The system denies access to a file or directory.
        public static let permission = Code(description: "permission")
        /// No space, or no quota, is left on the disk. The write was refused before it was numbered. Reads work, and so do
        /// batches that only remove, from a reserve.
        public static let outOfSpace = Code(description: "outOfSpace")
        /// The process or the system has too many open files.
        public static let tooManyFiles = Code(description: "tooManyFiles")
        /// The system couldn't read or write, or a file was removed while the store was open. Says nothing about the data:
        /// look at the disk and the kernel's log.
        public static let inputOutput = Code(description: "inputOutput")
        /// A write or sync failed while this write was under way: it may or may not survive. Reopen and look.
        public static let outcomeUnknown = Code(description: "outcomeUnknown")
        /// An earlier write or sync failed. Nothing is accepted until the store is reopened; this write was not.
        public static let failed = Code(description: "failed")
        /// Bytes that were durable are damaged, or files are missing or misplaced. Only this code suggests repair.
        public static let corruption = Code(description: "corruption")
        /// The tail was torn, as by a crash, and the configuration asks for a strict recovery.
        public static let tornTail = Code(description: "tornTail")
        /// The files are intact but of a newer version of the format.
        public static let unsupportedFormat = Code(description: "unsupportedFormat")
    }

    /// What kind of trouble it is.
    public var code: Code
    /// One sentence that says what happened and what to do.
    public var message: String
    /// The file concerned.
    public var file: String?
    /// The offset in the file, in bytes.
    public var offset: UInt64?
    /// The sequence numbers that are certainly lost by it, from the first to the last; writes between may still be there.
    /// Nil where it isn't certain of any.
    public var lostSequences: ClosedRange<SequenceNumber>?
    /// The error beneath, usually a `FileSystemError` or a `FormatError`.
    public var cause: (any Error)?

    /// An error of these parts.
    public init(
        _ code: Code, _ message: String, file: String? = nil, offset: UInt64? = nil,
        lostSequences: ClosedRange<SequenceNumber>? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.file = file
        self.offset = offset
        self.lostSequences = lostSequences
        self.cause = cause
    }
}

extension StoreError: CustomStringConvertible {
    /// The message, then file, offset and cause where there are any; one line.
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
