/// The condition about all keys of a range.
extension ConformanceCheck {
    static let rangeConditions: [ConformanceCheck] = [
        ConformanceCheck("unchangedRange sees a key that is put in the range, and none outside") { _, trial in
            try await trial.checkRanges("put", startingWith: []) { [.put($0, "1")] }
        },
        ConformanceCheck("unchangedRange sees a key of the range that is overwritten, and none outside") { _, trial in
            try await trial.checkRanges("overwritten", startingWith: boundaryKeys) { [.put($0, "old")] }
        },
        ConformanceCheck("unchangedRange sees a key of the range that is removed, and none outside") { _, trial in
            try await trial.checkRanges("removed", startingWith: boundaryKeys) { [.remove($0)] }
        },
        ConformanceCheck("unchangedRange sees a key of the range that is removed and put again") { store, trial in
            try await store.write(.put("a", "1"), .put("b", "1"))
            let view = try await store.readView()
            try await store.write(.remove("a"))
            try await store.write(.put("a", "1"))
            try await trial.expectCondition(
                .unchangedRange(.all, since: view), holds: false, "a key was removed and put again")
            try await trial.expectCondition(
                .unchangedRange(.from("b"), since: view), holds: true, "a key was removed and put again")
        },
        ConformanceCheck("unchangedRange sees that one key was removed and another put") { store, trial in
            try await store.write(.put("a", "1"), .put("c", "1"))
            for isOneBatch in [true, false] {
                let view = try await store.readView()
                let (old, new) = isOneBatch ? ("a", "b") : ("b", "a")
                if isOneBatch {
                    try await store.write(.remove(old), .put(new, "1"))
                } else {
                    try await store.write(.remove(old))
                    try await store.write(.put(new, "1"))
                }
                try await trial.expectCondition(
                    .unchangedRange(.all, since: view), holds: false, "a key was removed and another put")
                try await trial.expectCondition(
                    .unchangedRange(.upTo("a"), since: view), holds: true, "keys after the range changed")
            }
        },
        ConformanceCheck("unchangedRange of an empty range holds") { store, trial in
            let view = try await store.readView()
            try await store.write(.put("a", "1"), .put("b", "1"))
            try await store.write(.remove("b"))
            for range in [KeyRange.range(from: "b", to: "a"), .range(from: "a", to: "a"), .prefix("x")] {
                try await trial.expectCondition(
                    .unchangedRange(range, since: view), holds: true, "\(range) was compared")
            }
        },
        ConformanceCheck("unchangedRange holds after writes of a range that are older than the view") { store, trial in
            try await store.write(.put("a", "1"), .put("b", "1"))
            try await store.write(.remove("a"))
            try await store.write(.put("b", "2"), .put("c", "1"))
            let view = try await store.readView()
            try await trial.expectCondition(
                .unchangedRange(.all, since: view), holds: true, "nothing was written after a view")
        },
    ]

    static let boundaryKeys = ["a", "b", "c", "d", "e"]
}

extension Trial {
    /// Changes each of five keys after a view, and compares ranges with all kinds of bounds at the second and fourth.
    nonisolated func checkRanges(
        _ action: String, startingWith keys: [String], _ change: (String) -> [WriteBatch.Operation]
    ) async throws {
        let ranges = KeyRange.withBounds(at: [bytes("b"), bytes("d")])
        for key in ConformanceCheck.boundaryKeys {
            let store = try await makeStore()
            if !keys.isEmpty { try await store.write(keys.map { .put($0, "old") }) }
            let view = try await store.readView()
            try await store.write(change(key))
            for range in ranges {
                let isOutside = !KeyModel.contains(bytes(key), in: range)
                let holds = try await store.holds(.unchangedRange(range, since: view))
                try expect(holds, is: isOutside, "\(key) was \(action) after a view, and \(range) was compared")
            }
        }
    }
}
