internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// What makes segments one log: all are of one store, and each names its predecessor by salt, last number and end.
enum SegmentChain {
    /// Whether segments, in the order of their first numbers, can be the log of one store.
    ///
    /// - Parameter end: The end of the log before them, which a snapshot covers; nil: they are the whole log.
    static func check(_ files: [SegmentFile], after end: FileHeader.Predecessor?) throws(StoreError) {
        try checkStoreID(files.map { ($0.path, $0.header) })
        guard let first = files.first else { return }
        if let predecessor = first.header.predecessor, predecessor != end {
            throw .corruption(
                "log segments are missing before this one: it follows another, which ends at number \(predecessor.lastSequence)",
                file: first.path, offset: 0, lost: GivenNumbers.lost(from: 1, through: predecessor.lastSequence))
        }
        if let predecessor = first.header.predecessor { try checkNumbers(first, after: predecessor) }
        for (previous, file) in zip(files, files.dropFirst()) { try check(file, after: previous) }
    }

    /// A file of another store is the one that differs from most, whether it comes first or last.
    static func checkStoreID(_ files: [(path: String, header: FileHeader)]) throws(StoreError) {
        var counts: [StoreID: Int] = [:]
        for file in files { counts[file.header.storeID, default: 0] += 1 }
        let most = counts.values.max()
        guard counts.count > 1, let own = files.first(where: { counts[$0.header.storeID] == most })?.header.storeID,
            let foreign = files.first(where: { $0.header.storeID != own })
        else { return }
        let what = foreign.header.kind == .log ? "log segment" : "snapshot"
        let all = files.contains { $0.header.kind == .snapshot } ? "files" : "segments"
        throw .corruption(
            "a \(what) belongs to another store: its id is \(foreign.header.storeID), and \(counts[own]!) of the \(files.count) \(all) here have \(own)",
            file: foreign.path, offset: 0)
    }

    private static func check(_ file: SegmentFile, after previous: SegmentFile) throws(StoreError) {
        guard let predecessor = file.header.predecessor else {
            throw .corruption(
                "a log segment says that it is the store's first, but \(previous.path) comes before it",
                file: file.path, offset: 0)
        }
        guard predecessor.salt == previous.header.salt else {
            throw .corruption(
                "a log segment is missing, or was replaced, between \(previous.path) and this one: it follows another, which ends at number \(predecessor.lastSequence)",
                file: file.path, offset: 0,
                lost: nextSequence(of: previous).flatMap {
                    GivenNumbers.lost(from: $0, through: predecessor.lastSequence)
                })
        }
        try checkNumbers(file, after: predecessor)
        guard predecessor.lastSequence &+ 1 >= previous.header.firstSequence else { throw numbersDoNotFollow(file) }
    }

    private static func checkNumbers(
        _ file: SegmentFile, after predecessor: FileHeader.Predecessor
    ) throws(StoreError) {
        guard predecessor.lastSequence < file.header.firstSequence else { throw numbersDoNotFollow(file) }
    }

    private static func numbersDoNotFollow(_ file: SegmentFile) -> StoreError {
        .corruption("a log segment's numbers do not follow its predecessor's", file: file.path, offset: 0)
    }

    /// Whether a segment that is whole up to the recorded end also holds the recorded numbers.
    static func endMatches(
        _ nextSequence: SequenceNumber, _ recorded: FileHeader.Predecessor, path: String, offset: UInt64
    ) -> Result<Void, StoreError> {
        guard nextSequence == recorded.lastSequence &+ 1 else {
            return .failure(
                .corruption(
                    "a log segment ends at number \(nextSequence &- 1), but its successor says \(recorded.lastSequence)",
                    file: path, offset: offset,
                    lost: GivenNumbers.lost(from: nextSequence, through: recorded.lastSequence)))
        }
        return .success(())
    }

    /// The number after the last one that a segment holds, as far as it can be read; nil where it can't.
    static func nextSequence(of segment: SegmentFile) -> SequenceNumber? {
        guard let window = try? FileWindow(segment.file) else { return nil }
        var scanner = SegmentScanner(source: window, header: segment.header)
        var commit = ScannedCommit()
        while true {
            do throws(FileSystemError) {
                if case .stop = try scanner.next(into: &commit) { return scanner.nextSequence }
            } catch {
                return nil
            }
        }
    }
}
