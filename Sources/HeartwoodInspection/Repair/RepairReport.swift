public import HeartwoodFiles
package import HeartwoodFormat

/// What a repair does, or would do, and what it can't recover.
public struct RepairReport: Sendable {
    /// Something that is lost or was left out, and where it was.
    public struct Loss: Sendable {
        /// A description, as a clause.
        public var what: String
        /// The file that it was in; nil if that file is missing.
        package var file: String?
        package var offset: UInt64?
        package var length: UInt64 = 0
        /// The sequence numbers of the lost batches.
        public var sequences: ClosedRange<SequenceNumber>?
        /// Whether each of these numbers was assigned to a batch. If false, numbers were assigned from the first one up
        /// to an unknown last one, or none at all: numbers jump at an opening after a crash.
        package var isExact = true
        /// Whether the lost data provably existed and was durable. If false, it may never have existed: it may be the
        /// tail of a crash, or the damaged part leaves it open.
        package var isProven = true
        /// Some of the affected keys, as far as they are known.
        package var keys: [[UInt8]] = []
        /// Bytes from where a key was, in damaged records. They may be the key.
        package var perhapsKeys: [[UInt8]] = []
        /// The range of keys in which a snapshot lost records; nil if the loss is not about a range of keys.
        package var keyRange: KeyGap?
        /// What was wrong with the bytes; nil if that is not the reason.
        package var cause: FormatError?

        static let impossible = "its numbers are greater than those that a store assigns, so no store wrote it"
    }

    /// A range of keys between two existing keys.
    package struct KeyGap: Sendable, Hashable {
        /// All keys in the range are greater than this one; nil for no lower bound.
        package var lower: [UInt8]?
        /// All keys in the range are less than this one; nil for no upper bound.
        package var upper: [UInt8]?

        /// Whether the range contains a key. O(length of the key).
        package func contains(_ key: some Collection<UInt8>) -> Bool {
            if let lower, !lower.lexicographicallyPrecedes(key) { return false }
            if let upper, !key.lexicographicallyPrecedes(upper) { return false }
            return true
        }
    }

    /// How much of everything ever written is accounted for: recovered, or listed as lost.
    package enum Certainty: Sendable, Hashable {
        /// Everything is recovered, up to the end of a log that was closed in order.
        case complete
        /// Everything that was provably durable is recovered. The files can't tell whether anything was written after
        /// this location: the log was not closed in order there, or a header that would tell is damaged.
        case unknownAfter(file: String, offset: UInt64)
        /// Some durable data is lost; `losses` lists it.
        case incomplete
    }

    package struct Source: Sendable {
        package enum Use: String, Sendable {
            /// The data in it that verifies, and that no newer snapshot contains, is in the new store.
            case used
            /// Like `used`, but the sequence numbers come from its name: its header and those of its commits are
            /// damaged, so nothing else tells them.
            case numberedByName
            /// A snapshot that is used contains all of it.
            case covered
            /// It belongs to another store.
            case foreign
            /// It belongs to another history of the store: another file has the same sequence numbers.
            case otherHistory
            /// Nothing in it verifies.
            case unreadable
            /// It was never finished, and is not needed.
            case leftOver
        }
        package var name: String
        package var use: Use
        /// The store that it belongs to; nil if its header does not tell.
        package var storeID: StoreID?
        /// Whether it is a log segment or a snapshot; nil if unknown.
        package var kind: FileHeader.Kind?
        package var size: UInt64
    }

    package var sources: [Source] = []
    /// The losses, in the order of their sequence numbers if they have any.
    public var losses: [Loss] = []
    /// The store that is repaired; nil if no file tells.
    package var storeID: StoreID?
    /// The new store begins with a snapshot up to this sequence number; nil if it has no snapshot.
    package var snapshotSequence: SequenceNumber?
    /// How many keys that snapshot has.
    package var snapshotKeys: UInt64 = 0
    /// How many keys have an older value, because their record in a damaged snapshot is lost.
    package var olderValues: UInt64 = 0
    /// Batches after the snapshot that are in the new store.
    package var batches: UInt64 = 0
    package var records: UInt64 = 0
    /// Batches of which only a part is in the new store (``RepairOptions/keepsPartial``).
    package var partialBatches: UInt64 = 0
    /// Batches that were left out, although a part of them was found.
    package var batchesLeftOut: UInt64 = 0
    /// Whole batches after a tear that are in the new store. Opening the old store would skip them.
    package var batchesBehindTear: UInt64 = 0
    /// The newest sequence number in the new store; 0 if there is none.
    public var lastSequence: SequenceNumber = 0
    /// The newest sequence number that any file mentions.
    package var highestSequence: SequenceNumber = 0
    /// When the newest commit was written. Records that had expired by then stay expired.
    var newestTime: UInt64 = 0
    /// Total size of the new store's files, in bytes.
    package var bytes: UInt64 = 0
    /// The directory of the new store; nil for a plan.
    public var output: String?
    /// The directory that the old files were moved to; nil unless the repair was in place.
    public var movedTo: String?

    /// How much of everything ever written is accounted for.
    package internal(set) var certainty = Certainty.complete
    /// How many losses are not listed, because there are too many.
    package internal(set) var lossesNotListed: UInt64 = 0

    /// Whether the files prove that everything ever written is recovered.
    public var isComplete: Bool { certainty == .complete }

    private var hasProvenLoss = false
    private static let mostLosses = 10_000

    mutating func note(_ file: DataFile, _ use: Source.Use) {
        sources.append(
            Source(name: file.name, use: use, storeID: file.header?.storeID, kind: file.kind, size: file.size))
    }

    mutating func add(_ loss: Loss) {
        // A large store may have lost data in very many places. A limited list is enough to show that.
        if losses.count < Self.mostLosses { losses.append(loss) } else { lossesNotListed += 1 }
        if loss.isProven { hasProvenLoss = true }
    }

    /// Sets ``certainty`` from the losses, and from where the log ends.
    ///
    /// - Parameters:
    ///   - end: The location after which the log does not tell whether more was written; nil if it was closed.
    ///   - unreadable: A file of which nothing verifies, or a file of another store with a name of this store's files.
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

/// Options for a repair.
public struct RepairOptions: Sendable {
    /// Whether to keep the records that verify from batches that are not whole.
    public var keepsPartial = false
    /// Leaves out batches after this sequence number; nil for no limit.
    public var upToSequence: SequenceNumber?
    /// Leaves out batches that were committed after this time, in milliseconds since 1970; nil for no limit.
    public var upToTime: UInt64?
    /// The store to repair, if files of several stores are mixed; nil for the store that most files belong to.
    package var storeID: StoreID?

    /// Recovers everything that verifies, of the store that most files belong to.
    public init() {}
}
