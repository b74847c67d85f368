/// Changes that have happened: order, batches, ranges, positions.
extension ConformanceCheck {
    static let feeds: [ConformanceCheck] = [
        ConformanceCheck("a feed has every write after its position, whole and in order") { store, trial in
            let start = try await store.readView().position
            var expected: [Change] = []
            for operations in sampleWrites {
                expected += changes(of: operations, try await store.write(operations), start.store)
            }
            for level in [ChangeLevel.durable, .visible] {
                let found = try await trial.changes(after: start, level: level)
                try expect(found, is: expected, "\(sampleWrites.count) writes were followed, \(level)")
            }
        },
        ConformanceCheck("a feed of a range has the changes of its keys, and the last of each batch says so") {
            store, trial in
            let start = try await store.readView().position
            let ranges = [KeyRange.prefix("a"), .prefix("b"), .range(from: "b", to: "c:2"), .prefix("x")]
            var expected: [[Change]] = ranges.map { _ in [] }
            for operations in sampleWrites {
                let sequence = try await store.write(operations)
                for (index, range) in ranges.enumerated() {
                    let inside = operations.filter { KeyModel.contains($0.key, in: range) }
                    expected[index] += changes(of: inside, sequence, start.store)
                }
            }
            for (range, expected) in zip(ranges, expected) {
                let end = "\(String(decoding: range.lowerKey, as: UTF8.self))~end"
                let found = try await trial.changes(after: start, in: range, end: bytes(end))
                try expect(found, is: expected, "\(sampleWrites.count) writes were followed in \(range)")
            }
        },
        ConformanceCheck("a feed continues from each position without a gap or a repetition") { store, trial in
            let start = try await store.readView().position
            for operations in sampleWrites { try await store.write(operations) }
            let all = try await trial.changes(after: start)
            for (index, change) in all.enumerated() {
                guard let position = ChangePosition("\(change.position)") else {
                    throw ConformanceFailure(
                        "a position was stored as text", expected: "a text that can be parsed",
                        found: "\(change.position)")
                }
                // Inside a batch, the position is that before the batch.
                let rest =
                    change.isLastOfBatch
                    ? Array(all[(index + 1)...]) : all.filter { $0.sequence >= change.sequence }
                let found = try await trial.changes(after: position)
                try expect(found, is: rest, "changes were followed after change \(index)")
            }
        },
        ConformanceCheck("a view and the changes after its position are a complete copy") { store, trial in
            for operations in sampleWrites.prefix(3) { try await store.write(operations) }
            let view = try await store.readView()
            var copy = KeyModel()
            for entry in try await view.fetchEntries(limit: .max).entries {
                copy.entries[entry.key] = entry
            }
            for operations in sampleWrites.dropFirst(3) { try await store.write(operations) }
            for change in try await trial.changes(after: view.position) { copy.apply(change) }
            try expect(
                copy.entries(in: .all), is: try await store.contents().filter { $0.key != endKey },
                "a copy was made of a view and the changes after it")
        },
        ConformanceCheck("a feed without a position begins with the next write") { store, _ in
            try await store.write(.put("before", ""))
            let feed = store.changes(after: nil, in: .all, level: .visible)
            let sequence = try await store.write(.put("after", "1"))
            var iterator = feed.makeAsyncIterator()
            let change = try await iterator.next(isolation: nil)
            try expect(change?.sequence, is: sequence, "a feed was made between two writes")
            try expect(change?.key, is: bytes("after"), "a feed was made between two writes")
        },
        ConformanceCheck("a position of another store can't be followed") { store, trial in
            let start = try await store.readView().position
            try await store.write(.put("a", ""))
            let other = try await trial.makeStore()
            let position = try await other.readView().position
            var foreign = start
            foreign.store = StoreID(low: ~foreign.store.low, high: foreign.store.high)
            for position in [position, foreign] {
                for level in [ChangeLevel.durable, .visible] {
                    try await expect(.positionUnavailable, from: "a position of another store was followed") {
                        var iterator = store.changes(after: position, in: .all, level: level).makeAsyncIterator()
                        return try await iterator.next(isolation: nil)
                    }
                }
            }
        },
        ConformanceCheck("data, numbers and positions outlive the opening", needs: .reopening) { store, trial in
            let start = try await store.readView().position
            for operations in sampleWrites { try await store.write(operations) }
            let (entries, all) = (try await store.contents(), try await trial.changes(after: start))
            let last = try await store.readView().position
            let store = try await trial.reopen()
            try expect(try await store.contents().filter { $0.key != endKey }, is: entries, "a store was opened again")
            let found = try await trial.changes(of: store, after: start)
            try expect(found, is: all, "changes were followed after an opening")
            let next = try await store.write(.put("next", ""))
            try expect(
                next > last.sequence, "a write followed an opening", expected: "a number after \(last.sequence)",
                found: "\(next)")
        },
    ]

    /// Puts, overwriting, batches with removals of keys that exist, and one with many keys.
    private static let sampleWrites: [[WriteBatch.Operation]] = [
        [.put("a:1", "1")], [.put("b:1", "1"), .put("a:2", "1"), .put("c:1", "")], [.put("a:1", "2")],
        [.remove("a:2")], [.put("c:2", "1"), .remove("b:1"), .put("b:2", "1"), .remove("c:1")],
        (0..<40).map { .put("\($0 % 2 == 0 ? "a" : "c"):many:\($0)", "value \($0)") },
        [.remove("a:1"), .remove("b:2")], [.put("b:1", "again")],
    ]

    private static func changes(
        of operations: [WriteBatch.Operation], _ sequence: SequenceNumber, _ store: StoreID
    ) -> [Change] {
        operations.enumerated().map { index, operation in
            Change(
                key: operation.key, action: operation.value.map { .put(value: $0, expires: nil) } ?? .remove,
                sequence: sequence, isLastOfBatch: index == operations.count - 1, store: store)
        }
    }
}

/// The key that marks the end of what a check follows.
let endKey: [UInt8] = [0xFF, 0xFF, 0xFF]

extension Trial {
    /// All changes after a position up to now. It writes a key in the range, and follows until that one.
    nonisolated func changes(
        of other: (any KeyValueStore)? = nil, after position: ChangePosition, in range: KeyRange = .all,
        level: ChangeLevel = .durable, end: [UInt8] = endKey
    ) async throws -> [Change] {
        let store = other ?? self.store
        let last = try await store.write([.init(key: end, value: [])])
        var changes: [Change] = []
        for try await change in store.changes(after: position, in: range, level: level) {
            if change.sequence == last { break }
            // Ends of earlier calls.
            if change.key != end { changes.append(change) }
        }
        return changes
    }
}

extension KeyRange {
    /// The key at which the range begins; empty if it has no lower bound.
    fileprivate var lowerKey: [UInt8] {
        switch lower {
        case .included(let key), .excluded(let key): key
        case .unbounded: []
        }
    }
}

extension KeyModel {
    mutating func apply(_ change: Change) {
        switch change.action {
        case .put(let value, let expires):
            entries[change.key] = Entry(key: change.key, value: value, sequence: change.sequence, expires: expires)
        case .remove, .lost: entries[change.key] = nil
        }
    }
}
