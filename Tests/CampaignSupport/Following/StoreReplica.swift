package import Heartwood

/// A copy of a store that follows its changes, and checks what every feed promises: no change is missing, none comes
/// twice, and a batch comes whole.
package struct StoreReplica: Sendable {
    package struct Value: Sendable, Hashable {
        package var bytes: [UInt8]
        package var sequence: SequenceNumber
        package var expires: Timestamp?
    }

    package private(set) var contents: [[UInt8]: Value] = [:]
    package private(set) var position: ChangePosition
    package private(set) var changes = 0
    /// The batch of which a part was applied.
    private var open: SequenceNumber?

    /// An empty copy, at a position.
    package init(at position: ChangePosition) { self.position = position }

    /// A copy with these contents, at a position.
    init(_ contents: [[UInt8]: Value], at position: ChangePosition) {
        (self.contents, self.position) = (contents, position)
    }

    /// A copy of what a view shows.
    package init(_ view: ReadView) throws {
        position = view.position
        var contents: [[UInt8]: Value] = [:]
        for entry in try view.scan().entries() {
            contents[entry.key] = Value(bytes: entry.value, sequence: entry.sequence, expires: entry.expires)
        }
        self.contents = contents
    }

    /// Whether the last change ended its batch.
    package var isWhole: Bool { open == nil }

    /// - Throws: `Violation` if the change can't be the next one.
    package mutating func apply(_ change: Change) throws {
        try expect(change.store == position.store, "a change is of another store")
        if let open {
            try expect(change.sequence == open, "batch \(open) was interrupted by \(change.sequence)")
        } else {
            try expect(
                change.sequence > position.sequence, "number \(change.sequence) came after \(position.sequence)")
        }
        switch change.action {
        case .put(let value, let expires):
            contents[change.key] = Value(bytes: value, sequence: change.sequence, expires: expires)
        case .remove: contents[change.key] = nil
        case .lost(let first): try expect(first <= change.sequence, "a loss ends before it begins")
        }
        open = change.isLastOfBatch ? nil : change.sequence
        position = change.position
        changes += 1
    }

    /// Applies what a feed delivers, up to a sequence number.
    package mutating func follow(
        _ feed: inout Changes.AsyncIterator, to sequence: SequenceNumber, _ each: (SequenceNumber) -> Void = { _ in }
    ) async throws {
        while position.sequence < sequence || !isWhole {
            guard let change = try await feed.next() else {
                throw Violation("a feed ended at \(position.sequence), before \(sequence)")
            }
            try apply(change)
            if isWhole { each(position.sequence) }
        }
    }

    /// Compares the copy with a view of the store.
    ///
    /// - Parameter now: The time of the view; nil if it isn't known, and what expires may have expired.
    /// - Throws: `Violation` with the first difference.
    package func compare(with view: ReadView, now: Timestamp?) throws {
        let there = try StoreReplica(view)
        let here = contents.filter { key, value in
            guard let expires = value.expires else { return true }
            return now.map { $0 < expires } ?? (there.contents[key] != nil)
        }
        for (key, value) in there.contents where here[key] != value {
            let found = here[key].map { "number \($0.sequence)" } ?? "nothing"
            let name = String(decoding: key, as: UTF8.self)
            throw Violation(
                "a copy at \(position.sequence) has \(found) for \(name), and the store number \(value.sequence)")
        }
        for key in here.keys where there.contents[key] == nil {
            throw Violation(
                "a copy at \(position.sequence) has \(String(decoding: key, as: UTF8.self)), and the store hasn't")
        }
    }
}
