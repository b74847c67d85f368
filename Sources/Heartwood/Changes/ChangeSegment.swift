internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// The log segments of a directory, as a reader without a lock finds them.
struct LogDirectory: Sendable {
    let path: String
    let storeID: StoreID
    let fileSystem: any FileSystem

    init(path: String, storeID: StoreID, fileSystem: any FileSystem) {
        (self.path, self.storeID, self.fileSystem) = (path, storeID, fileSystem)
    }

    /// The directory of a store, held open once more: a feed reads files after the store is closed, too.
    init(following image: StoreImage) throws(StoreError) {
        if image.isClosed { throw .closed }
        do throws(FileSystemError) {
            let fileSystem = try image.fileSystem.bound(to: image.directory)
            self.init(path: image.directory, storeID: image.storeID, fileSystem: fileSystem)
        } catch {
            throw image.isClosed ? .closed : StoreError(error, "the store's directory could not be opened")
        }
    }

    /// The first sequence numbers in the names of the segments, ascending.
    func segments() throws(StoreError) -> [SequenceNumber] {
        do throws(FileSystemError) {
            return try fileSystem.contents(ofDirectory: path).compactMap {
                if case .log(let first) = StoreFileName($0) { first } else { nil }
            }.sorted()
        } catch {
            throw StoreError(error, "the store's directory could not be read")
        }
    }

    /// Opens a segment; nil if it was removed.
    ///
    /// - Throws: `.positionUnavailable` if the directory has another store now, as after a repair in place.
    func open(_ first: SequenceNumber) throws(StoreError) -> ChangeSegment? {
        let name = StoreFileName.log(first)
        var entry = StoreListing.Entry(name: name, path: path + "/" + name, meaning: .log(firstSequence: first))
        let data: DataFile
        do throws(FileSystemError) {
            let file = try fileSystem.openFile(entry.path, for: .read)
            entry.size = try file.size()
            data = try DataFile(entry, file, rebuilds: false)
        } catch {
            if error.isNotFound { return nil }
            throw StoreError(error, "a log segment could not be read")
        }
        let header = try header(of: data)
        do throws(FileSystemError) {
            return try ChangeSegment(data, header)
        } catch {
            throw StoreError(error, "a log segment could not be read")
        }
    }

    private func header(of data: DataFile) throws(StoreError) -> FileHeader {
        if let problem = data.headerProblem(of: "log segment") {
            if case .unsupported(let error) = data.state { throw .unsupported(error, file: data.path, offset: 0) }
            throw .corruption(problem, file: data.path, offset: 0, cause: data.headerError)
        }
        guard let header = data.header else { preconditionFailure("a sound file has no header") }
        guard header.storeID == storeID else {
            throw StoreError(
                .positionUnavailable, "another store is in this directory now, as after a repair: open it again",
                file: data.path,
                restart: ChangePosition(store: header.storeID, sequence: header.firstSequence - 1))
        }
        return header
    }

    /// The earliest position from which the log can be followed; nil if there is no log.
    func earliest() throws(StoreError) -> ChangePosition? {
        for first in try segments() {
            guard let segment = try open(first) else { continue }
            let start = segment.header.predecessor == nil ? 0 : first - 1
            return ChangePosition(store: storeID, sequence: start)
        }
        return nil
    }

    /// The error for a position from which the log can't be followed.
    ///
    /// - Parameter what: Why, as a clause.
    func unavailable(_ what: String) throws(StoreError) -> StoreError {
        StoreError(
            .positionUnavailable,
            "\(what): read the store's present contents, and follow from their position, as 'follow' does", file: path,
            restart: try earliest())
    }
}

/// A log segment that is read while it may be written.
struct ChangeSegment {
    let path: String
    let header: FileHeader
    let file: any File
    private(set) var scanner: SegmentScanner<FileWindow>
    /// What the next segment's header records about this one. Nil while this is the newest, as far as is known.
    private(set) var successor: FileHeader.Predecessor?
    /// How often the scanner had read from the file after the last commit. What its window still has from then is
    /// verified.
    private var verifiedRead = 0

    /// Bytes that are read at a time where more follow, and at the end of the log.
    private static var far: Int { 2 << 20 }
    private static var near: Int { 64 << 10 }

