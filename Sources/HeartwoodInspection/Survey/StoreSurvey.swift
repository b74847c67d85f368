public import HeartwoodFiles
public import HeartwoodFormat

/// What a store, or one of its files, holds: made from the files alone.
public struct StoreSurvey: Sendable {
    /// What was looked at.
    public var path: String
    /// What it is worth on the whole.
    public var verdict: Verdict
    /// All that is not as it should be, and what is worth knowing; in the order of the files, and of the places in them.
    public var findings: [Finding]
    /// The store's identity; nil where no file tells it.
    public var storeID: StoreID?
    /// The process that the lock's file names; it may have ended.
    public var holder: Int32?
    /// How the newest log segment ends; nil where there is none.
    public var end: LogState?
    /// The files, in the order in which an opening would read them; those that it wouldn't read come last.
    public var files: [FileSurvey]
    /// Names in the directory that aren't Heartwood's.
    public var others: [String] = []
    /// Figures of all files that count together.
    public var totals = SurveyTotals()
    /// The time by which expiry is judged, in milliseconds since 1970: as an opening does it, the clock's, or that of the
    /// newest commit if it is later.
    public var now: UInt64 = 0

    /// Whether an opening would succeed.
    public var opens: Bool { !findings.contains(where: \.refusesOpening) }

    /// How a log ends.
    public enum LogState: String, Sendable {
        /// Closed in order.
        case closed
        /// Not closed: in use, or left by a crash; every commit is whole.
        case unclosed
        /// Torn by a crash.
        case torn
    }
}

/// What one file holds.
public struct FileSurvey: Sendable {
    /// What a file is to the store.
    public enum Role: String, Sendable {
        /// The snapshot that an opening begins with.
        case snapshot
        /// A log segment that counts.
        case log
        /// A log segment that the snapshot covers.
        case covered
        /// An older snapshot.
        case olderSnapshot
        /// A snapshot that is damaged, and not read.
        case damagedSnapshot
        /// In preparation, or left over from an interruption.
        case temporary
        /// Of another store.
        case foreign
        /// A store's file under a name that no store gives.
        case renamed
    }

    /// The file's name, without its directory.
    public var name: String
    /// Its path.
    public var path: String
    /// What it is to the store.
    public var role: Role
    /// nil where neither the header nor the name tells.
    public var kind: FileHeader.Kind?
    /// Size in bytes.
    public var size: UInt64
    /// Its header; put together again where it was damaged, nil where that could not be done.
    public var header: FileHeader?
    /// Whether the header was damaged.
    public var isHeaderDamaged = false
    /// Whether its records are what the store holds: those that an opening reads, or would if nothing were damaged.
    public var counts = false
    /// The numbers of the batches that it holds; of a snapshot all up to its own.
    public var sequences: ClosedRange<SequenceNumber>?
    /// When its commits were written, in milliseconds since 1970.
    public var times: ClosedRange<UInt64>?
    /// Commits, marks not counted.
    public var commits: UInt64 = 0
    /// Marks.
    public var marks: UInt64 = 0
    /// Batches: sequence numbers.
    public var batches: UInt64 = 0
    /// Records by what they do.
    public var records = RecordCounts()
    /// What its bytes are.
    public var bytes = ByteCounts()
    /// The same for parts of equal length, in the order of the file: so many as `cells` has.
    public var map: [ByteCounts] = []
    /// Where the next file says that this one ends.
    public var recordedEnd: UInt64?
    /// Where the last commit ends that an opening reads; of a snapshot the start of its keys.
    public var end: UInt64 = 0
    /// Bytes that are passed over, as after a crash.
    public var torn: Range<UInt64>?
    /// Parts that don't verify.
    public var damagedParts: [Range<UInt64>] = []
    /// Records one by one, where the survey was asked for them.
    public var details = RecordDetails()

    /// How many bytes of the file each part of the map stands for; the last ones may be empty.
    public var mapWidth: UInt64 { FileMap.width(size: size, count: map.count) }
}

/// Numbers of records by what they do.
public struct RecordCounts: Sendable, Hashable {
    /// Puts without expiry.
    public var puts: UInt64 = 0
    /// Puts with expiry.
    public var expiringPuts: UInt64 = 0
    /// Deletes.
    public var deletes: UInt64 = 0
    /// What may be passed over; so far batches that a repair could not bring back.
    public var optional: UInt64 = 0

    /// All of them.
    public var all: UInt64 { puts + expiringPuts + deletes + optional }
}

/// What the bytes of a file, or of a part of it, are; they add up to its length.
public struct ByteCounts: Sendable, Hashable {
    /// Records that are the newest of their key, and haven't expired.
    public var live: UInt64 = 0
    /// Records that are not: overwritten, deleted, expired, and all of a file that doesn't count any more.
    public var dead: UInt64 = 0
    /// What the format takes: headers of files and commits, marks and gaps, keys of snapshots.
    public var format: UInt64 = 0
    /// What was never known to be durable, as after a crash.
    public var torn: UInt64 = 0
    /// What doesn't verify and did once.
    public var corrupt: UInt64 = 0
    /// Room that was laid for later commits, and zero.
    public var free: UInt64 = 0

