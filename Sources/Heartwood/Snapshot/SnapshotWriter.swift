internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// Writes a snapshot of a pinned state: header, records in key order, the key section, and the footer.
///
/// Records are copied as they are stored, with their original payload checksum. A damaged record stops the write.
struct SnapshotWriter: ~Copyable {
    let pin: ReadPin
    let file: any File
    let header: FileHeader
    private let isCancelled: () -> Bool
    private let report: (_ keys: Int, _ bytes: UInt64) -> Void

    private let buffer: UnsafeMutableRawPointer
    private var buffered = 0
    /// The file offset of the buffer's first byte.
    private var start: UInt64 = 0
    /// Lengths of the records divided by 8, seven bits a byte, for the second walk. Smaller than the locations.
    private var lengths: [UInt8] = []
    private(set) var recordCount = 0
    private var keyBytes: UInt64 = 0
    private var expiringCount: UInt64 = 0

    private static let bufferBytes = 1 << 20
    /// How many bytes are sent to the disk at a time. Sending everything at once would delay the log's syncs.
    private static let writebackBytes: UInt64 = 8 << 20

    init(
        _ pin: ReadPin, _ file: any File, _ header: FileHeader, isCancelled: @escaping () -> Bool,
        report: @escaping (_ keys: Int, _ bytes: UInt64) -> Void
    ) {
        self.pin = pin
        self.file = file
        self.header = header
        self.isCancelled = isCancelled
        self.report = report
        buffer = .allocate(byteCount: Self.bufferBytes, alignment: 4096)
    }

    deinit { buffer.deallocate() }

    /// The file offset of the next byte.
    var position: UInt64 { start + UInt64(buffered) }

    /// Writes the whole snapshot without syncing it. O(live bytes).
    ///
    /// - Throws: `.cancelled`; `.corruption` if a record is damaged; errors of writing.
    mutating func write() throws(StoreError) {
        let encoded = header.encoded()
        try lend(encoded) { (bytes) throws(StoreError) in try append(bytes) }
        try writeRecords()
        let keySection = position
        let blocks = try writeKeys()
        let footer = SnapshotFooter(
            recordCount: UInt64(recordCount), keySectionOffset: keySection, blockCount: blocks, keyBytes: keyBytes,
            expiringCount: expiringCount)
        let last = footer.encoded(salt: header.salt, offset: position)
        try lend(last) { (bytes) throws(StoreError) in try append(bytes) }
        try flush()
    }

    // MARK: - Records

    private mutating func writeRecords() throws(StoreError) {
        let gather = RecordGather(pin.image)
        var cursor = Cursor(pin, range: .all, reversed: false).paging(by: 1_024)
        let page = KeyPage()
        while try cursor.next(page) {
            for index in 0..<page.count {
                let version = page.version(index)
                let key = page.lentKey(index)
                let isLarge = !version.location.hasExactLength
                if isLarge || !gather.hasSpace(for: version) { try write(gather) }
                if isLarge {
                    try writeLarge(key, version)
                } else {
                    note(version.location.lengthBound, key, version)
                    gather.add(key, version)
                }
            }
            if isCancelled() { throw .compactionCancelled }
        }
        try write(gather)
    }

    /// Writes the collected records.
    private mutating func write(_ gather: RecordGather) throws(StoreError) {
        try flush()
        if isCancelled() { throw .compactionCancelled }
        var written = 0
        try gather.gather(for: header, at: start) { (all) throws(StoreError) in
            while written < all.count {
                let piece = min(Self.bufferBytes, all.count - written)
                try write(all.slice(written, piece))
                written += piece
                if isCancelled() { throw .compactionCancelled }
            }
        }
        gather.removeAll()
        report(recordCount, position)
    }

