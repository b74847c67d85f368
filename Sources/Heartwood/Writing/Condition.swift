internal import HeartwoodFileSystem

/// What must be true of one key for a write to happen. Judged on the newest state, writes under way included.
public struct KeyCondition: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case absent, sequence(SequenceNumber) }
    let kind: Kind

    /// The key isn't there (or has expired).
    public static let absent = KeyCondition(kind: .absent)
    /// The key was last set by the write of this number, as `Entry.sequence` tells it. Takes one read of the key's record,
    /// off the cooperative pool unless it is still in memory. Doesn't hold for a key that was removed or has expired.
    public static func sequence(_ sequence: SequenceNumber) -> KeyCondition { KeyCondition(kind: .sequence(sequence)) }
}

/// What must be true for a batch to be written. Judged in the same step that numbers the batch, on the newest state,
/// writes under way included.
public struct Condition: Sendable {
    enum Kind: Sendable {
        case key([UInt8], KeyCondition)
        /// The key's newest version lies there, and hasn't expired: what `.sequence` becomes once the record was read.
        case current([UInt8], Place)
        /// The key has no version from after a state, in which it was there or not.
        case unchangedKey([UInt8], since: Hold, wasThere: Bool)
        /// No key of the range has a version from after a state, and as many have a value as had one in it.
        case unchangedRange(KeyRange, since: Hold, count: Int)
    }
    /// States are held until the condition is gone: compaction gives what is older than all that is held places that tell
    /// nothing of when it was written.
    let kind: Kind

    /// The key isn't there (or has expired).
    public static func absent(_ key: some ByteSource) -> Condition {
        Condition(kind: .key(key.byteArray, .absent))
    }

    /// The key was last set by the write of this number. Takes one read of the key's record, off the cooperative pool
    /// unless it is still in memory. Doesn't hold for a key that was removed or has expired.
    public static func sequence(of key: some ByteSource, is sequence: SequenceNumber) -> Condition {
        Condition(kind: .key(key.byteArray, .sequence(sequence)))
    }

    /// No key of the range was set or removed since the snapshot was taken.
    ///
    /// - Complexity: O(keys in the range) now, and again when it is judged; other writes wait meanwhile.
    public static func unchanged(_ range: KeyRange, since snapshot: Snapshot) -> Condition {
        Condition(kind: .unchangedRange(range, since: snapshot.hold, count: snapshot.hold.count(range)))
    }

    /// Whether it holds. No I/O.
    func holds(in log: Log) -> Bool {
        switch kind {
        case .key(let key, let condition):
            // Numbers are in the records, which nobody reads here: `resolved` has seen to it that none is asked for.
            condition.kind == .absent && Self.current(key, in: log) == nil
        case .current(let key, let place):
            Self.current(key, in: log)?.place == place
        case .unchangedKey(let key, let hold, let wasThere):
            Self.isUnchanged(key, since: hold, wasThere: wasThere, in: log)
        case .unchangedRange(let range, let hold, let count):
            log.index.isUnchanged(
                range, since: hold.point.address, count: count, aliveAt: hold.now.milliseconds)
        }
    }

    /// What to tell whoever loses.
    var subject: String {
        switch kind {
        case .key(let key, _), .current(let key, _), .unchangedKey(let key, _, _): "the key \(printable(key))"
        case .unchangedRange: "a key of the range"
        }
    }
}

extension Condition {
    /// A key that was removed, or had expired, may have left the index: that is the same as never there.
    private static func isUnchanged(_ key: [UInt8], since hold: Hold, wasThere: Bool, in log: Log) -> Bool {
        guard let newest = lend(key, { log.index.newest($0) }), !newest.isTombstone else { return !wasThere }
        return newest.address <= hold.point.address
    }

    /// The newest version of a key, writes under way included, unless it was removed or has expired.
    private static func current(_ key: [UInt8], in log: Log) -> Version? {
        guard let newest = lend(key, { log.index.newest($0) }), !newest.isTombstone else { return nil }
        return newest.expiry == 0 || log.now.milliseconds < newest.expiry ? newest : nil
    }

    /// The condition in a form that needs no record to be judged; nil where it doesn't hold now.
    ///
    /// The index has places, not numbers. So the record is read here, before the actor is entered; there it is enough
    /// that the key's newest version is still that one. A number that the newest version doesn't have, no later one
    /// will: then it is over at once.
    nonisolated(nonsending) func resolved(in log: Log) async throws(StoreError) -> Condition? {
        guard case .key(let key, let condition) = kind, case .sequence = condition.kind else { return self }
        guard let version = Self.current(key, in: log) else { return nil }
        if log.mayBePending(version.place) { return try resolvedBlocking(in: log) }
        return try await BlockingPool.run { () throws(StoreError) in try resolvedBlocking(in: log) }
    }

    /// The same; may block on the disk.
    func resolvedBlocking(in log: Log) throws(StoreError) -> Condition? {
        guard case .key(let key, let condition) = kind, case .sequence(let sequence) = condition.kind else {
            return self
        }
        let found = try log.index.epochs.pinned { () throws(StoreError) -> (place: Place, sequence: SequenceNumber)? in
            // Looked up with the epoch pinned: the file of a place that isn't may be gone.
            guard let version = Self.current(key, in: log) else { return nil }
            return try lend(key) { (key) throws(StoreError) in
                try RecordReader(log: log).withValue(of: key, version) { (version.place, $1) }
            }
        }
        guard let found, found.sequence == sequence else { return nil }
        return Condition(kind: .current(key, found.place))
    }

    /// What to throw where it doesn't hold.
    var conflict: StoreError {
        StoreError(.conflict, "\(subject) changed: read it again and decide anew")
    }
}

/// A key for a message: as text where it is text, shortened.
func printable(_ key: [UInt8]) -> String {
    let head = key.prefix(64)
    let text = head.allSatisfy { (0x20..<0x7F).contains($0) }
    let shown =
        text
        ? "\"" + String(decoding: head, as: UTF8.self)
        : "0x" + head.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return shown + (key.count > 64 ? "…" : "") + (text ? "\"" : "")
}
