internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Synchronization

/// What readers hold of a store: its index, the files that the index points into, the records that aren't in a file
/// yet, and the time by which keys expire.
///
/// The log fills the image of a store that is open here. A read-only store fills one from the files that another
/// process writes. Readers need neither, and an image outlives both.
final class StoreImage: Sendable {
    let directory: String
    let storeID: StoreID
    let fileSystem: any FileSystem
    /// The largest value that is decompressed.
    let maximumValueBytes: Int
    let index: VersionedIndex
    let segments: SegmentTable
    /// The two commits that the log fills and writes in turn; none in a read-only store. Guarded by the index's lock,
    /// which is the log's.
    let commits: [CommitBuffer]
    /// Records before this address are in their files.
    let unwrittenFrom: Atomic<UInt64>
    private let clock: any StoreClock
    private let time: StoreTime
    /// From then on, reads are refused.
    private let closed = Atomic(false)

    /// - Parameters:
    ///   - configuration: Its file system is bound to the directory.
    ///   - newestTime: The time of the newest commit, in milliseconds since 1970.
    ///   - commits: None if everything is in the files.
    init(
        directory: String, storeID: StoreID, configuration: Store.Configuration, index: VersionedIndex,
        segments: SegmentTable, newestTime: UInt64, commits: [CommitBuffer]
    ) {
        self.directory = directory
        self.storeID = storeID
        fileSystem = configuration.fileSystem
        maximumValueBytes = configuration.maximumValueBytes
        clock = configuration.clock
        self.index = index
        self.segments = segments
        self.commits = commits
        time = StoreTime(newest: newestTime, configuration.clock)
        unwrittenFrom = Atomic(commits.isEmpty ? .max : segments.endAddress)
    }

    // MARK: - Time

    /// The store's time. See `StoreTime`.
    var now: Timestamp { Timestamp(milliseconds: time.now(clock)) }

    /// Ensures that the store's time doesn't go back below that of a commit that was read.
    func noteTime(_ milliseconds: UInt64) { time.note(milliseconds) }

    /// How far the store's time is ahead of the wall clock.
    var timeAhead: Duration {
        let (now, wall) = (now.milliseconds, clock.now().milliseconds)
        return .milliseconds(Int64(clamping: now - min(now, wall)))
    }

    // MARK: - The end

    /// Whether the store is closed, or is being closed.
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    func close() { closed.store(true, ordering: .releasing) }

    // MARK: - Files

    /// Whether a record may not be in its file yet.
    @inline(__always)
    func mayBePending(_ location: RecordLocation) -> Bool {
        location.address >= unwrittenFrom.load(ordering: .acquiring)
    }

    /// A copy of a record that isn't in its file yet; nil if it is in its file.
    @inline(__always)
    func pendingRecord(at location: RecordLocation) -> [UInt8]? {
        mayBePending(location) ? copyOfPending(location) : nil
    }

    @inline(never)
    private func copyOfPending(_ location: RecordLocation) -> [UInt8]? {
        index.withLock {
            for commit in commits {
                if let segment = commit.segment, location.address >= segment.baseAddress,
                    let bytes = commit.copy(
                        at: (location.address - segment.baseAddress) << 3, length: location.lengthBound)
                {
                    return bytes
                }
            }
            return nil
        }
    }
}
