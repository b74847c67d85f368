internal import HeartwoodFileSystem

/// A ``Condition`` in the form in which it is evaluated: in the same step that gives the batch its sequence number, on
/// the newest state, including writes in progress.
struct Requirement: Sendable {
    enum Form: Sendable {
        case key([UInt8], KeyCondition)
        /// The key's newest version has this location and hasn't expired. `.sequence` becomes this once the record was
        /// read, which has this number.
        case current([UInt8], RecordLocation, SequenceNumber)
        /// The key has no version newer than the read pin, at which it existed or not.
        case unchangedKey([UInt8], since: ReadPin, wasThere: Bool)
        /// No key of the range has a version newer than the read pin, and as many keys have a value as at the pin.
        case unchangedRange(KeyRange, since: ReadPin, count: Int)
    }
    /// A condition keeps its read pin until it is released. Without the pin, compaction may move the versions that it
    /// compares with to snapshot locations, which don't tell when a record was written.
    let form: Form

    /// Whether the condition holds. No I/O.
    func holds(in image: StoreImage) -> Bool {
        switch form {
        case .key(let key, let condition):
            // Sequence numbers are in the records, which this can't read. `resolved` has replaced every `.sequence`.
            condition == .absent && Self.current(key, in: image) == nil
        case .current(let key, let location, _):
            Self.current(key, in: image)?.location == location
        case .unchangedKey(let key, let pin, let wasThere):
            Self.isUnchanged(key, since: pin, wasThere: wasThere, in: image)
        case .unchangedRange(let range, let pin, let count):
            image.index.isUnchanged(
                range, since: pin.point.address, count: count, aliveAt: pin.now.milliseconds)
        }
    }

    /// What changed, for the error message.
    var subject: String {
        switch form {
        case .key(let key, _), .current(let key, _, _), .unchangedKey(let key, _, _): "the key \(printable(key))"
        case .unchangedRange: "a key of the range"
        }
    }
}

extension Requirement {
    /// A key that was removed, or had expired, may no longer be in the index. That equals a key that never existed.
    private static func isUnchanged(_ key: [UInt8], since pin: ReadPin, wasThere: Bool, in image: StoreImage) -> Bool {
        guard let newest = lend(key, { image.index.newest($0) }), !newest.isTombstone else { return !wasThere }
        return newest.address <= pin.point.address
    }

    /// The newest version of a key, including writes in progress; nil if the key was removed or has expired.
    static func current(_ key: [UInt8], in image: StoreImage) -> Version? {
        guard let newest = lend(key, { image.index.newest($0) }), !newest.isTombstone else { return nil }
        return newest.expiry == 0 || image.now.milliseconds < newest.expiry ? newest : nil
    }

    /// The error for a condition that doesn't hold.
    var conflict: StoreError {
        StoreError(.conflict, "\(subject) changed: read it again and decide again")
    }
}

/// A key for a message, shortened: as text if it is printable, otherwise in hexadecimal.
func printable(_ key: [UInt8]) -> String {
    let head = key.prefix(64)
    let text = head.allSatisfy { (0x20..<0x7F).contains($0) }
    let shown =
        text
        ? "\"" + String(decoding: head, as: UTF8.self)
        : "0x" + head.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return shown + (key.count > 64 ? "…" : "") + (text ? "\"" : "")
}
