package import HeartwoodFileSystem
public import HeartwoodFormat

/// Something that is not as it should be, or worth knowing, and where.
public struct Finding: Sendable {
    /// How bad it is.
    public enum Severity: Int, Sendable, Comparable, CaseIterable {
        /// Worth knowing; nothing is wrong.
        case note
        /// Bytes that were never known to be durable are passed over, as after a crash.
        case torn
        /// Something that was durable is damaged or missing.
        case corruption
        /// It is of a newer version of the format: whole or not, this version can't tell.
        case unsupported
        /// The system could not read it, which says nothing about the data.
        case unreadable

        /// By how bad it is.
        public static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
    }

    /// How bad it is.
    public var severity: Severity
    /// The file that it is in.
    public var file: String
    /// Where in the file: the item whose check failed first.
    public var offset: UInt64
    /// How many bytes are concerned; 0 where that is not a matter of bytes.
    public var length: UInt64 = 0
    /// What it is, as a clause.
    public var what: String
    /// The sequence numbers that are certainly lost by it, from the first to the last; writes between may still be there.
    /// Nil where it isn't certain of any.
    public var lost: ClosedRange<SequenceNumber>?
    /// The keys concerned, as far as they are known: no more than a few.
    public var keys: [[UInt8]] = []
    /// What stands where a key was, in records that are damaged: perhaps the key.
    public var perhapsKeys: [[UInt8]] = []
    /// What was wrong with the bytes.
    public var cause: FormatError?
    /// Whether an opening of the store refuses because of it.
    public var refusesOpening = false
    /// What the system said, and to what, as a clause.
    package var failure: (error: FileSystemError, doing: String)?

    /// A finding of these parts.
    public init(
        _ severity: Severity, file: String, offset: UInt64, length: UInt64 = 0, _ what: String,
        lost: ClosedRange<SequenceNumber>? = nil, keys: [[UInt8]] = [], cause: FormatError? = nil,
        refusesOpening: Bool = false
    ) {
        self.severity = severity
        self.file = file
        self.offset = offset
        self.length = length
        self.what = what
        self.lost = lost
        self.keys = keys
        self.cause = cause
        self.refusesOpening = refusesOpening
    }
}

extension Finding: CustomStringConvertible {
    /// One line: where, what, why, and what is lost.
    public var description: String {
        var text = "\(file) at offset \(offset): \(what)"
        if let cause { text += " (\(cause))" }
        if let lost {
            text +=
                lost.lowerBound == lost.upperBound
                ? "; write number \(lost.lowerBound) is lost"
                : "; writes number \(lost.lowerBound) to \(lost.upperBound) are lost"
        }
        return text
    }
}
