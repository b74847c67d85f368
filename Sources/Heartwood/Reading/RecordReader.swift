internal import CHeartwood
internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// A record that was read and verified. Valid while it is lent.
struct Record {
    let header: RecordHeader
    /// The key, the value as stored, and padding.
    let payload: UnsafeRawBufferPointer
    /// The sequence number of its write.
    let sequence: SequenceNumber

    /// The value as stored.
    @inline(__always)
    var stored: UnsafeRawBufferPointer { payload.slice(Int(header.keyLength), Int(header.valueLength)) }
    @inline(__always)
    var isCompressed: Bool { header.flags.contains(.compressed) }
}

/// Reads the record at a location and verifies it: its checksums, and that it belongs to the requested key. Never
/// returns a byte that it did not verify.
struct RecordReader {
    let image: StoreImage

    /// Records up to this size are read onto the stack.
    private static let stackBytes = 4096

    /// Calls `body` with the decompressed value and the sequence number of its write.
    ///
    /// The caller must have had an epoch pin since the look-up of the location, or a read pin of a state that
    /// contains the version. Otherwise the file may have been closed.
    ///
    /// - Throws: `.corruption` if the record isn't what was written; `.inputOutput` if it can't be read.
    @inline(__always)
    func withValue<R>(
        of key: UnsafeRawBufferPointer, _ version: Version, _ body: (UnsafeRawBufferPointer, SequenceNumber) -> R
    ) throws(StoreError) -> R {
        try withBytes(of: version.location) { (bytes, segment) throws(StoreError) in
            try withValue(of: key, in: bytes, version, segment, body)
        }
    }

    /// Calls `body` with the bytes from the start of a record, from whichever source has them.
    @inline(__always)
    func withBytes<R>(
        of location: RecordLocation, _ body: (UnsafeRawBufferPointer, SegmentIdentity) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        if let bytes = image.pendingRecord(at: location) {
            return try lend(bytes) { (record) throws(StoreError) in
                try body(record, self.segment(of: location).identity)
            }
        }
        let segment = segment(of: location)
        if let bytes = segment.mappedBytes(of: location) {
            prefetch(bytes)
            return try body(bytes, segment.identity)
        }
        return try withBuffer(for: location) { (buffer) throws(StoreError) in
            try body(try read(into: buffer, at: segment.offset(of: location), segment), segment.identity)
        }
    }

    /// Prefetches all cache lines at once. The checksums alone would miss on one line after another.
    @inline(__always)
    func prefetch(_ bytes: UnsafeRawBufferPointer) {
        let start = bytes.baseAddress.unsafelyUnwrapped
        for line in 1..<4 { heartwood_prefetch(start + 64 &* line) }
    }

    @inline(__always)
    func segment(of location: RecordLocation) -> Segment {
        // No reference is retained: the image, and so the segment, outlives every read.
        image.segments.segment(of: location)._withUnsafeGuaranteedRef { $0 }
    }

    /// Calls `body` with memory for a record: on the stack if the record is short.
    @inline(__always)
    func withBuffer<R>(
        for location: RecordLocation, _ body: (UnsafeMutableRawBufferPointer) throws(StoreError) -> R
    ) throws(StoreError) -> R {
        // After a long record of a snapshot, the header of the next item is read too: see `isFollowed`.
        let length = location.lengthBound + (location.hasExactLength ? 0 : FormatConstants.recordHeaderSize)
        if length <= Self.stackBytes {
            return try withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { buffer in
                Result { () throws(StoreError) -> R in try body(buffer) }
            }.get()
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 8)
        defer { memory.deallocate() }
        return try body(memory)
    }

