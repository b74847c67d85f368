internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Turns operations into records: checks the limits, compresses, and computes the checksums. This runs in the caller's
/// task, so that many callers work in parallel and the actor only copies. Single writes that are neither large nor
/// compressed don't use it.
@usableFromInline
struct RecordEncoder: Sendable {
    let log: Log
    private let deflaters: DeflaterPool
    /// Of the configuration. Read for each operation, so not through the log.
    private let mostValueBytes: Int
    private let compressedFrom: Int

    init(_ log: Log) {
        let configuration = log.configuration
        self.log = log
        deflaters = DeflaterPool(level: configuration.compression.level)
        mostValueBytes = configuration.maximumValueBytes
        compressedFrom = configuration.compression.isEnabled ? configuration.compression.threshold : .max
    }

    /// Values of at least this size are not copied into the commit buffer.
    @usableFromInline
    static var externalBytes: Int { WriteBatch.externalBytes }

    /// - Parameter external: The value again, if it is too large to be copied.
    func put(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, external: [UInt8]?, expires: Expiry,
        to batch: inout EncodedBatch
    ) throws(StoreError) {
        let accepted = key.count + value.count
        try check(key, value, batch: batch.encodedLength)
        let expiry = expires.isNever ? 0 : expires.stored(now: log.image.now)
        let kind: RecordKind = expiry == 0 ? .put : .putExpiring
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
        value.count >= compressedFrom
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
        guard fits(key, value, batch) else { throw refusal(of: value.count, mostValueBytes) }
    }

    @inline(__always)
    private func fits(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ batch: Int) -> Bool {
        value.count <= mostValueBytes && batch + value.count + key.count + 64 <= FormatConstants.maximumBatchBytes
    }

    /// Appends a put of a value that doesn't expire. Returns false, and appends nothing, if the record is outside the
    /// limits or the value may be compressed.
    @inline(__always)
    func append(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, to batch: inout EncodedBatch
    ) -> Bool {
        guard KeyLimits.allow(key), !compresses(value), fits(key, value, batch.encodedLength) else { return false }
        batch.append(.put, key: key, value: value, expiry: 0, acceptedBytes: key.count + value.count)
        return true
    }

    private func refusal(of value: Int, _ limit: Int) -> StoreError {
        value > limit
            ? StoreError(
                .tooLarge,
                "a value has \(value) bytes, over the limit of \(limit): raise maximumValueBytes or split it")
            : StoreError(.tooLarge, "a batch would exceed 2 GiB: write it as several batches")
    }
}

/// The operations of a batch that is encoded as it is filled.
///
/// `@unchecked Sendable`, and no checks of exclusive access: it is changed only by the one ``WriteBatch`` that owns it,
/// which is a value. A structure in an existential costs 300 instructions for each operation, the checks 150.
final class EncodedWrites: BatchEncoder, @unchecked Sendable {
    private let encoder: RecordEncoder
    @exclusivity(unchecked)
    private(set) var encoded: EncodedBatch
    /// Why an operation was refused.
    @exclusivity(unchecked)
    private(set) var failure: StoreError?

    init(_ encoder: RecordEncoder, _ encoded: EncodedBatch = EncodedBatch(), _ failure: StoreError? = nil) {
        (self.encoder, self.encoded, self.failure) = (encoder, encoded, failure)
    }

    var count: Int { encoded.recordCount }

    func copy() -> any BatchEncoder { EncodedWrites(encoder, encoded, failure) }

    func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        if failure == nil, encoder.append(key, value, to: &encoded) { return }
        put(key, value, external: nil, expires: .never)
    }

    func put(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, external: [UInt8]?, expires: Expiry
    ) {
        guard failure == nil else { return }
        do throws(StoreError) {
            try encoder.put(key, value, external: external, expires: expires, to: &encoded)
        } catch {
            failure = error
        }
    }

    func remove(_ key: UnsafeRawBufferPointer) {
        guard failure == nil else { return }
        do throws(StoreError) {
            try encoder.remove(key, from: &encoded)
        } catch {
            failure = error
        }
    }

    func add(_ operation: WriteBatch.Operation, _ now: Timestamp) {
        lend(operation.key) { key in
            guard let value = operation.value else { return remove(key) }
            let isExternal = value.count >= RecordEncoder.externalBytes
            lend(value) { bytes in
                put(key, bytes, external: isExternal ? value : nil, expires: operation.expires.counted { now })
            }
        }
    }

    func reserveCapacity(_ bytes: Int) {
        encoded.reserveCapacity(min(bytes, FormatConstants.maximumBatchBytes))
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
