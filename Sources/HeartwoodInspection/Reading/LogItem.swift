package import HeartwoodFiles
package import HeartwoodFormat

/// A record of a log or of a snapshot, as stored in its file.
package struct LoggedRecord: Sendable {
    /// The state in which a record was found.
    package enum State: String, Sendable {
        /// In a commit that is whole.
        case whole
        /// In a commit that is damaged in another part; the record's batch is whole.
        case salvaged
        /// In a batch that is not whole. A repair leaves it out.
        case partial
        /// After a tear: its batch is whole, but opening the store skips it.
        case torn
    }

    package var file: String
    package var offset: UInt64
    package var sequence: SequenceNumber
    package var batchIndex = 0
    package var batchCount = 1
    package var kind: RecordKind
    package var key: [UInt8]
    /// Bytes of the value as stored, compressed or not.
    package var storedValueBytes: Int
    package var isCompressed: Bool
    /// Bytes of the whole record: header, key, value and padding.
    package var bytes: Int
    /// When it expires, in milliseconds since 1970; nil if never.
    package var expires: UInt64?
    /// When its commit was written, in milliseconds since 1970; nil for a record of a snapshot, which does not store
    /// it.
    package var time: UInt64?
    package var state: State
    /// The value, if values were requested, it isn't longer than `LogFilter.mostValueBytes`, and it could be
    /// decompressed.
    package var value: [UInt8]?
    /// Instead of `value`, if that is longer.
    package var longValue: StoredValue?
}

/// An item of a log, as it is reported.
package enum LogItem: Sendable {
    case file(path: String, header: FileHeader)
    /// A record that matches the filter.
    case record(LoggedRecord)
    /// A put of a key that `LogFilter.noted` asks for, with its value.
    case noted(LoggedRecord)
    /// A part that could not be read and was skipped.
    case skipped(Finding)
}

/// A filter for records. A record must meet all conditions.
package struct LogFilter: Sendable {
    /// Only this key; nil for all keys.
    package var key: [UInt8]?
    /// Only keys that begin with these bytes; nil for all keys.
    package var prefix: [UInt8]?
    package var sequences: ClosedRange<SequenceNumber> = 0...(.max)
    /// Only commits written at these times, in milliseconds since 1970.
    package var times: ClosedRange<UInt64> = 0...(.max)
    /// Only these kinds, by their byte in the file; nil for all.
    package var kinds: Set<UInt8>?
    /// Whether values are read.
    package var withValues = false
    /// The longest value that is read, in bytes after decompression.
    package var mostValueBytes = FormatConstants.maximumBatchBytes
    /// Puts of keys that begin with these bytes are also reported as `LogItem.noted`, whatever the other conditions
    /// say; of a store that has a snapshot, first those in the snapshot. Those of more than 1 MiB are left out.
    package var noted: [UInt8]?

    package init() {}

    static let mostNotedBytes = 1 << 20

    func notes(_ record: RecordHeader, _ key: ArraySlice<UInt8>) -> Bool {
        guard let noted, record.kind == .put, record.valueLength <= Self.mostNotedBytes else { return false }
        return key.starts(with: noted)
    }

    func wants(_ record: FoundRecord, _ key: ArraySlice<UInt8>) -> Bool {
        guard sequences.contains(record.sequence) else { return false }
        if let kinds, !kinds.contains(record.header.kind.rawValue) { return false }
        if let wanted = self.key, !key.elementsEqual(wanted) { return false }
        if let prefix, !key.starts(with: prefix) { return false }
        return true
    }
}
