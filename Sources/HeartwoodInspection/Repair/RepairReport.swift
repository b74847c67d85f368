public import HeartwoodFiles
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
        /// Whether a batch was given each of these numbers. Otherwise batches were given those from the first one on, up to
        /// an unknown last one, and perhaps none: numbers jump at an opening after a crash.
        public var isExact = true
        /// Whether what is lost was provably there and durable. Otherwise it may never have been: the tail of a crash, or
        /// what a damaged place leaves open.
        public var isProven = true
        /// Keys concerned, as far as they are known: no more than a few.
        public var keys: [[UInt8]] = []
        /// What stands where a key was, in records that are damaged: perhaps the key.
        public var perhapsKeys: [[UInt8]] = []
        /// Where in the order of keys the lost records of a snapshot lay; nil where it is not about keys.
        public var keyRange: KeyGap?
        /// What was wrong with the bytes.
        public var cause: FormatError?

        static let impossible = "its numbers are beyond those that a store comes to, so no store wrote it"
    }

    /// A part of the keys, between two of them.
    public struct KeyGap: Sendable, Hashable {
        /// The keys are greater than this one; nil: from the first key on.
        public var lower: [UInt8]?
        /// The keys are less than this one; nil: to the last key.
        public var upper: [UInt8]?

        /// Whether a key lies in it. O(length of the key).
        public func contains(_ key: some Collection<UInt8>) -> Bool {
            if let lower, !lower.lexicographicallyPrecedes(key) { return false }
            if let upper, !key.lexicographicallyPrecedes(upper) { return false }
            return true
        }
    }

    /// How much of what was ever written is accounted for: brought back, or listed as lost.
    public enum Certainty: Sendable, Hashable {
        /// All of it is brought back, up to the end of a log that was closed in order.
        case complete
        /// All that was provably durable is brought back. The files cannot tell whether anything was written after this
        /// place: the log was not closed in order there, or a header is damaged that would tell.
        case unknownAfter(file: String, offset: UInt64)
        /// Something that was durable is lost; `losses` lists it.
        case incomplete
    }

    /// A file that was looked at.
    public struct Source: Sendable {
        /// What becomes of it.
        public enum Use: String, Sendable {
            /// What verifies in it, and isn't in a newer snapshot, is in the new store.
            case used
            /// As `used`; but nothing tells its numbers, as its header and those of its commits are damaged: they are those
            /// of its name.
            case numberedByName
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

    /// How much of what was ever written is accounted for.
    public internal(set) var certainty = Certainty.complete
    /// Losses that are not listed, because there are too many.
    public internal(set) var lossesNotListed: UInt64 = 0

    /// Whether the files prove that everything that was written is brought back.
    public var isComplete: Bool { certainty == .complete }

    private var hasProvenLoss = false
    private static let mostLosses = 10_000

    mutating func note(_ file: DataFile, _ use: Source.Use) {
        sources.append(
            Source(name: file.name, use: use, storeID: file.header?.storeID, kind: file.kind, size: file.size))
    }

    mutating func add(_ loss: Loss) {
        // A part of a large store may be gone in very many places; so many are enough to see that.
        if losses.count < Self.mostLosses { losses.append(loss) } else { lossesNotListed += 1 }
        if loss.isProven { hasProvenLoss = true }
    }

    /// Draws the conclusion from the losses, and from where the log ends.
    ///
    /// - Parameters:
    ///   - end: The place after which the log does not tell whether more was written; nil where it was closed.
    ///   - unreadable: A file of which nothing verifies, or one of another store in the place of one of this store's.
    mutating func judge(end: (file: String, offset: UInt64)?, unreadable: String?) {
        let open =
            losses.first { !$0.isProven }.flatMap { loss in loss.file.map { ($0, loss.offset ?? 0) } }
            ?? unreadable.map { ($0, 0) } ?? end
        if hasProvenLoss {
            certainty = .incomplete
        } else if let open {
            certainty = .unknownAfter(file: open.0, offset: open.1)
        } else {
            certainty = .complete
        }
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
