internal import HeartwoodFileSystem

extension Condition {
    /// No key of the range was set or removed since the read view was made.
    ///
    /// - Complexity: O(keys in the range) now, and again when it is evaluated; other writes wait during the evaluation.
    public static func unchanged(_ range: KeyRange, since view: ReadView) -> Condition {
        Condition(form: .unchangedRange(range, since: view.pin, count: view.pin.count(range)))
    }

    /// The key was neither set nor removed since the read view was made. A key that has expired since then counts as
    /// unchanged. Keeps what the view shows until the condition is released.
    ///
    /// ```swift
    /// let view = try store.readView()
    /// let price = try view.get("price") ?? []
    /// try await store.write(if: [.unchanged("price", since: view)]) { $0.put("order:1", price) }
    /// ```
    ///
    /// - Complexity: O(log n) now, and again when it is evaluated. No I/O.
    public static func unchanged(_ key: some ByteSource, since view: ReadView) -> Condition {
        let key = key.byteArray
        return Condition(form: .unchangedKey(key, since: view.pin, wasThere: view.pin.shows(key)))
    }

    /// The condition in a form that is evaluated without reading a record; nil if it doesn't hold now.
    ///
    /// The index has locations, not sequence numbers. So the record is read here, before the actor is entered. On the
    /// actor it is enough that the key's newest version still has the same location. If the newest version has another
    /// sequence number, no later version will have the wanted one, so the condition fails immediately.
    nonisolated(nonsending) func resolved(in log: Log) async throws(StoreError) -> Condition? {
        guard case .key(let key, let condition) = form, case .sequence(let sequence) = condition.kind else {
            return self
        }
        switch try Self.foundNow(key, in: log) {
        case .found(let found): return Self.resolved(key, sequence, found)
        case .mustWait:
            return try await BlockingPool.run { () throws(StoreError) in try resolvedBlocking(in: log) }
        }
    }

    /// A key's newest version, and the number of its write; nil if the key was removed or has expired.
    private typealias Found = (location: RecordLocation, sequence: SequenceNumber)?

    private enum Attempt {
        case found(Found)
        case mustWait
    }

    /// Reads the record, unless that would have to wait for the disk.
    private static func foundNow(_ key: [UInt8], in log: Log) throws(StoreError) -> Attempt {
        try log.index.pinningEpoch { () throws(StoreError) in
            guard let version = current(key, in: log) else { return .found(nil) }
            let sequence = try lend(key) { (key) throws(StoreError) in
                try RecordReader(log: log).withValueNow(of: key, version) { $1 }
            }
            return sequence.map { .found((version.location, $0)) } ?? .mustWait
        }
    }

    private static func resolved(_ key: [UInt8], _ sequence: SequenceNumber, _ found: Found) -> Condition? {
        guard let found, found.sequence == sequence else { return nil }
        return Condition(form: .current(key, found.location, sequence))
    }

    /// The same. May block on the disk.
    func resolvedBlocking(in log: Log) throws(StoreError) -> Condition? {
        guard case .key(let key, let condition) = form, case .sequence(let sequence) = condition.kind else {
            return self
        }
        let found = try log.index.pinningEpoch { () throws(StoreError) -> Found in
            // Looked up with the reclamation epoch pinned: otherwise the file of the location may already be deleted.
            guard let version = Self.current(key, in: log) else { return nil }
            return try lend(key) { (key) throws(StoreError) in
                try RecordReader(log: log).withValue(of: key, version) { (version.location, $1) }
            }
        }
        return Self.resolved(key, sequence, found)
    }
}
