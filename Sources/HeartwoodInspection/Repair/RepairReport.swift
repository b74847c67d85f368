public import Heartwood
public import HeartwoodFormat

/// What a repair does, or would do, and what it can't bring back.
public struct RepairReport: Sendable {
    /// Something that is lost, or was left out, and where it was.
    public struct Loss: Sendable {
        /// What it is, as a clause.
        public var what: String
        /// The file that it was in; nil for what was in a file that isn't there.
        public var file: String?
        /// Where in the file.
        public var offset: UInt64?
        /// How many bytes are concerned.
        public var length: UInt64 = 0
        /// The numbers of the batches that are lost.
        public var sequences: ClosedRange<SequenceNumber>?
        /// Keys concerned, as far as they are known: no more than a few.
        public var keys: [[UInt8]] = []
        /// What stands where a key was, in records that are damaged: perhaps the key.
        public var perhapsKeys: [[UInt8]] = []
        /// What was wrong with the bytes.
        public var cause: FormatError?

        static let impossible = "its numbers are beyond those that a store comes to, so no store wrote it"
    }

    /// A file that was looked at.
    public struct Source: Sendable {
        /// What becomes of it.
        public enum Use: String, Sendable {
            /// What verifies in it, and isn't in a newer snapshot, is in the new store.
            case used
            /// All that it holds is in a snapshot that is used.
            case covered
            /// Of another store.
            case foreign
            /// Of another line of the store's history: another file has the same numbers.
            case otherHistory
            /// Nothing in it verifies.
            case unreadable
            /// It was in preparation, and isn't needed.
            case leftOver
        }
        /// Its name, without the directory.
        public var name: String
        /// What becomes of it.
        public var use: Use
        /// The store that it is of, as far as its header tells.
        public var storeID: StoreID?
        /// What it holds.
        public var kind: FileHeader.Kind?
        /// Size in bytes.
        public var size: UInt64
    }

    /// The files that were looked at.
    public var sources: [Source] = []
    /// What is lost, in the order of the numbers as far as there are any.
    public var losses: [Loss] = []
    /// The store that is repaired.
    public var storeID: StoreID?
    /// Up to which number the new store begins with a snapshot; nil: it has none.
    public var snapshotSequence: SequenceNumber?
    /// Keys in that snapshot.
    public var snapshotKeys: UInt64 = 0
    /// Keys whose record in a damaged snapshot is lost, and for which an older value stands in.
    public var olderValues: UInt64 = 0
    /// Batches behind the snapshot that are in the new store.
    public var batches: UInt64 = 0
    /// Records of those batches.
    public var records: UInt64 = 0
    /// Batches of which only a part is in the new store (`keepsPartial`).
    public var partialBatches: UInt64 = 0
    /// Batches of which a part is there, and that were left out.
    public var batchesLeftOut: UInt64 = 0
    /// Whole batches behind a torn place, which an opening would pass over, and which are in the new store.
    public var batchesBehindTear: UInt64 = 0
    /// The newest number in the new store; 0 where there is none.
    public var lastSequence: SequenceNumber = 0
    /// The newest number that anything tells of.
    public var highestSequence: SequenceNumber = 0
    /// When the newest commit was written: behind that time what has expired stays so.
    var newestTime: UInt64 = 0
    /// Bytes of the new store's files.
    public var bytes: UInt64 = 0
    /// Where the new store is; nil for a plan.
    public var output: String?
    /// Where the old files were moved to; nil unless in place.
    public var movedTo: String?

    /// Whether everything that was ever known to be durable is back.
    public var isComplete: Bool { losses.isEmpty }

    private static let mostLosses = 10_000

    mutating func note(_ file: DataFile, _ use: Source.Use) {
        sources.append(
            Source(name: file.name, use: use, storeID: file.header?.storeID, kind: file.kind, size: file.size))
    }

    mutating func add(_ loss: Loss) {
        // A part of a large store may be gone in very many places; so many are enough to see that.
        if losses.count < Self.mostLosses { losses.append(loss) }
    }
}

/// What a repair is asked for.
public struct RepairOptions: Sendable {
    /// Keep what verifies of batches that aren't whole.
    public var keepsPartial = false
    /// Leave out batches behind this number.
    public var upToSequence: SequenceNumber?
    /// Leave out batches that were committed after this time, in milliseconds since 1970.
    public var upToTime: UInt64?
    /// Which store, where files of several are mixed; nil: the one that most of the files are of.
    public var storeID: StoreID?

    /// All that verifies, of the store that most of the files are of.
    public init() {}
}
