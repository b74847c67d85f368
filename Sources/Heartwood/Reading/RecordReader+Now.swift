internal import HeartwoodFormat

/// Reads that don't wait for the disk. Mapped files are read by calls, because access to a mapping may wait.
extension RecordReader {
    /// The longest record, and the longest decompressed value, that is read in this way: the copying of a longer one
    /// would occupy the caller's thread for longer than the way to another thread takes.
    private static let longest = 64 << 10

    /// As `withValue(of:_:_:)`; nil if that would have to wait for the disk, or would take long.
    @inline(__always)
    func withValueNow<R>(
        of key: UnsafeRawBufferPointer, _ version: Version, _ body: (UnsafeRawBufferPointer, SequenceNumber) -> R
    ) throws(StoreError) -> R? {
        let location = version.location
        if location.lengthBound > Self.longest { return nil }
        let segment = segment(of: location)
        if let copy = image.pendingRecord(at: location) {
            return try lend(copy) { (bytes) throws(StoreError) in
                try withValueNow(of: key, in: bytes, version, segment.identity, body)
            }
        }
        return try withBuffer(for: location) { (buffer) throws(StoreError) -> R? in
            guard let bytes = try readNow(into: buffer, at: segment.offset(of: location), segment) else { return nil }
            return try withValueNow(of: key, in: bytes, version, segment.identity, body)
        }
    }

    /// As `withValue(of:in:_:_:_:)`; nil if that would take long.
    @inline(__always)
    func withValueNow<R>(
        of key: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer, _ version: Version,
        _ segment: SegmentIdentity, _ body: (UnsafeRawBufferPointer, SequenceNumber) -> R
    ) throws(StoreError) -> R? {
        let record = try record(of: key, in: bytes, version, segment)
        if !record.isCompressed { return body(record.stored, record.sequence) }
        guard isShort(record) else { return nil }
        let value = try decompressed(record, version.location)
        return lend(value) { body($0, record.sequence) }
    }

    /// As `lendValue(of:_:_:_:)`; false if that would have to wait for the disk, or would take long.
    @inline(__always)
    func lendValueNow(
        of key: UnsafeRawBufferPointer, _ version: Version, _ pin: inout EpochPin?,
        _ body: (UnsafeRawBufferPointer, SequenceNumber) -> Void
    ) throws(StoreError) -> Bool {
        let location = version.location
        if location.lengthBound > Self.longest { return false }
        let segment = segment(of: location)
        if let copy = image.pendingRecord(at: location) {
            return try lend(copy) { (bytes) throws(StoreError) in
                try lendValueNow(of: key, in: bytes, version, segment.identity, &pin, body)
            }
        }
        return try withBuffer(for: location) { (buffer) throws(StoreError) -> Bool in
            let offset = segment.offset(of: location)
            guard let bytes = try readNow(into: buffer, at: offset, segment) else { return false }
            return try lendValueNow(of: key, in: bytes, version, segment.identity, &pin, body)
        }
    }

    @inline(__always)
    private func lendValueNow(
        of key: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer, _ version: Version,
        _ segment: SegmentIdentity, _ pin: inout EpochPin?,
        _ body: (UnsafeRawBufferPointer, SequenceNumber) -> Void
    ) throws(StoreError) -> Bool {
        let record = try record(of: key, in: bytes, version, segment)
        if record.isCompressed && !isShort(record) { return false }
        let value = record.isCompressed ? try decompressed(record, version.location) : nil
        if let taken = pin.take() { image.index.unpinEpoch(taken) }
        if let value { lend(value) { body($0, record.sequence) } } else { body(record.stored, record.sequence) }
        return true
    }

    /// False also if the length is damaged: the other read reports that.
    @inline(never)
    private func isShort(_ record: Record) -> Bool {
        (try? Inflater.declaredLength(of: record.stored)).map { $0 <= Self.longest } ?? false
    }
}
