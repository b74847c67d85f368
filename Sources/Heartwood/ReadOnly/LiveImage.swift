internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat
internal import Synchronization

/// A store as its files have it, read without the lock, and without writing, while another process may write them.
///
/// It has an index of its own. All records are in the files, which stay open: what compaction deletes stays readable.
struct LiveImage {
    let image: StoreImage
    /// The snapshot that it began with; nil if there was none.
    let snapshot: SnapshotDescription?
    private let level: ChangeLevel
    private var scout: LogScout
    private var walk: CommitWalk
    /// The addresses of the walk's segment.
    private var segment: Segment?
    /// The last write that it shows.
    private(set) var sequence: SequenceNumber
    private var address = RecordLocation.address(extent: RecordLocation.firstLogExtent, offset: 0) - 1

    /// The identity of a store that has no write yet.
    static var noStore: StoreID { StoreID(low: 0, high: 0) }

    /// How often files that a compaction replaces while they are read are looked for again.
    private static var attempts: Int { 50 }

    /// Reads the newest snapshot's keys and the log after it. O(keys + bytes of log).
    ///
    /// - Throws: As an opening of the store, except what concerns the lock.
    static func read(
        _ path: String, _ level: ChangeLevel, _ configuration: Store.Configuration
    ) throws(StoreError) -> LiveImage {
        var attempt = 0
        while true {
            attempt += 1
            do throws(StoreError) {
                return try LiveImage(path, level, configuration)
            } catch {
                guard error.code == .positionUnavailable, attempt < attempts else { throw error }
            }
        }
    }

    private init(_ path: String, _ level: ChangeLevel, _ configuration: Store.Configuration) throws(StoreError) {
        let (snapshot, storeID) = try Self.choose(path, in: configuration.fileSystem)
        let (index, segments) = (VersionedIndex(), SegmentTable(configuration.valueReading))
        sequence = snapshot?.end.lastSequence ?? 0
        let directory = LogDirectory(path: path, storeID: storeID, fileSystem: configuration.fileSystem)
        self.level = level
        scout = LogScout(directory)
        walk = CommitWalk(directory, from: sequence + 1)
        self.snapshot = snapshot.map { SnapshotDescription($0) }
        image = StoreImage(
            directory: path, storeID: storeID, configuration: configuration, index: index, segments: segments,
            newestTime: snapshot?.header.creationTime ?? 0, commits: [])
        if let snapshot { try load(snapshot) }
        var collector = RecordCollector(index)
        try readOn { (live, commit, base) in
            commit.forEachVersion(base: base) { collector.add($0, $1) }
        }
        collector.finish()
        index.publish(address, sequence)
    }

    /// A file system that is bound to the store's directory.
    static func bound(_ fileSystem: any FileSystem, to path: String) throws(StoreError) -> any FileSystem {
        try reading(path) { () throws(FileSystemError) in
            guard try fileSystem.kind(of: path) == .directory else { throw FileSystemError.missing(path) }
            return try fileSystem.bound(to: path)
        }
    }

    /// The snapshot to start with, and the identity of the store.
    private static func choose(
        _ path: String, in fileSystem: any FileSystem
    ) throws(StoreError) -> (SnapshotFile?, StoreID) {
        try reading(path) { () throws(FileSystemError) in
            let listing = try StoreListing(path, in: fileSystem)
            return try choose(StoreFiles(listing, .opening), of: listing)
        }.get()
    }

    private static func reading<R>(
        _ path: String, _ body: () throws(FileSystemError) -> R
    ) throws(StoreError) -> R {
        do throws(FileSystemError) {
            return try body()
        } catch {
            if error.isNotFound { throw .noStoreToRead(path) }
            throw StoreError(error, "the store's files could not be read")
        }
    }

