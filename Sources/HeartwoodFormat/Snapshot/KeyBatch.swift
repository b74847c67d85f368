/// Keys that were read from a key section, each with the position of its record. Reused, which keeps its memory.
///
/// For one thread at a time, which makes `@unchecked Sendable` safe. Raw memory, because opening a large store reads
/// ten million keys: arrays, with reference counts and bounds checks for each key, took twice as long.
package final class KeyBatch: @unchecked Sendable {
    /// The positions of a key and its record.
    package struct Entry {
        /// End of the key in `bytes`. It starts where the previous key ends.
        package var keyEnd: Int
        /// The record's offset in the file.
        package var offset: UInt64
        /// The length of the whole record.
        package var length: Int
        /// Milliseconds since 1970; 0: never.
        package var expiry: UInt64
    }

    package private(set) var count = 0
    package private(set) var byteCount = 0
    /// How many of the entries expire.
    package private(set) var expiringCount = 0
    private var bytes: UnsafeMutableRawPointer
    private var byteCapacity = 64 << 10
    private var entries: UnsafeMutablePointer<Entry>
    private var entryCapacity = 4_096
    /// Copies may write, and reads may touch, this many bytes after each key.
    private static var excess: Int { 16 }

    package init() {
        bytes = .allocate(byteCount: byteCapacity, alignment: 16)
        entries = .allocate(capacity: entryCapacity)
    }

    deinit {
        bytes.deallocate()
        entries.deallocate()
    }

    package func removeAll() {
        count = 0
        byteCount = 0
        expiringCount = 0
    }

    @inline(__always)
    package func entry(_ index: Int) -> Entry {
        assert(index < count)
        return entries[index]
    }

    /// Valid until more is added or removed.
    @inline(__always)
    package func key(_ index: Int) -> UnsafeRawBufferPointer {
        assert(index < count)
        let start = index == 0 ? 0 : entries[index &- 1].keyEnd
        return UnsafeRawBufferPointer(start: bytes + start, count: entries[index].keyEnd &- start)
    }

    // MARK: - Decoding

    /// Where the next entries are of a block that is decoded in parts.
    package struct Cursor: Sendable {
        var index = 0
        var position = 0
        var offset: UInt64
        var lastKey: [UInt8] = []
    }

    /// A part of a block ends once its keys take this many bytes. Shared prefixes let 128 KiB describe a gigabyte of
    /// keys.
    private static var partBytes: Int { 4 << 20 }

    /// Adds the entries of a block, or a part of them if they have very many key bytes. Total: any bytes give entries
    /// in order or an error.
    ///
    /// - Parameters:
    ///   - payload: The whole payload after the header.
    ///   - limit: Where the records of the file end.
    ///   - cursor: What the previous part returned.
    /// - Returns: Where the next part begins; nil at the end of the block.
    /// - Throws: `FormatError`; then nothing was added.
    package func decode(
        _ payload: UnsafeRawBufferPointer, _ header: KeyBlock.Header, limit: UInt64, from cursor: Cursor? = nil
    ) throws(FormatError) -> Cursor? {
        guard payload.count == header.length else { throw .truncated }
        if cursor == nil, CRC32C.checksum(payload) != header.checksum { throw .checksumMismatch }
        let before = (count, byteCount, expiringCount)
        do throws(FormatError) {
            return try decodeEntries(payload, header, limit, cursor ?? Cursor(offset: header.firstRecordOffset))
        } catch {
            (count, byteCount, expiringCount) = before
            throw error
        }
    }

    private func decodeEntries(
        _ payload: UnsafeRawBufferPointer, _ header: KeyBlock.Header, _ limit: UInt64, _ cursor: Cursor
    ) throws(FormatError) -> Cursor? {
        var position = cursor.position
        var offset = cursor.offset
        let end = byteCount + Self.partBytes
        // The previous key is needed for the prefix that the next one shares. Space for a key of any length is
        // reserved.
        if cursor.index > 0, byteCount + FormatConstants.maximumKeyBytes + Self.excess > byteCapacity {
            growBytes(by: FormatConstants.maximumKeyBytes)
        }
        cursor.lastKey.withUnsafeBytes { key in
            if let base = key.baseAddress { (bytes + byteCount).copyMemory(from: base, byteCount: key.count) }
        }
        var previousStart = byteCount
        var previousLength = cursor.lastKey.count
        // The limit also keeps the sums below from overflowing.
        guard offset % 8 == 0, offset >= UInt64(FormatConstants.fileHeaderSize), offset <= limit else {
            throw .invalidField(.blockLength)
        }
        reserve(entries: header.entryCount - cursor.index)
        for index in cursor.index..<header.entryCount {
            if byteCount >= end {
                return Cursor(index: index, position: position, offset: offset, lastKey: [UInt8](key(count - 1)))
            }
            let shared = try number(payload, &position)
            let rest = try number(payload, &position)
            let lengthAndFlag = try number(payload, &position)
            var expiry: UInt64 = 0
            if lengthAndFlag & 1 == 1 {
                guard position + 8 <= payload.count else { throw .truncated }
                expiry = payload.load(littleEndianAt: position)
                position += 8
                guard expiry != 0 else { throw .invalidField(.expiry) }
                expiringCount += 1
            }
            let length = (lengthAndFlag >> 1) * 8
            let keyLength = shared + rest
            guard rest > 0, shared <= previousLength, keyLength <= FormatConstants.maximumKeyBytes,
                position + rest <= payload.count
            else { throw .invalidField(.keyLength) }
            guard length >= FormatConstants.recordHeaderSize + alignedUp(keyLength),
                length <= FormatConstants.maximumBatchBytes, UInt64(length) <= limit - offset
            else { throw .invalidField(.blockLength) }
            if byteCount + keyLength + Self.excess > byteCapacity { growBytes(by: keyLength) }
            let source = payload.baseAddress! + position
            let target = bytes + byteCount
            // An entry shares as many bytes as possible, so one comparison of the first differing byte shows the order.
            if index > 0 {
                let previous = bytes + previousStart
                guard
                    shared == previousLength
                        || previous.load(fromByteOffset: shared, as: UInt8.self) < source.load(as: UInt8.self)
                else { throw .invalidField(.keyOrder) }
                target.copyMemory(from: previous, byteCount: shared)
            }
            (target + shared).copyMemory(from: source, byteCount: rest)
            position += rest
            previousStart = byteCount
            previousLength = keyLength
            byteCount += keyLength
            (entries + count).initialize(to: Entry(keyEnd: byteCount, offset: offset, length: length, expiry: expiry))
            count += 1
            offset += UInt64(length)
        }
        guard payload.count - position < 8, payload.slice(position, payload.count - position).isZero else {
            throw .invalidField(.blockLength)
        }
        return nil
    }

    @inline(__always)
    private func number(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) throws(FormatError) -> Int {
        guard position < bytes.count else { throw .truncated }
        let first = bytes[position]
        position += 1
        if first < 0x80 { return Int(first) }
        return try longNumber(first, bytes, &position)
    }

    /// A number of up to five bytes: 35 bits.
    @inline(never)
    private func longNumber(
        _ first: UInt8, _ bytes: UnsafeRawBufferPointer, _ position: inout Int
    ) throws(FormatError) -> Int {
        var number = Int(first & 0x7F)
        for shift in stride(from: 7, through: 28, by: 7) {
            guard position < bytes.count else { throw .truncated }
            let next = bytes[position]
            position += 1
            number |= Int(next & 0x7F) << shift
            if next < 0x80 { return number }
        }
        throw .invalidField(.blockLength)
    }

    // MARK: - Memory

    private func reserve(entries more: Int) {
        guard count + more > entryCapacity else { return }
        entryCapacity = max(2 * entryCapacity, count + more)
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: entryCapacity)
        larger.moveInitialize(from: entries, count: count)
        entries.deallocate()
        entries = larger
    }

    private func growBytes(by more: Int) {
        byteCapacity = max(2 * byteCapacity, byteCount + more + Self.excess)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: byteCapacity, alignment: 16)
        larger.copyMemory(from: bytes, byteCount: byteCount)
        bytes.deallocate()
        bytes = larger
    }
}
