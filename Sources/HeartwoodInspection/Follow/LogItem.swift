public import HeartwoodFiles
public import HeartwoodFormat

/// A record of a log or of a snapshot, as it lies in its file.
public struct LoggedRecord: Sendable {
    /// How it was found.
    public enum State: String, Sendable {
        /// In a commit that is whole.
        case whole
        /// In a commit that is damaged elsewhere; its own batch is whole.
        case salvaged
        /// In a batch that isn't whole: a repair leaves it out.
        case partial
        /// Behind a torn place: its batch is whole, but an opening passes it over.
        case torn
    }

    /// The file's path.
    public var file: String
    /// The offset of its header.
    public var offset: UInt64
    /// The number of its batch.
    public var sequence: SequenceNumber
    /// Its place in the batch, from 0.
    public var batchIndex: Int
    /// How many records of the batch there are.
    public var batchCount: Int
    /// What it does.
    public var kind: RecordKind
    /// Its key.
    public var key: [UInt8]
    /// Bytes of the value as stored.
    public var storedValueBytes: Int
    /// Whether the value is compressed.
    public var isCompressed: Bool
    /// Bytes of the whole record.
    public var bytes: Int
    /// When it expires, in milliseconds since 1970; nil: never.
    public var expires: UInt64?
    /// When its commit was written, in milliseconds since 1970; nil in a snapshot, which doesn't say.
    public var time: UInt64?
    /// How it was found.
    public var state: State
    /// The value, if values were asked for, and it could be inflated.
    public var value: [UInt8]?
}

/// What a log is shown as.
public enum LogItem: Sendable {
    /// A file begins.
    case file(path: String, header: FileHeader)
    /// A record that was asked for.
    case record(LoggedRecord)
    /// Something that could not be read, and was passed over.
    case skipped(Finding)
}

/// Which records are asked for. All conditions must hold.
public struct LogFilter: Sendable {
    /// Only this key.
    public var key: [UInt8]?
    /// Only keys that begin with this.
    public var prefix: [UInt8]?
    /// Only these numbers.
    public var sequences: ClosedRange<SequenceNumber> = 0...(.max)
    /// Only commits of these times, in milliseconds since 1970.
    public var times: ClosedRange<UInt64> = 0...(.max)
    /// Only these kinds, by their byte in the file; nil: all.
    public var kinds: Set<UInt8>?
    /// Whether values are read.
    public var withValues = false

    /// All records, without values.
    public init() {}

    func wants(_ record: FoundRecord, _ key: ArraySlice<UInt8>) -> Bool {
        guard sequences.contains(record.sequence) else { return false }
        if let kinds, !kinds.contains(record.header.kind.rawValue) { return false }
        if let wanted = self.key, !key.elementsEqual(wanted) { return false }
        if let prefix, !key.starts(with: prefix) { return false }
        return true
    }
}
