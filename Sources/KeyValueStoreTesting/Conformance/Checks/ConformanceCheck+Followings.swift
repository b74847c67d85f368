/// Feeds that wait, and feeds beside writers.
extension ConformanceCheck {
    static let followings: [ConformanceCheck] = [
        ConformanceCheck("a feed waits at its end for the next write") { store, _ in
            let start = try await store.readView().position
            let follower = Task {
                var keys: [[UInt8]] = []
                for try await change in store.changes(after: start, in: .prefix("k"), level: .visible) {
                    keys.append(change.key)
                    if keys.count == 10 { break }
                }
                return keys
            }
            for number in 0..<10 {
                for _ in 0..<10 { await Task.yield() }
                try await store.write(.put("other", ""))
                try await store.write(.put("k\(number)", ""))
            }
            try expect(
                try await follower.value, is: (0..<10).map { bytes("k\($0)") }, "a feed was read beside a writer")
        },
        ConformanceCheck("a cancelled feed throws .cancelled") { store, _ in
            let start = try await store.readView().position
            try await store.write(.put("a", ""))
            for waits in [true, false] {
                let follower = Task {
                    if !waits {
                        while !Task.isCancelled { await Task.yield() }
                    }
                    for try await _ in store.changes(after: start, in: .all, level: .visible) {}
                }
                for _ in 0..<(waits ? 200 : 1) { await Task.yield() }
                follower.cancel()
                try await expect(.cancelled, from: "the task of a feed was cancelled") { try await follower.value }
            }
        },
        ConformanceCheck("a feed beside writers has every batch once, whole and in order") { _, trial in
            try await trial.follow(.all)
        },
        ConformanceCheck("a feed of a range beside writers has every batch once, whole and in order") { _, trial in
            try await trial.follow(.prefix("right:"))
        },
    ]
}

extension Trial {
    /// Follows while four tasks write batches of "left:", "right:" and other keys, with several changes each.
    fileprivate nonisolated func follow(_ range: KeyRange) async throws {
        let store = self.store
        let start = try await store.readView().position
        let end = bytes("right:~")
        let follower = Task {
            var changes: [Change] = []
            for try await change in store.changes(after: start, in: range, level: .durable) {
                changes.append(change)
                if change.key == end { break }
            }
            return changes
        }
        let written = try await concurrently(4) { task in
            var sequences: [SequenceNumber] = []
            for number in 0..<20 {
                let operations: [WriteBatch.Operation] = [
                    .put("left:\(task):\(number)", "1"), .put("right:\(task)", "\(number)"),
                    .put("right:\(task):\(number)", "2"), .put("other", "\(task)"),
                ]
                sequences.append(try await store.write(operations))
                if number % 4 == 3 {
                    sequences.append(
                        try await store.write(
                            .remove("right:\(task):\(number - 1)"), .remove("left:\(task):\(number)")))
                }
            }
            return sequences
        }.flatMap(\.self)
        let last = try await store.write([.init(key: end, value: [])])
        let changes = try await follower.value
        try expect(
            changes.filter(\.isLastOfBatch).map(\.sequence), is: (written + [last]).sorted(),
            "4 tasks wrote \(written.count) batches, and \(range) was followed; the ends of batches were compared")
        try expectWholeBatches(changes, written.count, range)
        var copy = KeyModel()
        for change in changes { copy.apply(change) }
        let page = try await store.fetchEntries(in: range, limit: .max)
        try expect(
            copy.entries(in: .all), is: page.entries, "\(range) was followed; a copy was compared with the store")
    }

    private nonisolated func expectWholeBatches(_ changes: [Change], _ count: Int, _ range: KeyRange) throws {
        var sizes: [SequenceNumber: Int] = [:]
        for (change, next) in zip(changes, changes.dropFirst()) {
            sizes[change.sequence, default: 0] += 1
            let isInOrder = change.isLastOfBatch ? next.sequence > change.sequence : next.sequence == change.sequence
            try expect(
                isInOrder, "\(range) was followed beside writers", expected: "batches that are whole and in order",
                found: "\(change) before \(next)")
        }
        let isAll = range == .all
        let expected = Set(isAll ? [4, 2] : [2, 1])
        try expect(
            Set(sizes.values), is: expected, "\(range) was followed beside writers; sizes of batches were compared")
    }
}
