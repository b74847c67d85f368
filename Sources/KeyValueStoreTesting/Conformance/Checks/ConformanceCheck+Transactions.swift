/// Transactions of one task: what they see, what they write, how they fail.
extension ConformanceCheck {
    /// An error that the store doesn't know.
    private struct Refusal: Error {}

    static let transactions: [ConformanceCheck] = [
        ConformanceCheck("a transaction sees its own writes, and other readers don't") { trial in
            let old = try await trial.store.write(.put("a", "1"), .put("b", "1"))
            let result = try await trial.store.transaction { transaction in
                try transaction.put(bytes("a"), bytes("2"))
                try transaction.remove(bytes("b"))
                try transaction.put(bytes("c"), bytes("2"))
                try transaction.put(bytes("c"), bytes("3"))
                let values = try await transaction.fetchEntries(of: ["a", "b", "c", "d"].map(bytes)).map { $0?.value }
                try expect(values, is: [bytes("2"), nil, bytes("3"), nil], "a transaction wrote and read")
                try expect(try await transaction.fetchEntry(bytes("b")), is: nil, "a transaction removed a key")
                try expect(try await transaction.fetchCount(in: .all), is: 2, "a transaction wrote and counted")
                let outside = try await trial.store.contents().map(\.sequence)
                try expect(outside, is: [old, old], "the store was read while a transaction ran")
            }
            let stored = try await trial.store.contents()
            try expect(stored.map(\.key), is: [bytes("a"), bytes("c")], "a transaction has committed")
            try expect(stored.map(\.sequence), is: [result.sequence, result.sequence], "a transaction has committed")
        },
        ConformanceCheck("an error of a transaction's body is thrown, and nothing is written") { trial in
            try await trial.store.write(.put("a", "1"))
            do {
                try await trial.store.transaction { transaction in
                    try transaction.put(bytes("a"), bytes("2"))
                    try transaction.put(bytes("b"), bytes("2"))
                    throw Refusal()
                }
                throw ConformanceFailure("a body threw", expected: "its error", found: "no error")
            } catch is Refusal {}
            try await expect(.tooLarge, from: "a body threw .tooLarge") {
                try await trial.store.transaction { transaction in
                    try transaction.remove(bytes("a"))
                    throw StoreError(.tooLarge, "a test")
                }
            }
            try expect(try await trial.store.contents().map(\.value), is: [bytes("1")], "two bodies threw")
        },
        ConformanceCheck("a transaction in another one of the same store is refused") { trial in
            let (store, other) = (trial.store, try await trial.makeStore())
            try await store.transaction { transaction in
                try transaction.put(bytes("a"), bytes("1"))
                try await expect(.invalidArgument, from: "a transaction began in another one") {
                    try await store.transaction { try $0.put(bytes("b"), bytes("1")) }
                }
                try await other.transaction { inner in
                    try inner.put(bytes("a"), bytes("2"))
                    try await expect(.invalidArgument, from: "a transaction began in another one, over a third") {
                        try await store.transaction { try $0.put(bytes("b"), bytes("1")) }
                    }
                }
            }
            try await store.transaction { try $0.put(bytes("c"), bytes("1")) }
            try expect(
                try await store.contents().map(\.key), is: [bytes("a"), bytes("c")],
                "a transaction was refused in another one")
        },
        ConformanceCheck("a write inside the body of a transaction on its store is refused, whichever call makes it") {
            trial in
            let (store, other) = (trial.store, try await trial.makeStore())
            try await store.write(.put("a", "1"))
            let writes: [@Sendable () async throws -> Void] = [
                { try await store.write(WriteBatch(operations: [.put("a", "2")]), durability: nil) },
                { try await store.write(WriteBatch(operations: [.remove("a")]), durability: nil) },
                {
                    let batch = WriteBatch(operations: [.put("a", "2"), .put("b", "2")], conditions: [.absent([1])])
                    try await store.write(batch, durability: nil)
                },
                {
                    // The refusal comes before the condition, which doesn't hold.
                    let batch = WriteBatch(operations: [.put("b", "2")], conditions: [.absent(bytes("a"))])
                    try await store.write(batch, durability: nil)
                },
                { try await store.transaction { try $0.put(bytes("a"), bytes("2")) } },
                { try await other.transaction { _ in try await store.write(.put("a", "2")) } },
                {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { try await store.write(.put("a", "2")) }
                        try await group.waitForAll()
                    }
                },
            ]
            for (number, write) in writes.enumerated() {
                var runs = 0
                try await expect(.invalidArgument, from: "write \(number) was made inside a transaction") {
                    try await store.transaction { transaction in
                        runs += 1
                        if runs > 20 { return }
                        _ = try await transaction.fetchEntry(bytes("a"))
                        try await write()
                        try transaction.put(bytes("a"), bytes("3"))
                    }
                }
                try expect(runs, is: 1, "write \(number) was made inside a transaction")
            }
            try expect(try await store.contents().map(\.value), is: [bytes("1")], "writes were refused")
            try await store.transaction { _ in try await other.write(.put("c", "1")) }
            try expect(try await other.text("c"), is: "1", "another store was written inside a transaction")
            try await store.write(.put("a", "4"))
        },
        ConformanceCheck("a task that a transaction's body has started may write when the body has ended") { trial in
            let store = trial.store
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let late = try await store.transaction { transaction in
                try transaction.put(bytes("a"), bytes("1"))
                return Task {
                    for await _ in ends {}
                    try await store.write(.put("b", "1"))
                    try await store.transaction { try $0.put(bytes("c"), bytes("1")) }
                }
            }.value
            end.finish()
            try await late.value
            try expect(
                try await store.contents().map(\.key), is: ["a", "b", "c"].map(bytes), "a task outlived a transaction")
        },
        ConformanceCheck("a transaction runs again if what it read has changed, and returns the last result") { trial in
            let store = trial.store
            let reads: [@Sendable (Transaction) async throws -> Void] = [
                { _ = try await $0.fetchEntry(bytes("key")) },
                { _ = try await $0.fetchEntries(of: [bytes("x"), bytes("key")]) },
                { _ = try await $0.fetchEntries(in: .prefix("k"), reversed: false, limit: 5) },
                { _ = try await $0.fetchEntries(in: .all, reversed: true, limit: 5) },
                { _ = try await $0.fetchCount(in: .prefix("key")) },
                { _ = try await $0.lent(bytes("key")) },
            ]
            let changes: [([WriteBatch.Operation], WriteBatch.Operation)] = [
                ([.remove("key")], .put("key", "new")), ([.put("key", "old")], .put("key", "new")),
                ([.put("key", "old")], .remove("key")),
            ]
            for (start, change) in changes {
                for (index, read) in reads.enumerated() {
                    try await store.write(start)
                    var runs = 0
                    let result = try await store.transaction { transaction in
                        runs += 1
                        try await read(transaction)
                        if runs == 1 { _ = try await Task.detached { try await store.write(change) }.value }
                        try transaction.put(bytes("result"), bytes("\(runs)"))
                        return runs
                    }
                    try expect(
                        runs >= 2, "\(change) was written after read \(index) of a transaction", expected: "two runs",
                        found: "\(runs)")
                    try expect(result.value, is: runs, "a transaction ran again")
                    try expect(try await store.text("result"), is: "\(runs)", "a transaction ran again")
                }
            }
        },
        ConformanceCheck("a transaction that only reads isn't in conflict, and shows one moment") { trial in
            let store = trial.store
            try await store.write(.put("a", "1"), .put("b", "1"))
            var runs = 0
            let seen = try await store.transaction { transaction in
                runs += 1
                let first = try await transaction.fetchEntry(bytes("a"))?.value
                let change: [WriteBatch.Operation] = [.put("a", "\(runs + 1)"), .put("b", "\(runs + 1)")]
                _ = try await Task.detached { try await store.write(change) }.value
                return [first, try await transaction.fetchEntry(bytes("b"))?.value]
            }
            try expect(runs, is: 1, "what a transaction had read was written, and it wrote nothing")
            try expect(seen.value, is: [bytes("1"), bytes("1")], "a transaction read beside a write")
        },
        ConformanceCheck("a transaction that only writes isn't in conflict") { trial in
            let store = trial.store
            var runs = 0
            try await store.transaction { transaction in
                runs += 1
                try transaction.put(bytes("a"), bytes("mine"))
                _ = try await transaction.fetchEntry(bytes("a"))
                _ = try await Task.detached { try await store.write(.put("a", "other")) }.value
            }
            try expect(runs, is: 1, "a key was written, but not read in a transaction")
            try expect(try await store.text("a"), is: "mine", "a transaction was the last to write")
        },
        ConformanceCheck("a transaction without writes returns the number of a write that it could see") { trial in
            let sequence = try await trial.store.write(.put("a", "1"))
            let result = try await trial.store.transaction { try await $0.fetchEntry(bytes("a"))?.sequence }
            try expect(result.value, is: sequence, "a transaction read")
            try expect(
                result.sequence <= sequence, "a transaction wrote nothing after write \(sequence)",
                expected: "the number of a write that had happened", found: "\(result.sequence)")
        },
        ConformanceCheck("a transaction in a cancelled task throws .cancelled or commits") { trial in
            let store = trial.store
            for number in 0..<5 {
                let key = "\(number)"
                let task = Task {
                    while !Task.isCancelled { await Task.yield() }
                    try await store.transaction { transaction in
                        _ = try await transaction.fetchEntry(bytes("all"))
                        try transaction.put(bytes(key), [])
                    }
                }
                task.cancel()
                if case .failure(let error) = await task.result {
                    try expect((error as? StoreError)?.code, is: .cancelled, "the task of a transaction was cancelled")
                    try expect(try await store.text(key), is: nil, "a transaction threw .cancelled")
                }
            }
        },
        ConformanceCheck("a transaction over the limits is refused, and nothing is written") { trial in
            let limits = trial.store.limits
            guard limits.operations < 10_000 else { return }
            try await expect(.tooLarge, from: "a transaction wrote too many keys") {
                try await trial.store.transaction { transaction in
                    for number in 0...limits.operations { try transaction.put(bytes("\(number)"), []) }
                }
            }
            try expect(try await trial.store.contents(), is: [], "a transaction was refused")
        },
    ]
}
