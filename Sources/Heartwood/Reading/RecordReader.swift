internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Fetches the record of a place and verifies it: its checksums, and that it is the record of the key that was asked
/// for. Never hands out a byte that it did not verify.
struct RecordReader: Sendable {
    let log: Log

    /// Records up to this size are read onto the stack.
    private static let stackBytes = 4096

    /// Calls `body` with the value, decompressed.
    ///
    /// - Throws: `.corruption` when the record isn't what was written; `.inputOutput` when it can't be read.
    func withValue<R>(
        of key: UnsafeRawBufferPointer, at place: Place, _ body: (UnsafeRawBufferPointer) -> R
    ) throws(StoreError) -> R {
        if let bytes = log.pendingRecord(at: place) {
            let segment = log.segments.segment(place.segment)
            return try lend(bytes) { (record) throws(StoreError) in try open(record, key, place, segment, body) }
        }
        let segment = log.segments.segment(place.segment)
        let length = Int(place.length)
        if length <= Self.stackBytes {
            return try withUnsafeTemporaryAllocation(byteCount: length, alignment: 8) { buffer in
                Result { () throws(StoreError) -> R in
                    let count = try read(into: buffer, place, segment)
                    return try open(UnsafeRawBufferPointer(rebasing: buffer[..<count]), key, place, segment, body)
                }
            }.get()
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 8)
        defer { memory.deallocate() }
        let count = try read(into: memory, place, segment)
        return try open(UnsafeRawBufferPointer(rebasing: memory[..<count]), key, place, segment, body)
    }

    private func read(
        into buffer: UnsafeMutableRawBufferPointer, _ place: Place, _ segment: Segment
    ) throws(StoreError) -> Int {
        do throws(FileSystemError) {
            return try segment.file.readFully(into: buffer, at: place.offset)
        } catch {
            if log.isEnded { throw .closed }
            throw StoreError(error.naming(segment), "a record could not be read")
        }
    }

    private func open<R>(
        _ record: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ place: Place, _ segment: Segment,
        _ body: (UnsafeRawBufferPointer) -> R
    ) throws(StoreError) -> R {
        do throws(FormatError) {
            let (stored, isCompressed) = try verified(record, key, segment.header.salt, place.offset)
            guard isCompressed else { return body(stored) }
            let limit = log.configuration.maximumValueBytes
            let length = try Inflater.declaredLength(of: stored)
            if length <= limit {
                return lend(try Inflater.value(of: stored, limit: limit)) { body($0) }
            }
        } catch {
            throw .corruption(
                "a record is not what was written: it was damaged after the store was opened, or opening did not read it",
                file: segment.path, offset: place.offset, cause: error)
        }
        throw StoreError(
            .tooLarge, "a value is larger than this opening allows: raise maximumValueBytes to read it",
            file: segment.path, offset: place.offset)
    }

    /// The value as stored, once everything about the record is as it should be.
    private func verified(
        _ record: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ salt: UInt32, _ offset: UInt64
    ) throws(FormatError) -> (stored: UnsafeRawBufferPointer, isCompressed: Bool) {
        let header = try RecordHeader.decode(record, salt: salt, offset: offset)
        guard header.encodedLength == record.count else { throw .truncated }
        let payload = record.slice(
            FormatConstants.recordHeaderSize, record.count - FormatConstants.recordHeaderSize)
        guard CRC32C.checksum(payload) == header.payloadChecksum else { throw .checksumMismatch }
        guard payload.slice(0, Int(header.keyLength)).isEqual(to: key) else { throw .invalidField(.keyLength) }
        return (
            payload.slice(Int(header.keyLength), Int(header.valueLength)), header.flags.contains(.compressed)
        )
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
