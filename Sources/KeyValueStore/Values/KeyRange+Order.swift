extension KeyRange {
    @inlinable
    package func contains(_ key: UnsafeRawBufferPointer) -> Bool {
        startsBefore(key) && endsAfter(key)
    }

    /// Whether the bounds exclude every key. Bounds in the wrong order make an empty range, not an error.
    package var isEmpty: Bool {
        switch (lower, upper) {
        case (.unbounded, .unbounded), (.unbounded, .included), (.included, .unbounded), (.excluded, .unbounded):
            false
        case (.unbounded, .excluded(let upper)):
            upper.isEmpty
        case (.included(let lower), .included(let upper)):
            KeyOrder.compare(lower, upper) > 0
        case (.included(let lower), .excluded(let upper)), (.excluded(let lower), .included(let upper)),
            (.excluded(let lower), .excluded(let upper)):
            KeyOrder.compare(lower, upper) >= 0
        }
    }

    /// The part of the range that a reader still has to read when it has read up to and including `cursor`.
    package func remainder(after cursor: [UInt8], reversed: Bool) -> KeyRange {
        var remainder = self
        cursor.withUnsafeBytes { key in
            if reversed {
                if endsAfter(key) { remainder.upper = .excluded(cursor) }
            } else {
                if startsBefore(key) { remainder.lower = .excluded(cursor) }
            }
        }
        return remainder
    }

    /// The part of the range that a reader has read when it has read up to and including `cursor`; the whole range if
    /// that is nil.
    package func part(through cursor: [UInt8]?, reversed: Bool) -> KeyRange {
        guard let cursor else { return self }
        var part = self
        if reversed { part.lower = .included(cursor) } else { part.upper = .included(cursor) }
        return part
    }

    @usableFromInline
    package func startsBefore(_ key: UnsafeRawBufferPointer) -> Bool {
        switch lower {
        case .unbounded: true
        case .included(let bound): bound.withUnsafeBytes { KeyOrder.compare($0, key) <= 0 }
        case .excluded(let bound): bound.withUnsafeBytes { KeyOrder.compare($0, key) < 0 }
        }
    }

    @usableFromInline
    package func endsAfter(_ key: UnsafeRawBufferPointer) -> Bool {
        switch upper {
        case .unbounded: true
        case .included(let bound): bound.withUnsafeBytes { KeyOrder.compare($0, key) >= 0 }
        case .excluded(let bound): bound.withUnsafeBytes { KeyOrder.compare($0, key) > 0 }
        }
    }
}
