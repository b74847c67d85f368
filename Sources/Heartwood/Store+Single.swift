internal import HeartwoodConcurrency
internal import HeartwoodFormat

/// The outcome of an attempt to write a single key without suspension.
@usableFromInline
enum SingleWrite: Sendable {
    /// The write has this sequence number, and is as durable as requested.
    case done(SequenceNumber)
    /// The same, but the thread has been busy for so long that it should yield to other tasks.
    case doneInOvertime(SequenceNumber)
    /// The write has this sequence number, and isn't yet as durable as requested.
    case accepted(SequenceNumber)
    /// The write continues as a batch: it has a condition, is large or compressed, or there was no space.
    case batch(ConditionalBatch)
}

/// A batch, and the conditions under which it is written.
@usableFromInline
struct ConditionalBatch: Sendable {
    let batch: EncodedBatch
    let conditions: [Requirement]
}

/// Writes of one key: the functions that the generic methods call. The generic methods are specialised in the caller's
/// module, because an unspecialised one costs about 200 ns per put.
///
/// The record is encoded directly into the commit buffer from the caller's bytes: nothing is allocated, and nothing is
/// copied twice. Only the checksum is computed earlier, without the lock, so that writers compute checksums in
/// parallel.
extension Store {
    /// - Parameter external: The value again, if it is too large to be copied.
    @usableFromInline
    func attempt(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, external: [UInt8]?, _ expires: Expiry,
        _ condition: KeyCondition?, _ durability: Durability?
    ) throws(StoreError) -> SingleWrite {
        try encoder.check(key, value)
        guard condition == nil, external == nil, !encoder.compresses(value) else {
            var batch = EncodedBatch()
            try encoder.put(key, value, external: external, expires: expires, to: &batch)
            return .batch(ConditionalBatch(batch: batch, conditions: Self.conditions(key, condition)))
        }
        let expiry = expires.isNever ? 0 : expires.stored(now: image.now)
        let kind: RecordKind = expiry == 0 ? .put : .putExpiring
        return try attempt(kind, key, value, expiry, durability)
    }

    @usableFromInline
    func attemptRemoval(
        of key: UnsafeRawBufferPointer, _ condition: KeyCondition?, _ durability: Durability?
    ) throws(StoreError) -> SingleWrite {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        try encoder.check(key, nothing)
        if condition == nil { return try attempt(.delete, key, nothing, 0, durability) }
        var batch = EncodedBatch()
        try encoder.remove(key, from: &batch)
        return .batch(ConditionalBatch(batch: batch, conditions: Self.conditions(key, condition)))
    }

    @inline(__always)
    private func attempt(
        _ kind: RecordKind, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ expiry: UInt64,
        _ durability: Durability?
    ) throws(StoreError) -> SingleWrite {
        if Task.isCancelled { throw .cancelled }
        // First, so that the leaf is fetched into the cache while the checksum is computed and the lock is taken.
        let preparation = image.index.preparer.prepare(key)
        let record = SingleRecord(kind, key: key, value: value, expiry: expiry)
        let level = (durability ?? log.configuration.durability).level
        switch try log.admit(record, level, preparation) {
        case .accepted(let sequence, let isVisible):
            guard isVisible else { return .accepted(sequence) }
            return TimeSlice.isOver() ? .doneInOvertime(sequence) : .done(sequence)
        case .mustWait:
            var batch = EncodedBatch()
            batch.append(
                kind, key: key, value: value, expiry: expiry, acceptedBytes: key.count + value.count)
            return .batch(ConditionalBatch(batch: batch, conditions: []))
        }
    }

    /// Waits until the write is as durable as requested.
    @usableFromInline
    nonisolated(nonsending) func finish(
        _ attempt: SingleWrite, _ durability: Durability?
    ) async throws(StoreError) -> SequenceNumber {
        switch attempt {
        case .done(let sequence):
            return sequence
        case .doneInOvertime(let sequence):
            await TimeSlice.yield()
            return sequence
        case .accepted(let sequence):
            try await log.visibleGate.wait(for: sequence)
            return sequence
        case .batch(let late):
            return try await write(late.batch, late.conditions, durability)
        }
    }

    private static func conditions(_ key: UnsafeRawBufferPointer, _ condition: KeyCondition?) -> [Requirement] {
        condition.map { [Requirement(form: .key([UInt8](key), $0))] } ?? []
    }
}
