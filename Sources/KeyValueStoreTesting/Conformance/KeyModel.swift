/// What a store has to contain: a dictionary. It shares no code with an engine.
struct KeyModel: Sendable {
    var entries: [[UInt8]: Entry] = [:]

    mutating func apply(_ operations: [WriteBatch.Operation], _ sequence: SequenceNumber) {
        for operation in operations {
            entries[operation.key] = operation.value.map {
                Entry(key: operation.key, value: $0, sequence: sequence)
            }
        }
    }

    /// The entries of a range, in the order of a direction.
    func entries(in range: KeyRange, reversed: Bool = false) -> [Entry] {
        let sorted = entries.values.filter { Self.contains($0.key, in: range) }.sorted {
            $0.key.lexicographicallyPrecedes($1.key)
        }
        return reversed ? sorted.reversed() : sorted
    }

    static func contains(_ key: [UInt8], in range: KeyRange) -> Bool {
        let isAfterLower =
            switch range.lower {
            case .unbounded: true
            case .included(let bound): !key.lexicographicallyPrecedes(bound)
            case .excluded(let bound): bound.lexicographicallyPrecedes(key)
            }
        let isBeforeUpper =
            switch range.upper {
            case .unbounded: true
            case .included(let bound): !bound.lexicographicallyPrecedes(key)
            case .excluded(let bound): key.lexicographicallyPrecedes(bound)
            }
        return isAfterLower && isBeforeUpper
    }
}

extension KeyRange {
    /// Ranges with every kind of bound, at these keys, also with the bounds in the wrong order.
    static func withBounds(at keys: [[UInt8]]) -> [KeyRange] {
        let bounds: [KeyBound] = [.unbounded] + keys.flatMap { [.included($0), .excluded($0)] }
        return bounds.flatMap { lower in bounds.map { KeyRange(lower: lower, upper: $0) } }
    }
}
