internal import HeartwoodFormat

/// The bytes of one commit while it is filled and written: space for the header, then records that already have their
/// sequence numbers and locations. Large values are kept outside, each with its position.
///
/// If a write needs the commit in the kernel immediately, the commit is stored to the mapping of its segment, if there
/// is one. The log writer writes the others: writers that wait for a sync wait for the disk anyway, and the rest has
/// time. Commits are not built in the mapping itself. The kernel would have to fault in each page, and revoke it on
/// every processor before it writes the page to the disk (fillsync with 1,024 tasks: 340,000 puts a second instead of
/// 780,000).
///
/// Raw memory, because 4 MiB are reused for every commit, appended to under a lock by one thread and written by
/// another. An array would be checked for uniqueness, and zeroed on growth, at each append.
///
/// The invariant that makes `@unchecked Sendable` sound: every access happens under the log's lock, except that the log
/// writer reads a sealed buffer without it. No thread changes a sealed buffer until the log writer returns it, with one
/// exception: the log writer fills in the header before it writes, and no reader reads the header.
final class CommitBuffer: @unchecked Sendable {
    /// A value that is not copied into the memory.
    struct External {
        /// The position at which it is inserted, in bytes of memory.
        let memoryPosition: Int
        let value: [UInt8]
    }

    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    /// Bytes in memory, including the header.
    private(set) var memoryCount = FormatConstants.commitHeaderSize
    private(set) var externals: [External] = []
    private var externalBytes = 0
    private(set) var recordCount = 0

    /// The segment and the offset of the commit. Set before the first record is added.
    private(set) var segment: Segment?
    private(set) var offset: UInt64 = 0
    /// What records need of the segment. Copied here to avoid reference counting for each record.
    private(set) var identity = SegmentIdentity.none

    init(capacity: Int) {
        self.capacity = max(capacity, 4096)
        memory = .allocate(byteCount: self.capacity, alignment: 4096)
    }

    deinit { memory.deallocate() }

    /// Bytes of the commit, including the header.
    var count: Int { memoryCount + externalBytes }
    /// The offset in the file at which it ends.
    var end: UInt64 { offset + UInt64(count) }
    var isEmpty: Bool { recordCount == 0 }
    /// Bytes of the records.
    var bodyLength: Int { count - FormatConstants.commitHeaderSize }

    func reset(segment: Segment?, offset: UInt64, keeping wanted: Int) {
        if capacity > 2 * wanted {
            // One batch was huge; its memory is released.
            memory.deallocate()
            capacity = max(wanted, 4096)
            memory = .allocate(byteCount: capacity, alignment: 4096)
        }
        externals.removeAll()
        externalBytes = 0
        self.segment = segment
        identity = segment?.identity ?? .none
        begin(at: offset)
    }

    private func begin(at offset: UInt64) {
        memoryCount = FormatConstants.commitHeaderSize
        recordCount = 0
        self.offset = offset
    }

    /// Moves an empty buffer to another offset, because a sync mark was put in front of it.
    func move(to offset: UInt64) {
        precondition(isEmpty)
        begin(at: offset)
    }

    /// Whether the commit is still small when it ends at `end`, and has no external values. Storing it then holds the
    /// lock only briefly.
    @inline(__always)
    func isStorable(to end: UInt64) -> Bool { end - offset <= 64 << 10 && externals.isEmpty }

    /// Stores the commit to the mapping of its segment, so that it is in the kernel, and begins the next one after it.
    ///
    /// The records are stored first and the header last: if the process dies in between, the commit doesn't exist.
    func store(_ header: CommitHeader, to mapping: LogMapping) {
        precondition(externals.isEmpty)
        let start = FormatConstants.commitHeaderSize
        mapping.store(
            UnsafeRawBufferPointer(start: memory + start, count: memoryCount - start), at: offset + UInt64(start))
        header.encode(to: memory, salt: identity.salt, offset: offset)
        mapping.store(UnsafeRawBufferPointer(start: memory, count: start), at: offset)
        begin(at: end)
    }

    /// A record that was just appended.
    struct Appended {
        let header: RecordHeader
        let key: UnsafeRawBufferPointer
        /// The offset of the record in the file.
        let offset: UInt64
    }

