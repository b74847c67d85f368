internal import CHeartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// A record that was fetched and verified. Valid while it is lent.
struct Record {
    let header: RecordHeader
    /// Key, value as it is stored, and padding.
    let payload: UnsafeRawBufferPointer
    /// The number of the write that it is of.
    let sequence: SequenceNumber

    /// The value as it is stored.
    @inline(__always)
    var stored: UnsafeRawBufferPointer { payload.slice(Int(header.keyLength), Int(header.valueLength)) }
    @inline(__always)
    var isCompressed: Bool { header.flags.contains(.compressed) }
}

/// Fetches the record of a place and verifies it: its checksums, and that it is the record of the key that was asked
/// for. Never hands out a byte that it did not verify.
struct RecordReader {
    let log: Log

    /// Records up to this size are read onto the stack.
    private static let stackBytes = 4096

    /// Calls `body` with the value, decompressed, and the number of its write.
    ///
    /// Whoever calls this has had a pin since the place was looked up, or holds a state that it is of: otherwise the file
    /// may be gone.
    ///
    /// - Throws: `.corruption` when the record isn't what was written; `.inputOutput` when it can't be read.
    @inline(__always)
    func withValue<R>(
        of key: UnsafeRawBufferPointer, _ version: Version, _ body: (UnsafeRawBufferPointer, SequenceNumber) -> R
    ) throws(StoreError) -> R {
        try withBytes(of: version.place) { (bytes, segment) throws(StoreError) in
            try withValue(of: key, in: bytes, version, segment, body)
        }
    }

    /// Calls `body` with the bytes from a record on, wherever they are.
    @inline(__always)
    func withBytes<R>(
        of place: Place, _ body: (UnsafeRawBufferPointer, SegmentIdentity) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        if let bytes = log.pendingRecord(at: place) {
            return try lend(bytes) { (record) throws(StoreError) in
                try body(record, self.segment(of: place).identity)
            }
        }
        let segment = segment(of: place)
        if let bytes = segment.mappedBytes(of: place) {
            // All its lines at once: the checksums would come upon them one after the other.
            let start = bytes.baseAddress.unsafelyUnwrapped
            for line in 1..<4 { heartwood_prefetch(start + 64 &* line) }
            return try body(bytes, segment.identity)
        }
        return try withBytesRead(of: place, segment) { (record) throws(StoreError) in
            try body(record, segment.identity)
        }
    }

    @inline(__always)
    func segment(of place: Place) -> Segment {
        // No reference of its own is taken: the log, and so the segment, outlives every read.
        log.segments.segment(of: place)._withUnsafeGuaranteedRef { $0 }
    }

    @inline(__always)
    private func withBytesRead<R>(
        of place: Place, _ segment: Segment, _ body: (UnsafeRawBufferPointer) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        let length = place.lengthBound
        if length <= Self.stackBytes {
            return try withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { buffer in
                Result { () throws(StoreError) -> R in
                    let count = try read(into: buffer, place, segment)
                    return try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
            }.get()
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 8)
        defer { memory.deallocate() }
        let count = try read(into: memory, place, segment)
        return try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }

    private func read(
        into buffer: UnsafeMutableRawBufferPointer, _ place: Place, _ segment: Segment
    ) throws(StoreError) -> Int {
        do throws(FileSystemError) {
            return try segment.file.readFully(into: buffer, at: segment.offset(of: place))
        } catch {
            if log.isEnded { throw .closed }
            throw StoreError(error.naming(segment), "a record could not be read")
        }
    }

    /// Verifies a record and calls `body` with its value, decompressed.
    ///
    /// - Parameter bytes: From the record's first byte on; there may be more than the record.
    @inline(__always)
    func withValue<R>(
        of key: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer, _ version: Version,
        _ segment: SegmentIdentity, _ body: (UnsafeRawBufferPointer, SequenceNumber) -> R
    ) throws(StoreError) -> R {
        let record = try record(of: key, in: bytes, version, segment)
        if !record.isCompressed { return body(record.stored, record.sequence) }
        let value = try decompressed(record, version.place)
        return try lend(value) { (value) throws(StoreError) in body(value, record.sequence) }
    }

    /// The record, verified.
    ///
    /// - Parameter bytes: From the record's first byte on; there may be more than the record.
    @inline(__always)
    func record(
        of key: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer, _ version: Version,
        _ segment: SegmentIdentity
    ) throws(StoreError) -> Record {
        do throws(FormatError) {
            return try verified(bytes, key, version, segment)
        } catch {
            throw damage(error, version.place)
        }
    }

    /// Everything about the record is as it should be.
    @inline(__always)
    private func verified(
        _ bytes: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ version: Version,
        _ segment: SegmentIdentity
    ) throws(FormatError) -> Record {
        let place = version.place
        let header = try RecordHeader.decode(
            bytes, salt: segment.salt, offset: segment.offset(of: place), flags: segment.recordFlags)
        let length = header.encodedLength
        guard length <= bytes.count, LengthClass.of(length) == place.lengthClass else { throw .truncated }
        let payload = bytes.slice(FormatConstants.recordHeaderSize, length - FormatConstants.recordHeaderSize)
        guard CRC32C.checksum(payload) == header.payloadChecksum else { throw .checksumMismatch }
        guard payload.slice(0, Int(header.keyLength)).isEqual(to: key) else { throw .invalidField(.keyLength) }
        // An opening has verified what a log holds, and of a snapshot only the keys.
        if segment.snapshotSequence != .max { try check(header, version, segment) }
        return Record(
            header: header, payload: payload, sequence: segment.firstSequence &+ header.sequenceDistance)
    }

    /// Whether a snapshot can have the record, and it is as its entry among the keys says.
    @inline(never)
    private func check(
        _ header: RecordHeader, _ version: Version, _ segment: SegmentIdentity
    ) throws(FormatError) {
        guard header.isValue(expiring: version.expiry) else { throw .invalidField(.expiry) }
        guard header.canBeInSnapshot(upTo: segment.snapshotSequence) else { throw .invalidField(.sequence) }
    }

    @inline(never)
    private func decompressed(_ record: Record, _ place: Place) throws(StoreError) -> [UInt8] {
        do throws(FormatError) {
            let limit = log.configuration.maximumValueBytes
            let length = try Inflater.declaredLength(of: record.stored)
            if length <= limit { return try Inflater.value(of: record.stored, limit: limit) }
        } catch {
            throw damage(error, place)
        }
        let segment = segment(of: place)
        throw StoreError(
            .tooLarge, "a value is larger than this opening allows: raise maximumValueBytes to read it",
            file: segment.path, offset: segment.offset(of: place))
    }

    @inline(never)
    private func damage(_ error: FormatError, _ place: Place) -> StoreError {
        let segment = segment(of: place)
        if case .unsupported = error {
            return .unsupported(error, file: segment.path, offset: segment.offset(of: place))
        }
        return .corruption(
            "a record is not what was written: it was damaged after the store was opened, or opening did not read it",
            file: segment.path, offset: segment.offset(of: place), cause: error)
    }
}

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

extension UnsafeRawBufferPointer {
    @inline(__always)
    func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        count == other.count && (count == 0 || memcmp(baseAddress!, other.baseAddress!, count) == 0)
    }
}
