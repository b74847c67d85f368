internal import HeartwoodFiles
internal import HeartwoodFormat

/// The result of a compaction.
public struct CompactionReport: Sendable, Hashable {
    /// The snapshot that was written. Nil if there was nothing to compact.
    public var snapshot: SnapshotDescription?
    /// Bytes of the files that the compaction replaced.
    public var replacedBytes: UInt64 = 0
    /// Number of files that were removed.
    public var removedFiles = 0
    /// Number of replaced files that still exist because a read pin needs them. They are removed automatically when
    /// those pins are released.
    public var pinnedFiles = 0
    /// Duration of the compaction.
    public var duration: Duration = .zero

    /// Bytes of the snapshot divided by the duration; nil if no snapshot was made.
    var bytesPerSecond: UInt64? {
        guard replacedBytes > 0, let bytes = snapshot?.bytes, duration.nanoseconds > 0 else { return nil }
        return max(1 << 20, UInt64(Double(bytes) * 1e9 / Double(duration.nanoseconds)))
    }
}

/// A snapshot: the file that holds all data that was live at one point in time, in key order.
public struct SnapshotDescription: Sendable, Hashable {
    /// The path of the file.
    public var file: String
    /// The sequence number of the last write that it includes.
    public var sequence: SequenceNumber
    /// The time at which the snapshot was taken. Keys that had expired by then are left out.
    public var time: Timestamp
    /// Number of keys.
    public var keys: Int
    /// Its size in bytes.
    public var bytes: UInt64
    /// Bytes of its records.
    let recordBytes: UInt64

    init(_ snapshot: SnapshotFile) {
        file = snapshot.path
        sequence = snapshot.end.lastSequence
        time = Timestamp(milliseconds: snapshot.header.creationTime)
        keys = Int(snapshot.footer.recordCount)
        bytes = snapshot.size
        recordBytes = snapshot.footer.keySectionOffset - UInt64(FormatConstants.fileHeaderSize)
    }
}

/// The progress of a compaction.
public struct CompactionProgress: Sendable, Hashable {
    /// The steps of a compaction, in order.
    public enum Phase: Sendable, Hashable {
        /// Writing the live data in key order.
        case writing
        /// Reading the snapshot back and verifying every checksum.
        case verifying
        /// Updating the index to the new record locations.
        case moving
    }

    /// The current step.
    public var phase: Phase
    /// Number of keys that this step has processed.
    public var keys: Int
    /// Approximate total number of keys.
    public var totalKeys: Int
    /// Bytes of the snapshot that are written so far.
    public var writtenBytes: UInt64
}
