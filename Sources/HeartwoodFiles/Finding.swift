package import HeartwoodFileSystem
package import HeartwoodFormat

/// A problem in the files, or something worth knowing, with its position.
public struct Finding: Sendable {
    /// How serious it is.
    public enum Severity: Int, Sendable, Comparable, CaseIterable {
        /// Worth knowing; nothing is wrong.
        case note
        /// Bytes that were never known to be durable are skipped, as after a crash.
        case torn
        /// Something that was durable is damaged or missing.
        case corruption
        /// It is from a newer version of the format. This version can't tell whether it is intact.
        case unsupported
        /// The system could not read it. That says nothing about the data.
        case unreadable

        /// Orders by severity.
        public static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }
    }

    /// How serious it is.
    public var severity: Severity
    /// The file concerned.
    public var file: String
    /// The offset in the file of the item whose check failed first.
    public var offset: UInt64
    /// How many bytes are affected; 0 if the problem isn't in certain bytes.
    package var length: UInt64 = 0
    /// What is wrong, as a clause.
    public var what: String
    /// The sequence numbers that are certainly lost, from the first to the last. Writes in between may still exist. Nil
    /// if no loss is certain.
    public var lost: ClosedRange<SequenceNumber>?
    /// Some of the affected keys, as far as they are known.
    public var keys: [[UInt8]] = []
    /// Bytes where damaged records had their keys. They may be the keys.
    package var perhapsKeys: [[UInt8]] = []
    /// What was wrong with the bytes.
    package var cause: FormatError?
    /// Whether an opening of the store refuses because of it.
    package var refusesOpening = false
    /// The system's error, and the failed operation as a clause.
    package var failure: (error: FileSystemError, doing: String)?

    /// Creates a finding.
    package init(
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
