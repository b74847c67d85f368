internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Turns operations into records: checks the limits, compresses, and computes the checksums. This runs in the caller's
/// task, so that many callers work in parallel and the actor only copies. Single writes that are neither large nor
/// compressed don't use it.
@usableFromInline
struct RecordEncoder: Sendable {
    let log: Log
    let deflaters: DeflaterPool

    /// Values of at least this size are not copied into the commit buffer.
    @usableFromInline
    static var externalBytes: Int { 1 << 20 }

    /// - Parameter external: The value again, if it is too large to be copied.
    func put(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, external: [UInt8]?, expires: Expiry,
        to batch: inout EncodedBatch
    ) throws(StoreError) {
        let expiry = expires.isNever ? 0 : expires.stored(now: log.now)
        let kind: RecordKind = expiry == 0 ? .put : .putExpiring
        let accepted = key.count + value.count
        try check(key, value, batch: batch.encodedLength)
        if let stored = compressed(value) {
            append(kind, .compressed, key, stored, expiry, accepted, to: &batch)
        } else if let external {
            append(kind, [], key, external, expiry, accepted, to: &batch)
        } else {
            batch.append(kind, key: key, value: value, expiry: expiry, acceptedBytes: accepted)
        }
    }

    func remove(_ key: UnsafeRawBufferPointer, from batch: inout EncodedBatch) throws(StoreError) {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        try check(key, nothing, batch: batch.encodedLength)
        batch.append(.delete, key: key, value: nothing, acceptedBytes: key.count)
    }

    private func append(
        _ kind: RecordKind, _ flags: RecordHeader.Flags, _ key: UnsafeRawBufferPointer, _ stored: [UInt8],
        _ expiry: UInt64, _ accepted: Int, to batch: inout EncodedBatch
    ) {
        if stored.count >= Self.externalBytes {
            batch.append(kind, flags: flags, key: key, external: stored, expiry: expiry, acceptedBytes: accepted)
        } else {
            lend(stored) {
                batch.append(kind, flags: flags, key: key, value: $0, expiry: expiry, acceptedBytes: accepted)
            }
        }
    }

    /// Whether the store tries to compress a value.
    @inline(__always)
    func compresses(_ value: UnsafeRawBufferPointer) -> Bool {
        log.configuration.compression.isEnabled && value.count >= log.configuration.compression.threshold
    }

    private func compressed(_ value: UnsafeRawBufferPointer) -> [UInt8]? {
        guard compresses(value) else { return nil }
        return deflaters.withDeflater { $0.storedForm(of: value) } ?? nil
    }

    /// Throws unless a record is within the limits.
    @inline(__always)
    func check(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, batch: Int = 0
    ) throws(StoreError) {
        try KeyLimits.check(key)
        let limit = log.configuration.maximumValueBytes
        guard value.count <= limit, batch + value.count + key.count + 64 <= FormatConstants.maximumBatchBytes else {
            throw refusal(of: value.count, limit)
        }
    }

    private func refusal(of value: Int, _ limit: Int) -> StoreError {
        value > limit
            ? StoreError(
                .tooLarge,
                "a value has \(value) bytes, over the limit of \(limit): raise maximumValueBytes or split it")
            : StoreError(.tooLarge, "a batch would exceed 2 GiB: write it as several batches")
    }
}

/// A pool of deflate streams: making one costs as much as compressing a small value.
final class DeflaterPool: Sendable {
    private let level: Int
    // One for each task that compresses at the same time; at most 16 are kept.
    private let idle = Locked<[Deflater]>([])

    init(level: Int) { self.level = level }

    /// Returns nil if zlib can't allocate memory; then values are stored uncompressed.
    func withDeflater<R>(_ body: (Deflater) -> R) -> R? {
        guard let deflater = idle.withLock({ $0.popLast() }) ?? Deflater(level: level) else { return nil }
        defer { idle.withLock { if $0.count < 16 { $0.append(deflater) } } }
        return body(deflater)
    }
}