    /// All of them.
    public var all: UInt64 { live + dead + format + torn + corrupt + free }
}

/// Figures of the files that count, together.
public struct SurveyTotals: Sendable {
    /// Keys that are there. About so many, where `isEstimated`.
    public var keys: UInt64 = 0
    /// Whether keys, live and dead bytes are estimated from a part of the keys, as there are too many to keep in mind.
    public var isEstimated = false
    /// How large a part of the keys was followed, from 0 to 1.
    public var sampledShare = 1.0
    /// What all bytes are, of the files that don't count too.
    public var bytes = ByteCounts()
    /// Records by what they do.
    public var records = RecordCounts()
    /// Commits, marks not counted.
    public var commits: UInt64 = 0
    /// Batches in the log.
    public var batches: UInt64 = 0
    /// The newest sequence number; 0 where there is none.
    public var lastSequence: SequenceNumber = 0
    /// Bytes of keys, of all records.
    public var keyBytes: UInt64 = 0
    /// Bytes of values as stored, of all records.
    public var valueBytes: UInt64 = 0
    /// Records whose value is compressed.
    public var compressedRecords: UInt64 = 0
    /// Bytes of compressed values as stored.
    public var compressedBytes: UInt64 = 0
    /// Bytes of compressed values as they were given.
    public var inflatedBytes: UInt64 = 0
    /// How many records have keys of 1, 2 to 3, 4 to 7, … bytes.
    public var keySizes = PowerHistogram()
    /// How many records have values (as stored) of 0, 1, 2 to 3, 4 to 7, … bytes.
    public var valueSizes = PowerHistogram()
    /// The records with the longest keys.
    public var largestKeys: [LargeRecord] = []
    /// The records with the longest values.
    public var largestValues: [LargeRecord] = []
    /// Live records that expire, and of them those whose time is over.
    public var expiring: UInt64 = 0
    /// Newest records of their keys whose time is over.
    public var expired: UInt64 = 0
    /// When the next, and the last, of the live records expires, in milliseconds since 1970.
    public var expiry: ClosedRange<UInt64>?
    /// What was committed when.
    public var timeline = Timeline()
    /// What the files would take after a compaction, in bytes; about so much.
    public var compactedBytes: UInt64 = 0

    /// What the files take that a compaction would replace, in bytes; room that was laid ahead is not counted.
    public var replaceableBytes: UInt64 = 0

    /// What compaction would give back, in bytes; about so much.
    public var compactionGain: UInt64 { replaceableBytes - min(replaceableBytes, compactedBytes) }
}

/// A record that is larger than most.
public struct LargeRecord: Sendable, Hashable {
    /// Its key.
    public var key: [UInt8]
    /// Bytes of the value as stored.
    public var valueBytes: UInt64
    /// Its sequence number.
    public var sequence: SequenceNumber
    /// The file that it is in.
    public var file: String
    /// Where it is.
    public var offset: UInt64
}

/// Counts by powers of two: bucket 0 counts zeros, bucket n the numbers from 2^(n-1) to 2^n - 1.
public struct PowerHistogram: Sendable, Hashable {
    /// The counts, up to the last one that isn't zero.
    public private(set) var counts: [UInt64] = []

    /// Nothing counted.
    public init() {}

    mutating func add(_ number: UInt64) {
        let bucket = UInt64.bitWidth - number.leadingZeroBitCount
        while counts.count <= bucket { counts.append(0) }
        counts[bucket] += 1
    }
}

/// What was committed in each of many spans of time, of the same length; that doubles as the time grows.
public struct Timeline: Sendable, Hashable {
    /// What was committed in one of them.
    public struct Span: Sendable, Hashable {
        /// Commits.
        public var commits: UInt64 = 0
        /// Records.
        public var records: UInt64 = 0
        /// Bytes of log.
        public var bytes: UInt64 = 0
    }

    /// When the first one begins, in milliseconds since 1970.
    public private(set) var start: UInt64 = 0
    /// How long each is, in milliseconds.
    public private(set) var width: UInt64 = 1_000
    /// In order, those in which nothing was committed too.
    public private(set) var spans: [Span] = []

    private static let most = 256

    /// Nothing committed.
    public init() {}

    /// Times never go back in a store; a time that does counts for the first span.
    mutating func add(_ time: UInt64, records: UInt64, bytes: UInt64) {
        if spans.isEmpty { start = time - time % width }
        let since = time - min(time, start)
        while since / width >= UInt64(Self.most) { halve() }
        let index = Int(since / width)
        while spans.count <= index { spans.append(Span()) }
        spans[index].commits += 1
        spans[index].records += records
        spans[index].bytes += bytes
    }

    private mutating func halve() {
        width *= 2
        var half: [Span] = []
        for index in stride(from: 0, to: spans.count, by: 2) {
            var span = spans[index]
            if index + 1 < spans.count {
                span.commits += spans[index + 1].commits
                span.records += spans[index + 1].records
                span.bytes += spans[index + 1].bytes
            }
            half.append(span)
        }
        spans = half
    }
}
