package import HeartwoodFiles
package import HeartwoodFormat

/// The content of a store, or of one of its files, found by reading the files alone.
package struct StoreSurvey: Sendable {
    /// The path that was examined.
    package var path: String
    package var verdict: Verdict
    /// Everything that is wrong or worth knowing, in the order of the files and of the offsets in them.
    package var findings: [Finding]
    /// The store's identity; nil if no file tells it.
    package var storeID: StoreID?
    /// The process that the lock file names; it may have ended. nil if the file names none.
    package var holder: Int32?
    /// How the newest log segment ends; nil if there is no segment.
    package var end: LogState?
    /// The files: first those that a snapshot replaced, then the snapshot and the log in the order in which an opening
    /// reads them, then the rest.
    package var files: [FileSurvey]
    /// Names in the directory that are not Heartwood's.
    package var others: [String] = []
    /// Totals of all files that count.
    package var totals = SurveyTotals()
    /// The time by which expiry is judged, in milliseconds since 1970. Like at an opening, it is the clock's time, or
    /// the time of the newest commit if that is later.
    package var now: UInt64 = 0
    /// How far that is ahead of the clock, in milliseconds.
    package var timeAhead: UInt64 = 0

    /// Whether an opening would succeed.
    package var opens: Bool { !findings.contains(where: \.refusesOpening) }

    /// How a log ends.
    package enum LogState: String, Sendable {
        /// It was closed in order.
        case closed
        /// It was not closed: it is in use, or was left by a crash. Every commit is whole.
        case unclosed
        /// It was torn by a crash.
        case torn
    }
}

/// The content of one file.
package struct FileSurvey: Sendable {
    package var name: String
    package var path: String
    package var role: StoreFiles.Role
    /// Whether it is a log segment or a snapshot; nil if neither the header nor the name tells.
    package var kind: FileHeader.Kind?
    package var size: UInt64
    /// Its header, rebuilt if it was damaged; nil if it could not be rebuilt.
    package var header: FileHeader?
    package var isHeaderDamaged = false
    /// Whether the file counts: its records belong to the store's content. They are read by an opening, or would be if
    /// nothing were damaged.
    package var counts = false
    /// The sequence numbers of its batches; for a snapshot, all numbers up to its own.
    package var sequences: ClosedRange<SequenceNumber>?
    /// When its commits were written, in milliseconds since 1970; for a snapshot, when it was created.
    package var times: ClosedRange<UInt64>?
    /// Commits, without sync marks.
    package var commits: UInt64 = 0
    package var marks: UInt64 = 0
    package var batches: UInt64 = 0
    package var records = RecordCounts()
    package var bytes = ByteCounts()
    /// What its bytes are, for parts of equal length, in the order of the file. The number of parts is the `cells`
    /// argument of the survey.
    package var map: [ByteCounts] = []
    /// The end of this file as the next file records it, in bytes; nil if no file records it.
    package var recordedEnd: UInt64?
    /// The end of the last commit that an opening reads, in bytes; for a snapshot, the start of its key section.
    package var end: UInt64 = 0
    /// Bytes that an opening skips, as after a crash.
    package var torn: Range<UInt64>?
    package var damagedParts: [Range<UInt64>] = []
    package var details = RecordDetails()

    /// How many bytes of the file each part of the map represents. The last parts may be empty.
    package var mapWidth: UInt64 { FileMap.width(size: size, count: map.count) }
}

/// Numbers of records, by what they do.
package struct RecordCounts: Sendable, Hashable {
    package var puts: UInt64 = 0
    package var expiringPuts: UInt64 = 0
    package var deletes: UInt64 = 0
    /// Records that a reader may skip; at present, batches that a repair could not recover.
    package var optional: UInt64 = 0

    package var all: UInt64 { puts + expiringPuts + deletes + optional }
}

/// What the bytes of a file, or of a part of it, are. The sum is its length.
package struct ByteCounts: Sendable, Hashable {
    /// Records that are the newest of their key and have not expired.
    package var live: UInt64 = 0
    /// Other records: overwritten, deleted, expired, or in a file that does not count.
    package var dead: UInt64 = 0
    /// Overhead of the format: headers of files and commits, sync marks and gaps, keys of snapshots.
    package var format: UInt64 = 0
    /// Bytes that were never known to be durable, as after a crash.
    package var torn: UInt64 = 0
    /// Bytes that verified once and no longer do.
    package var corrupt: UInt64 = 0
    /// Preallocated space for later commits. It is zero.
    package var free: UInt64 = 0

    package var all: UInt64 { live + dead + format + torn + corrupt + free }
}