    /// Fills the buffer from a file. Returns the bytes that were read: fewer at the end of the file.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64, _ segment: Segment
    ) throws(StoreError) -> UnsafeRawBufferPointer {
        do throws(FileSystemError) {
            let count = try segment.file.readFully(into: buffer, at: offset)
            return UnsafeRawBufferPointer(rebasing: buffer[..<count])
        } catch {
            throw failure(error, segment)
        }
    }

    /// As `read`; nil if that would have to wait for the disk.
    func readNow(
        into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64, _ segment: Segment
    ) throws(StoreError) -> UnsafeRawBufferPointer? {
        do throws(FileSystemError) {
            guard let count = try segment.file.readNow(into: buffer, at: offset) else { return nil }
            return UnsafeRawBufferPointer(rebasing: buffer[..<count])
        } catch {
            throw failure(error, segment)
        }
    }

    @inline(never)
    func failure(_ error: FileSystemError, _ segment: Segment) -> StoreError {
        image.isClosed ? .closed : StoreError(error.naming(segment), "a record could not be read")
    }

    /// Verifies a record and calls `body` with its decompressed value.
    ///
    /// - Parameter bytes: From the record's first byte; may extend past the record.
    @inline(__always)
    func withValue<R>(
        of key: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer, _ version: Version,
        _ segment: SegmentIdentity, _ body: (UnsafeRawBufferPointer, SequenceNumber) -> R
    ) throws(StoreError) -> R {
        let record = try record(of: key, in: bytes, version, segment)
        if !record.isCompressed { return body(record.stored, record.sequence) }
        let value = try decompressed(record, version.location)
        return try lend(value) { (value) throws(StoreError) in body(value, record.sequence) }
    }

    /// Verifies a record and returns it.
    ///
    /// - Parameter bytes: From the record's first byte; may extend past the record.
    @inline(__always)
    func record(
        of key: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer, _ version: Version,
        _ segment: SegmentIdentity
    ) throws(StoreError) -> Record {
        let record: Record
        do throws(FormatError) {
            record = try verified(bytes, key, version, segment)
        } catch {
            throw damage(error, version.location)
        }
        // An opening verifies all records of a log, but only the keys of a snapshot.
        if segment.snapshotSequence != .max { try check(record, in: bytes, version, segment) }
        return record
    }

    /// Verifies the checksums, the key and the length.
    @inline(__always)
    private func verified(
        _ bytes: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ version: Version,
        _ segment: SegmentIdentity
    ) throws(FormatError) -> Record {
        let location = version.location
        let header = try RecordHeader.decode(
            bytes, salt: segment.salt, offset: segment.offset(of: location), flags: segment.recordFlags)
        let length = header.encodedLength
        guard length <= bytes.count, location.fits(length) else { throw .truncated }
        let payload = bytes.slice(FormatConstants.recordHeaderSize, length - FormatConstants.recordHeaderSize)
        guard CRC32C.checksum(payload) == header.payloadChecksum else { throw .checksumMismatch }
        guard payload.slice(0, Int(header.keyLength)).isEqual(to: key) else { throw .invalidField(.keyLength) }
        return Record(
            header: header, payload: payload, sequence: segment.firstSequence &+ header.sequenceDistance)
    }

    /// Checks that a snapshot can contain the record, and that the record matches its entry in the key section.
    @inline(never)
    private func check(
        _ record: Record, in bytes: UnsafeRawBufferPointer, _ version: Version, _ segment: SegmentIdentity
    ) throws(StoreError) {
        let location = version.location
        guard record.header.isValue(expiring: version.expiry) else {
            throw damage(.invalidField(.expiry), location)
        }
        guard record.header.canBeInSnapshot(upTo: segment.snapshotSequence) else {
            throw damage(.invalidField(.sequence), location)
        }
        if !location.hasExactLength, try !isFollowed(record, in: bytes, location, segment) {
            throw damage(.truncated, location)
        }
    }

    /// Whether the next record of a snapshot, or its first key block, begins where a record ends.
    ///
    /// The index doesn't have the exact length that the entry of a long record states. But the entries of a snapshot
    /// are adjacent, so only with that length does the record end where the next item begins.
    private func isFollowed(
        _ record: Record, in bytes: UnsafeRawBufferPointer, _ location: RecordLocation, _ identity: SegmentIdentity
    ) throws(StoreError) -> Bool {
        let length = record.header.encodedLength
        let end = identity.offset(of: location) + UInt64(length)
        let size = FormatConstants.recordHeaderSize
        if bytes.count - length >= size { return Self.itemBegins(bytes.slice(length, size), at: end, identity) }
        let segment = segment(of: location)
        if let file = segment.mappedFile() {
            guard end + UInt64(size) <= UInt64(file.count) else { return false }
            return Self.itemBegins(file.slice(Int(end), size), at: end, identity)
        }
        return try withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
            Result { () throws(StoreError) -> Bool in
                Self.itemBegins(try read(into: buffer, at: end, segment), at: end, identity)
            }
        }.get()
    }

    private static func itemBegins(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64, _ identity: SegmentIdentity
    ) -> Bool {
        do throws(FormatError) {
            _ = try RecordHeader.decode(bytes, salt: identity.salt, offset: offset, flags: identity.recordFlags)
            return true
        } catch {
            if case .unsupported = error { return true }
            return (try? KeyBlock.decodeHeader(bytes, salt: identity.salt, offset: offset)) != nil
        }
    }

    @inline(never)
    func decompressed(_ record: Record, _ location: RecordLocation) throws(StoreError) -> [UInt8] {
        do throws(FormatError) {
            let limit = image.maximumValueBytes
            let length = try Inflater.declaredLength(of: record.stored)
            if length <= limit { return try Inflater.value(of: record.stored, limit: limit) }
        } catch {
            throw damage(error, location)
        }
        let segment = segment(of: location)
        throw StoreError(
            .tooLarge, "a value is larger than this opening allows: raise maximumValueBytes to read it",
            file: segment.path, offset: segment.offset(of: location))
    }

    @inline(never)
    func damage(_ error: FormatError, _ location: RecordLocation) -> StoreError {
        let segment = segment(of: location)
        if case .unsupported = error {
            return .unsupported(error, file: segment.path, offset: segment.offset(of: location))
        }
        return .corruption(
            "a record is not what was written: it was damaged after the store was opened, or opening did not read it",
            file: segment.path, offset: segment.offset(of: location), cause: error)
    }
}
