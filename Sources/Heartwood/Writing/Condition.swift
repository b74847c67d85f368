/// What must be true of one key for a write to happen. Judged on the newest state, writes under way included.
public struct KeyCondition: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case absent, sequence(SequenceNumber) }
    let kind: Kind

    /// The key isn't there (or has expired).
    public static let absent = KeyCondition(kind: .absent)
    /// The key was last set by the write of this number, as `Entry.sequence` tells it.
    public static func sequence(_ sequence: SequenceNumber) -> KeyCondition { KeyCondition(kind: .sequence(sequence)) }
}

/// What must be true for a batch to be written. Judged in the same step that numbers the batch, on the newest state,
/// writes under way included.
public struct Condition: Sendable {
    enum Kind: Sendable {
        case key([UInt8], KeyCondition)
        case unchangedKey([UInt8], SequenceNumber)
        case unchangedRange(KeyRange, base: SequenceNumber, count: Int)
    }
    let kind: Kind

    /// The key isn't there (or has expired).
    public static func absent(_ key: some ByteSource) -> Condition {
        Condition(kind: .key(key.byteArray, .absent))
    }

    /// The key was last set by the write of this number.
    public static func sequence(of key: some ByteSource, is sequence: SequenceNumber) -> Condition {
        Condition(kind: .key(key.byteArray, .sequence(sequence)))
    }

    /// No key of the range was set or removed since the snapshot was taken.
    ///
    /// - Complexity: O(keys in the range) now, and again when it is judged.
    public static func unchanged(_ range: KeyRange, since snapshot: Snapshot) -> Condition {
        let sequence = snapshot.sequence
        let count = snapshot.hold.log.index.count(range, at: sequence)
        return Condition(kind: .unchangedRange(range, base: sequence, count: count))
    }

    /// Whether it holds. No I/O.
    func holds(in log: Log) -> Bool {
        switch kind {
        case .key(let key, let condition):
            lend(key) { condition.holds(for: $0, in: log) }
        case .unchangedKey(let key, let sequence):
            // A key that was removed may have left the index: absent and removed are the same here.
            lend(key) { log.index.newest($0).map { $0.isTombstone ? 0 : $0.sequence } ?? 0 } == sequence
        case .unchangedRange(let range, let base, let count):
            log.index.isUnchanged(range, since: base, count: count)
        }
    }

    /// What to tell whoever loses.
    var subject: String {
        switch kind {
        case .key(let key, _), .unchangedKey(let key, _): "the key \(printable(key))"
        case .unchangedRange: "a key of the range"
        }
    }
}

extension KeyCondition {
    func holds(for key: UnsafeRawBufferPointer, in log: Log) -> Bool {
        let newest = log.index.newest(key)
        let isThere =
            newest.map { !$0.isTombstone && ($0.expiry == 0 || log.now.milliseconds < $0.expiry) } ?? false
        switch kind {
        case .absent: return !isThere
        case .sequence(let sequence): return isThere && newest!.sequence == sequence
        }
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
