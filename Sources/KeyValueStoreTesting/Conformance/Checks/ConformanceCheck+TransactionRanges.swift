internal import HeartwoodTesting

/// Ranges that a transaction reads over its own writes.
extension ConformanceCheck {
    static let transactionRanges: [ConformanceCheck] = (1...3).map { seed in
        ConformanceCheck("a transaction reads ranges with its own writes, as a model does (seed \(seed))") {
            store, trial in
            var random = SeededRandom(UInt64(seed))
            var model = try await trial.fill((0..<12).map { "\(10 + $0 * 2)" })
            for round in 0..<6 {
                let seed = random.next()
                model = try await store.transaction { transaction in
                    // Each run does the same, until a view ends.
                    var random = SeededRandom(seed)
                    var model = model
                    for _ in 0..<12 {
                        let operation = randomOperation(&random)
                        try transaction.perform(operation)
                        model.apply([operation], 0)
                        try await checkRange(transaction, model, &random, "round \(round)")
                    }
                    return model
                }.value
                let stored = try await store.contents()
                try expect(
                    stored.map { [$0.key, $0.value] }, is: model.entries(in: .all).map { [$0.key, $0.value] },
                    "a transaction has committed in round \(round)")
                for entry in stored { model.entries[entry.key] = entry }
            }
        }
    }

    private static func randomOperation(_ random: inout SeededRandom) -> WriteBatch.Operation {
        let key = "\(Int.random(in: 8..<36, using: &random))"
        return Bool.random(using: &random) ? .remove(key) : .put(key, "\(Int.random(in: 0..<1000, using: &random))")
    }

    private nonisolated(nonsending) static func checkRange(
        _ transaction: Transaction, _ model: KeyModel, _ random: inout SeededRandom, _ round: String
    ) async throws {
        let ranges = KeyRange.withBounds(at: [bytes("12"), bytes("15"), bytes("30")])
        let range = ranges[Int.random(in: 0..<ranges.count, using: &random)]
        let (reversed, limit) = (Bool.random(using: &random), Int.random(in: 1...9, using: &random))
        let expected = model.entries(in: range, reversed: reversed)
        let page = try await transaction.fetchEntries(in: range, reversed: reversed, limit: limit)
        let action = "\(range) was read\(reversed ? " in reverse" : "") with the limit \(limit) in \(round)"
        try expect(page.entries, is: Array(expected.prefix(limit)), action)
        var (rest, next) = (page.entries, page.next)
        while let part = next {
            let page = try await transaction.fetchEntries(in: part, reversed: reversed, limit: limit)
            rest += page.entries
            next = page.next
        }
        try expect(rest, is: expected, "\(action), and then the rest")
        try expect(try await transaction.fetchCount(in: range), is: expected.count, "\(range) was counted in \(round)")
    }
}
