extension RecordReader {
    /// Lends the decompressed value to code of the user, which runs without the epoch pin: it may take long, and must
    /// not keep replaced files and memory from being freed.
    ///
    /// - Parameter pin: An epoch pin since the look-up of the location. Released, and nil, once `body` is called. If
    ///   this throws earlier, the caller releases it.
    @inline(__always)
    func lendValue(
        of key: UnsafeRawBufferPointer, _ version: Version, _ pin: inout EpochPin?,
        _ body: (UnsafeRawBufferPointer, SequenceNumber) -> Void
    ) throws(StoreError) {
        let location = version.location
        if let copy = image.pendingRecord(at: location) {
            let identity = segment(of: location).identity
            return try lend(copy) { (bytes) throws(StoreError) in
                try lendValue(of: key, in: bytes, version, identity, &pin, body)
            }
        }
        let segment = segment(of: location)
        if let bytes = segment.mappedBytes(of: location) {
            prefetch(bytes)
            let mapping = segment.retainMapping()
            defer { mapping.release() }
            return try lendValue(of: key, in: bytes, version, segment.identity, &pin, body)
        }
        try withBuffer(for: location) { (buffer) throws(StoreError) in
            let bytes = try read(into: buffer, at: segment.offset(of: location), segment)
            try lendValue(of: key, in: bytes, version, segment.identity, &pin, body)
        }
    }

    /// - Parameter bytes: From the record's first byte; may extend past the record. Valid without the epoch pin.
    @inline(__always)
    private func lendValue(
        of key: UnsafeRawBufferPointer, in bytes: UnsafeRawBufferPointer, _ version: Version,
        _ segment: SegmentIdentity, _ pin: inout EpochPin?,
        _ body: (UnsafeRawBufferPointer, SequenceNumber) -> Void
    ) throws(StoreError) {
        let record = try record(of: key, in: bytes, version, segment)
        if let taken = pin.take() { image.index.unpinEpoch(taken) }
        if !record.isCompressed { return body(record.stored, record.sequence) }
        let value = try decompressed(record, version.location)
        lend(value) { body($0, record.sequence) }
    }
}