    fileprivate init(_ data: DataFile, _ header: FileHeader) throws(FileSystemError) {
        (path, file, self.header) = (data.path, data.file, header)
        scanner = SegmentScanner(source: try FileWindow(file, size: Self.far), header: header)
        scanner.splitting = .withinBatches
    }
}

extension ChangeSegment {
    /// Reads the next commit.
    mutating func next(into commit: inout ScannedCommit) throws(StoreError) -> SegmentScanner<FileWindow>.Step {
        let step = try reading { (scanner) throws(FileSystemError) in try scanner.next(into: &commit) }
        verifiedRead = scanner.source.reads
        return step
    }

    /// Sees what was written to the file since it was last read.
    mutating func refresh() throws(StoreError) {
        let (file, end) = (file, successor?.endOffset)
        try reading { (scanner) throws(FileSystemError) in
            scanner.reread(try FileWindow(file, size: Self.near), recordedEnd: end)
        }
    }

    /// Gives back the memory of the window.
    mutating func release() { scanner.source.release() }

    /// Notes where the next segment says that this one ends.
    mutating func end(_ successor: FileHeader.Predecessor) throws(StoreError) {
        self.successor = successor
        try refresh()
    }

    /// Whether it was read to the end that its successor records.
    var isAtRecordedEnd: Bool {
        successor.map { $0.endOffset == scanner.position && $0.lastSequence &+ 1 == scanner.nextSequence } ?? false
    }

    /// Whether the bytes at a stop were durable, so that they are damaged and not just being written.
    mutating func isDamaged(at stop: TailVerdict.Stop) throws(StoreError) -> Bool {
        guard case .damage = stop.reason else { return false }
        return try reading { (scanner) throws(FileSystemError) in
            try scanner.proofOfDurability(beyond: stop.offset) != nil
        }
    }

    /// The error for a stop where a commit must be.
    func damage(_ stop: TailVerdict.Stop) -> StoreError {
        switch stop.reason {
        case .damage(.unsupported(let what)):
            .unsupported(.unsupported(what), file: path, offset: stop.damageOffset)
        case .damage(let error):
            .corruption("a commit of the log is damaged", file: path, offset: stop.damageOffset, cause: error)
        case .end, .zeros:
            .corruption("a log segment ends before its last write", file: path, offset: stop.offset)
        }
    }

    /// The key and the stored value of a record that the scanner has verified. They are verified again if they had to
    /// be read again: a value of a gigabyte is never kept.
    mutating func payload<R>(
        of record: ScannedRecord, _ body: (UnsafeRawBufferPointer) -> R
    ) throws(StoreError) -> R {
        let length = record.header.encodedLength - FormatConstants.recordHeaderSize
        let start = record.offset + UInt64(FormatConstants.recordHeaderSize)
        let isVerified = scanner.source.reads == verifiedRead && scanner.source.holds(start, length)
        func verified(_ bytes: UnsafeRawBufferPointer) -> R? {
            let isSame =
                bytes.count == length && (isVerified || CRC32C.checksum(bytes) == record.header.payloadChecksum)
            return isSame ? body(bytes) : nil
        }
        let result: R?
        if length <= SegmentScanner<FileWindow>.windowBytes {
            result = try reading { (scanner) throws(FileSystemError) in
                try scanner.source.withBytes(at: start, count: length, verified)
            }
        } else {
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 8)
            defer { memory.deallocate() }
            let count = try reading { (scanner) throws(FileSystemError) in
                try scanner.source.file.readFully(into: memory, at: start)
            }
            result = verified(UnsafeRawBufferPointer(rebasing: memory[..<count]))
        }
        guard let result else {
            throw .corruption("a record of the log changed while it was read", file: path, offset: record.offset)
        }
        return result
    }

    @inline(__always)
    private mutating func reading<R>(
        _ body: (inout SegmentScanner<FileWindow>) throws(FileSystemError) -> R
    ) throws(StoreError) -> R {
        do throws(FileSystemError) {
            return try body(&scanner)
        } catch {
            throw StoreError(error, "a log segment could not be read")
        }
    }
}
