internal import HeartwoodConcurrency

/// The outcome of a read that doesn't wait for the disk.
@usableFromInline
enum ReadAttempt<Value: Sendable>: Sendable {
    case done(Value)
    /// The same, but the thread has been busy for so long that it should yield to other tasks.
    case doneInOvertime(Value)
    /// The read must wait for the disk, or takes long.
    case mustWait
}

/// Asynchronous reads. They run on the caller's thread as long as they needn't wait for the disk, and yield to other
/// tasks after a time slice. What must wait runs on the blocking pool.
extension Reader {
    @inline(__always)
    private func attempt<R: Sendable>(
        _ key: UnsafeRawBufferPointer, _ body: (Version, UnsafeRawBufferPointer, SequenceNumber) -> R
    ) throws(StoreError) -> ReadAttempt<R?> {
        let pin = image.index.pinEpoch()
        defer { image.index.unpinEpoch(pin) }
        var value: R?
        if let version = try version(of: key) {
            value = try records.withValueNow(of: key, version) { body(version, $0, $1) }
            if value == nil { return .mustWait }
        }
        return TimeSlice.isOver() ? .doneInOvertime(value) : .done(value)
    }

    func attemptValue(of key: UnsafeRawBufferPointer) throws(StoreError) -> ReadAttempt<[UInt8]?> {
        try attempt(key) { _, value, _ in [UInt8](value) }
    }

    nonisolated(nonsending) func finish(
        _ attempt: ReadAttempt<[UInt8]?>, _ key: [UInt8]
    ) async throws(StoreError) -> [UInt8]? {
        switch attempt {
        case .done(let value): return value
        case .doneInOvertime(let value):
            await TimeSlice.yield()
            return value
        case .mustWait: return try await BlockingPool.run { () throws(StoreError) in try value(of: key) }
        }
    }

    nonisolated(nonsending) func fetchValue(of key: some ByteSource) async throws(StoreError) -> [UInt8]? {
        let attempt = try key.withByteBuffer { (key) throws(StoreError) in try attemptValue(of: key) }
        if case .done(let value) = attempt { return value }
        return try await finish(attempt, key.byteArray)
    }

    nonisolated(nonsending) func fetchEntry(of key: some ByteSource) async throws(StoreError) -> Entry? {
        let attempt = try key.withByteBuffer { (key) throws(StoreError) in
            try self.attempt(key) { version, value, sequence in Entry(key, version, value, sequence) }
        }
        switch attempt {
        case .done(let entry): return entry
        case .doneInOvertime(let entry):
            await TimeSlice.yield()
            return entry
        case .mustWait:
            let key = key.byteArray
            return try await BlockingPool.run { () throws(StoreError) in try entry(of: key) }
        }
    }

    /// Lends a value with its sequence number and expiry. False if there is none.
    ///
    /// - Parameter body: Runs without the epoch pin, so it may take long.
    nonisolated(nonsending) func fetchEntry(
        of key: [UInt8], lendingTo body: (RawSpan, SequenceNumber, Timestamp?) -> Void
    ) async throws(StoreError) -> Bool {
        if let isThere = try lendNow(key, body) {
            if TimeSlice.isOver() { await TimeSlice.yield() }
            return isThere
        }
        guard let entry = try await BlockingPool.run({ () throws(StoreError) in try entry(of: key) }) else {
            return false
        }
        body(entry.value.span.bytes, entry.sequence, entry.expires)
        return true
    }

    /// Nil if the read must wait for the disk, or takes long.
    @inline(__always)
    private func lendNow(
        _ key: [UInt8], _ body: (RawSpan, SequenceNumber, Timestamp?) -> Void
    ) throws(StoreError) -> Bool? {
        try lend(key) { (key) throws(StoreError) -> Bool? in
            var pin: EpochPin? = image.index.pinEpoch()
            defer { if let pin { image.index.unpinEpoch(pin) } }
            guard let version = try version(of: key) else { return false }
            let isDone = try records.lendValueNow(of: key, version, &pin) { value, sequence in
                body(value.bytes, sequence, version.expires)
            }
            return isDone ? true : nil
        }
    }

    /// As `values`. Only at a read point that the caller keeps pinned.
    nonisolated(nonsending) func fetchValues(of keys: [some ByteSource]) async throws(StoreError) -> [[UInt8]?] {
        try await fetchAll(keys) { _, value, _ in [UInt8](value) }
    }

    /// The entries of many keys. Only at a read point that the caller keeps pinned.
    nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        try await fetchAll(keys) { found, value, sequence in
            Entry(key: found.key, value: [UInt8](value), sequence: sequence, expires: found.version.expires)
        }
    }

    private nonisolated(nonsending) func fetchAll<Value: Sendable>(
        _ keys: [some ByteSource],
        _ make: @escaping @Sendable (FoundKey, UnsafeRawBufferPointer, SequenceNumber) -> Value
    ) async throws(StoreError) -> [Value?] {
        var found: [FoundKey] = []
        for index in keys.indices {
            if let key = try find(keys[index], index) { found.append(key) }
            if TimeSlice.isOver() { await TimeSlice.yield() }
        }
        found.sort()
        var values = [Value?](repeating: nil, count: keys.count)
        var done = 0
        while done < found.count, let value = try valueNow(of: found[done], make) {
            values[found[done].index] = value
            done += 1
            if TimeSlice.isOver() { await TimeSlice.yield() }
        }
        if done == found.count { return values }
        // Once a record must be waited for, the following ones probably must be, too.
        let (read, rest) = (values, found[done...])
        return try await BlockingPool.run { () throws(StoreError) in
            var values = read
            for found in rest {
                values[found.index] = try lend(found.key) { (key) throws(StoreError) in
                    try records.withValue(of: key, found.version) { make(found, $0, $1) }
                }
            }
            return values
        }
    }

    private func valueNow<Value>(
        of found: FoundKey, _ make: (FoundKey, UnsafeRawBufferPointer, SequenceNumber) -> Value
    ) throws(StoreError) -> Value? {
        try lend(found.key) { (key) throws(StoreError) in
            try records.withValueNow(of: key, found.version) { make(found, $0, $1) }
        }
    }
}