/// Totals of the files that count.
package struct SurveyTotals: Sendable {
    /// Keys of the store; approximate if `isEstimated`.
    package var keys: UInt64 = 0
    /// Whether keys, live bytes and dead bytes are estimated from a sample, because there are too many keys for memory.
    package var isEstimated = false
    /// The share of the keys that was followed, from 0 to 1.
    package var sampledShare = 1.0
    /// What all bytes are, including those of files that do not count.
    package var bytes = ByteCounts()
    package var records = RecordCounts()
    /// Commits, without sync marks.
    package var commits: UInt64 = 0
    package var batches: UInt64 = 0
    /// The newest sequence number; 0 if there is none.
    package var lastSequence: SequenceNumber = 0
    /// Bytes of the keys of all records.
    package var keyBytes: UInt64 = 0
    /// Bytes of the values of all records, as stored.
    package var valueBytes: UInt64 = 0
    package var compressedRecords: UInt64 = 0
    /// Bytes of the compressed values, as stored.
    package var compressedBytes: UInt64 = 0
    /// Bytes of the compressed values before compression.
    package var inflatedBytes: UInt64 = 0
    /// How many records have keys of 1, 2 to 3, 4 to 7, … bytes.
    package var keySizes = PowerHistogram()
    /// How many records have values (as stored) of 0, 1, 2 to 3, 4 to 7, … bytes.
    package var valueSizes = PowerHistogram()
    package var largestKeys: [LargeRecord] = []
    package var largestValues: [LargeRecord] = []
    /// The live keys by prefix; nil if that wasn't asked for.
    package var prefixes: PrefixSurvey?
    package var expiring: UInt64 = 0
    /// Records that are the newest of their key but have expired.
    package var expired: UInt64 = 0
    /// When the first and the last of the live records expire, in milliseconds since 1970; nil if none expires.
    package var expiry: ClosedRange<UInt64>?
    /// What was committed, by time.
    package var timeline = Timeline()
    /// Approximate size of the files after a compaction, in bytes.
    package var compactedBytes: UInt64 = 0

    /// Size of the files that a compaction would replace, in bytes, without preallocated space.
    package var replaceableBytes: UInt64 = 0

    /// Approximate number of bytes that a compaction would free.
    package var compactionGain: UInt64 { replaceableBytes - min(replaceableBytes, compactedBytes) }
}

/// One of the largest records.
package struct LargeRecord: Sendable, Hashable {
    package var key: [UInt8]
    /// Bytes of the value as stored.
    package var valueBytes: UInt64
    /// Nil if it isn't followed.
    package var sequence: SequenceNumber?
    /// The name of its file, without the directory.
    package var file: String
    package var offset: UInt64
}

/// Counts by powers of two. Bucket 0 counts zeros; bucket n counts the numbers from 2^(n-1) to 2^n - 1.
package struct PowerHistogram: Sendable, Hashable {
    /// The counts, up to the last one that is not zero.
    package private(set) var counts: [UInt64] = []

    package init() {}

    mutating func add(_ number: UInt64) {
        let bucket = UInt64.bitWidth - number.leadingZeroBitCount
        while counts.count <= bucket { counts.append(0) }
        counts[bucket] += 1
    }
}

/// What was committed in each of many time spans of equal length. The length doubles as the total time grows.
package struct Timeline: Sendable, Hashable {
    package struct Span: Sendable, Hashable {
        package var commits: UInt64 = 0
        package var records: UInt64 = 0
        package var bytes: UInt64 = 0
    }

    /// The start of the first span, in milliseconds since 1970.
    package private(set) var start: UInt64 = 0
    /// The length of each span, in milliseconds.
    package private(set) var width: UInt64 = 1_000
    /// The spans in order, including those in which nothing was committed.
    package private(set) var spans: [Span] = []

    private static let most = 256

    package init() {}

    /// Times never decrease in a store. A time that does counts for the first span.
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