    private static func choose(
        _ files: StoreFiles, of listing: StoreListing
    ) throws(FileSystemError) -> Result<(SnapshotFile?, StoreID), StoreError> {
        if let refusal = files.refusal { return .failure(StoreError(refusal)) }
        guard let storeID = files.storeID else {
            // A store that was opened, and has no write yet, has only a lock file.
            guard listing.entries.contains(where: { $0.meaning == .lock }) else {
                return .failure(.noStoreToRead(listing.path))
            }
            return .success((nil, noStore))
        }
        guard let member = files.members.first(where: { $0.role == .snapshot }) else { return .success((nil, storeID)) }
        return try SnapshotFile.open(member.file).map { ($0, storeID) }
            .mapError { StoreError($0, member.file.path) }
    }

    private func load(_ snapshot: SnapshotFile) throws(StoreError) {
        let segment = image.segments.add(snapshot.header, file: snapshot.file, path: snapshot.path, bytes: 0)
        image.segments.seal(segment)
        try SnapshotLoader(
            snapshot: snapshot, segment: segment, segments: image.segments, index: image.index, progress: { _ in }
        ).load()
    }

    /// Shows what was written since. O(bytes written since).
    ///
    /// - Returns: False if compaction has replaced files that it has open: then the store must be read again.
    mutating func advance() throws(StoreError) -> Bool {
        guard image.storeID != Self.noStore,
            image.segments.all.allSatisfy({ (try? $0.file.isLinked()) ?? true })
        else { return false }
        do throws(StoreError) {
            try readOn { (live, commit, base) in live.apply(commit, base: base) }
        } catch {
            guard error.code == .positionUnavailable else { throw error }
            return false
        }
        image.index.publish(address, sequence)
        return true
    }

    /// Closes the files. Readers find a closed store.
    mutating func close() {
        image.close()
        try? image.segments.closeAll()
        // These have files open, too.
        (scout, walk) = (LogScout(scout.log), CommitWalk(walk.log, from: walk.start))
        image.fileSystem.unbind()
    }

    /// Calls `body` with each commit that may be shown and wasn't yet, and the address at which its file begins.
    private mutating func readOn(
        _ body: (borrowing LiveImage, ScannedCommit, UInt64) -> Void
    ) throws(StoreError) {
        let limit = try scout.look(level)
        while true {
            switch try walk.next(upTo: limit) {
            case .end: return
            case .lost(let numbers): sequence = numbers.upperBound
            case .commit:
                let segment = segmentOfCommit()
                image.segments.extend(segment, to: walk.commit.end)
                body(self, walk.commit, segment.baseAddress)
                image.noteTime(walk.commit.header.time)
                address = segment.baseAddress + walk.commit.end >> 3 - 1
                sequence = max(sequence, walk.commit.nextSequence - 1)
            }
        }
    }

    private mutating func segmentOfCommit() -> Segment {
        let current = walk.segment!
        if let segment, segment.header.salt == current.header.salt { return segment }
        if let segment { image.segments.seal(segment) }
        let added = image.segments.add(current.header, file: current.file, path: current.path, bytes: 0)
        segment = added
        return added
    }

    /// Adds the records of a commit to the index. Readers don't see them yet.
    private func apply(_ commit: ScannedCommit, base: UInt64) {
        let addresses = base + commit.records[0].offset >> 3...base + commit.end >> 3 - 1
        image.index.apply(
            sequence: commit.nextSequence - 1, addresses: addresses, count: commit.records.count, publish: false
        ) { writer in
            commit.forEachVersion(base: base) { writer.add(key: $0, version: $1) }
        }
    }
}

extension FileSystemError {
    fileprivate static func missing(_ path: String) -> FileSystemError {
        FileSystemError(operation: .status, path: path, code: ErrorNumber.ENOENT)
    }
}

extension StoreError {
    /// There is no store at a path that was to be read.
    static func noStoreToRead(_ path: String) -> StoreError {
        StoreError(.notFound, "there is no store here: check the path", file: path)
    }

    /// A store without a write has no identity, and so no position.
    static func nothingToFollow(_ path: String) -> StoreError {
        StoreError(
            .positionUnavailable,
            "the store has no write yet, and so no identity: refresh it, and follow when it has one", file: path)
    }
}