    /// Appends a batch, gives its records their sequence number and location, and calls `each` for each. O(bytes copied
    /// + records).
    func append(_ batch: EncodedBatch, sequence: SequenceNumber, _ each: (Appended) -> Void) {
        precondition(segment != nil, "a record for a buffer that lies nowhere")
        let start = memoryCount
        let startInFile = offset + UInt64(count)
        reserve(batch.bytes.count)
        batch.bytes.withUnsafeBytes { (memory + start).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
        let identity = identity
        let distance = sequence - identity.firstSequence
        var position = 0
        var outside = 0
        var nextExternal = batch.externals.startIndex
        for _ in 0..<batch.recordCount {
            let encoded = memory + start + position
            let header = RecordHeader(
                unverified: UnsafeRawBufferPointer(start: encoded, count: FormatConstants.recordHeaderSize))
            let keyLength = Int(header.keyLength)
            let location = startInFile + UInt64(position + outside)
            RecordHeader.bind(
                encoded, sequenceDistance: distance, tag: ChecksumTag(salt: identity.salt, offset: location))
            each(
                Appended(
                    header: header,
                    key: UnsafeRawBufferPointer(start: encoded + FormatConstants.recordHeaderSize, count: keyLength),
                    offset: location))
            let keyEnd = position + FormatConstants.recordHeaderSize + keyLength
            position += header.encodedLength
            if nextExternal < batch.externals.endIndex, batch.externals[nextExternal].position == keyEnd {
                let value = batch.externals[nextExternal].value
                externals.append(External(memoryPosition: start + keyEnd, value: value))
                outside += value.count
                position -= value.count
                nextExternal += 1
            }
        }
        assert(position == batch.bytes.count && nextExternal == batch.externals.endIndex)
        memoryCount += batch.bytes.count
        externalBytes += outside
        recordCount += batch.recordCount
    }

    /// Appends one record that isn't encoded yet, and returns its offset in the file. O(bytes copied).
    func append(_ record: SingleRecord, sequence: SequenceNumber) -> UInt64 {
        precondition(segment != nil, "a record for a buffer that lies nowhere")
        let location = offset + UInt64(count)
        let length = record.encodedLength
        reserve(length)
        record.encode(
            to: memory + memoryCount, sequenceDistance: sequence - identity.firstSequence,
            tag: ChecksumTag(salt: identity.salt, offset: location))
        memoryCount += length
        recordCount += 1
        return location
    }

    /// The header of the commit as it is now.
    ///
    /// - Parameters:
    ///   - first: The sequence number of its first batch.
    ///   - mark: The sync mark: everything in the segment before this offset is on disk.
    @inline(__always)
    func header(first: SequenceNumber, mark: UInt64, time: UInt64) -> CommitHeader {
        CommitHeader(
            bodyLength: UInt64(bodyLength), firstSequence: first, syncedMark: mark, time: time,
            recordCount: UInt32(recordCount))
    }

    /// Fills in the commit header. Only the log writer calls it, after the buffer is sealed.
    func finish(_ header: CommitHeader) {
        header.encode(to: memory, salt: identity.salt, offset: offset)
    }

    /// Calls `body` with the pieces of the commit in file order, each with its offset.
    func forEachPiece<E: Error>(_ body: (UnsafeRawBufferPointer, UInt64) throws(E) -> Void) throws(E) {
        var from = 0
        var at = offset
        for external in externals {
            let length = external.memoryPosition - from
            try body(UnsafeRawBufferPointer(start: memory + from, count: length), at)
            at += UInt64(length)
            try lend(external.value) { (bytes) throws(E) in try body(bytes, at) }
            at += UInt64(external.value.count)
            from = external.memoryPosition
        }
        if from < memoryCount {
            try body(UnsafeRawBufferPointer(start: memory + from, count: memoryCount - from), at)
        }
    }

    /// Copies `length` bytes at `fileOffset`, or fewer at the end of the commit; nil if the offset isn't in this
    /// buffer. Call it with the log's lock held.
    func copy(at fileOffset: UInt64, length: Int) -> [UInt8]? {
        guard fileOffset >= offset, fileOffset < offset + UInt64(count) else { return nil }
        let start = Int(fileOffset - offset)
        let length = min(length, count - start)
        if externals.isEmpty {
            return [UInt8](UnsafeRawBufferPointer(start: memory + start, count: length))
        }
        var result: [UInt8] = []
        result.reserveCapacity(length)
        forEachPiece { (piece: UnsafeRawBufferPointer, at: UInt64) throws(Never) in
            let pieceStart = Int(at - offset)
            let lower = max(start, pieceStart)
            let upper = min(start + length, pieceStart + piece.count)
            if lower < upper {
                result.append(contentsOf: piece[(lower - pieceStart)..<(upper - pieceStart)])
            }
        }
        return result
    }

    private func reserve(_ additional: Int) {
        guard memoryCount + additional > capacity else { return }
        let larger = max(memoryCount + additional, 2 * capacity)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 4096)
        moved.copyMemory(from: memory, byteCount: memoryCount)
        memory.deallocate()
        memory = moved
        capacity = larger
    }
}