    /// Copies a record of any length.
    private mutating func writeLarge(_ key: UnsafeRawBufferPointer, _ version: Version) throws(StoreError) {
        let reader = RecordReader(image: pin.image)
        try reader.withBytes(of: version.location) { (bytes, segment) throws(StoreError) in
            let record = try reader.record(of: key, in: bytes, version, segment)
            if buffered + FormatConstants.recordHeaderSize > Self.bufferBytes { try flush() }
            Self.encode(record, to: buffer + buffered, at: position, of: header)
            buffered += FormatConstants.recordHeaderSize
            try append(record.payload)
            note(FormatConstants.recordHeaderSize + record.payload.count, key, version)
        }
        report(recordCount, position)
    }

    /// Encodes the header of a record that was read elsewhere, for its position in a snapshot.
    static func encode(
        _ record: Record, to memory: UnsafeMutableRawPointer, at offset: UInt64, of header: FileHeader
    ) {
        record.header.encode(
            to: memory, sequenceDistance: record.sequence - header.firstSequence,
            tag: ChecksumTag(salt: header.salt, offset: offset))
    }

    private mutating func note(_ length: Int, _ key: UnsafeRawBufferPointer, _ version: Version) {
        recordCount += 1
        keyBytes += UInt64(key.count)
        if version.expiry != 0 { expiringCount += 1 }
        note(length)
    }

    private mutating func note(_ length: Int) {
        var rest = length / 8
        while rest >= 0x80 {
            lengths.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        lengths.append(UInt8(rest))
    }

    // MARK: - Keys

    /// Walks over the same state again, only for its keys.
    ///
    /// - Returns: The number of blocks.
    private mutating func writeKeys() throws(StoreError) -> UInt64 {
        var encoder = KeyBlockEncoder()
        var blocks: UInt64 = 0
        var offset = UInt64(FormatConstants.fileHeaderSize)
        var nextLength = 0
        var cursor = Cursor(pin, range: .all, reversed: false)
        let page = KeyPage()
        while try cursor.next(page) {
            if isCancelled() { throw .compactionCancelled }
            for index in 0..<page.count {
                let length = self.length(&nextLength)
                encoder.add(
                    page.lentKey(index), offset: offset, length: length, expiry: page.version(index).expiry)
                offset += UInt64(length)
                if encoder.isFull {
                    try append(&encoder)
                    blocks += 1
                }
            }
        }
        if !encoder.isEmpty {
            try append(&encoder)
            blocks += 1
        }
        precondition(nextLength == lengths.count, "a pinned state has changed")
        return blocks
    }

    private func length(_ position: inout Int) -> Int {
        var eights = 0
        var shift = 0
        while true {
            let byte = lengths[position]
            position += 1
            eights |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return eights * 8 }
            shift += 7
        }
    }

    private mutating func append(_ encoder: inout KeyBlockEncoder) throws(StoreError) {
        let (salt, offset) = (header.salt, position)
        var copy = [UInt8]()
        encoder.finish(salt: salt, offset: offset) { copy = [UInt8]($0) }
        try lend(copy) { (bytes) throws(StoreError) in try append(bytes) }
    }

    // MARK: - Bytes

    private mutating func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        if buffered + bytes.count > Self.bufferBytes { try flush() }
        if bytes.count > Self.bufferBytes { return try write(bytes) }
        (buffer + buffered).copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
        buffered += bytes.count
    }

    private mutating func flush() throws(StoreError) {
        let count = buffered
        buffered = 0
        try write(UnsafeRawBufferPointer(start: buffer, count: count))
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        do throws(FileSystemError) {
            try file.writeFully(bytes, at: start)
        } catch {
            throw StoreError(error, "the snapshot could not be written")
        }
        let before = start / Self.writebackBytes
        start += UInt64(bytes.count)
        let now = start / Self.writebackBytes
        guard now > before else { return }
        file.startWriteback(
            from: before * Self.writebackBytes, count: (now - before) * Self.writebackBytes, waiting: false)
        if before > 0 {
            file.startWriteback(
                from: (before - 1) * Self.writebackBytes, count: Self.writebackBytes, waiting: true)
        }
    }
}
