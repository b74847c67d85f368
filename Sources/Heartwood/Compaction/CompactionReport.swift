internal import HeartwoodFiles
internal import HeartwoodFormat

/// What a compaction did.
public struct CompactionReport: Sendable, Hashable {
    /// The snapshot: its file, and everything up to which number it holds. Nil where there was nothing to compact.
    public var snapshot: SnapshotDescription?
    /// Bytes of the files that it has replaced.
    public var replacedBytes: UInt64 = 0
    /// Files that were removed.
    public var removedFiles = 0
    /// Files that it has replaced and that are still there, because somebody holds a state that reads from them. They
    /// go by themselves when those are gone.
    public var heldFiles = 0
    /// How long it took.
    public var duration: Duration = .zero

    /// Bytes of the snapshot by the time that all of it took; nil where none was made.
    var bytesPerSecond: UInt64? {
        guard replacedBytes > 0, let bytes = snapshot?.bytes, duration.nanoseconds > 0 else { return nil }
        return max(1 << 20, UInt64(Double(bytes) * 1e9 / Double(duration.nanoseconds)))
    }
}

/// A snapshot: the file that holds all that was live at a moment, in the order of keys.
public struct SnapshotDescription: Sendable, Hashable {
    /// The path.
    public var file: String
    /// It holds everything up to this number.
    public var sequence: SequenceNumber
    /// The moment: by it expiry was judged.
    public var time: Timestamp
    /// Keys in it.
    public var keys: Int
    /// Its size in bytes.
    public var bytes: UInt64

    init(_ snapshot: SnapshotFile) {
        file = snapshot.path
        sequence = snapshot.end.lastSequence
        time = Timestamp(milliseconds: snapshot.header.creationTime)
        keys = Int(snapshot.footer.recordCount)
        bytes = snapshot.size
    }
}

/// How far a compaction is.
public struct CompactionProgress: Sendable, Hashable {
    /// What it is doing.
    public enum Phase: Sendable, Hashable {
        /// Writing what is live, in the order of keys.
        case writing
        /// Reading the snapshot back and comparing every checksum.
        case verifying
        /// Telling the index where records lie now.
        case moving
    }

    /// What it is doing.
    public var phase: Phase
    /// Keys that are through with this phase.
    public var keys: Int
    /// Keys there are, about.
    public var totalKeys: Int
    /// Bytes of the snapshot that were written so far.
    public var writtenBytes: UInt64
}
