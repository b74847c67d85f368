/// Transactions of one task: what they see, what they write, how they fail.
extension ConformanceCheck {
    /// An error that the store doesn't know.
    private struct Refusal: Error {}

    static let transactions: [ConformanceCheck] = [
        ConformanceCheck("a transaction sees its own writes, and other readers don't") { store, _ in
            let old = try await store.write(.put("a", "1"), .put("b", "1"))
            let result = try await store.transaction { transaction in
                try transaction.put("a", "2")
                try transaction.remove("b")
                try transaction.put("c", "2")
                try transaction.put("c", "3")
                let values = try await transaction.fetchEntries(of: ["a", "b", "c", "d"]).map { $0?.value }
                try expect(values, is: [bytes("2"), nil, bytes("3"), nil], "a transaction wrote and read")
                try expect(try await transaction.fetchEntry("b"), is: nil, "a transaction removed a key")
                try expect(try await transaction.fetchCount(), is: 2, "a transaction wrote and counted")
                let outside = try await store.contents().map(\.sequence)
                try expect(outside, is: [old, old], "the store was read while a transaction ran")
            }
            let stored = try await store.contents()
            try expect(stored.keys, is: ["a", "c"], "a transaction has committed")
            try expect(stored.map(\.sequence), is: [result.sequence, result.sequence], "a transaction has committed")
        },
        ConformanceCheck("an error of a transaction's body is thrown, and nothing is written") { store, _ in
            try await store.write(.put("a", "1"))
            do {
                try await store.transaction { transaction in
                    try transaction.put("a", "2")
                    try transaction.put("b", "2")
                    throw Refusal()
                }
                throw ConformanceFailure("a body threw", expected: "its error", found: "no error")
            } catch is Refusal {}
            try await expect(.tooLarge, from: "a body threw .tooLarge") {
                try await store.transaction { transaction in
                    try transaction.remove("a")
                    throw StoreError(.tooLarge, "a test")
                }
            }
            try expect(try await store.contents().values, is: ["1"], "two bodies threw")
        },
        ConformanceCheck("a transaction in another one of the same store is refused") { store, trial in
            let other = try await trial.makeStore()
            try await store.transaction { transaction in
                try transaction.put("a", "1")
                try await expect(.invalidArgument, from: "a transaction began in another one") {
                    try await store.transaction { try $0.put("b", "1") }
                }
                try await other.transaction { inner in
                    try inner.put("a", "2")
                    try await expect(.invalidArgument, from: "a transaction began in another one, over a third") {
                        try await store.transaction { try $0.put("b", "1") }
                    }
                }
            }
            try await store.transaction { try $0.put("c", "1") }
            try expect(
                try await store.contents().keys, is: ["a", "c"],
                "a transaction was refused in another one")
        },
        ConformanceCheck("a write inside the body of a transaction on its store is refused, whichever call makes it") {
            store, trial in
            let other = try await trial.makeStore()
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
                    let batch = WriteBatch(operations: [.put("b", "2")], conditions: [.absent("a")])
                    try await store.write(batch, durability: nil)
                },
                { try await store.transaction { try $0.put("a", "2") } },
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
                        _ = try await transaction.fetchEntry("a")
                        try await write()
                        try transaction.put("a", "3")
                    }
                }
                try expect(runs, is: 1, "write \(number) was made inside a transaction")
            }
            try expect(try await store.contents().values, is: ["1"], "writes were refused")
            try await store.transaction { _ in try await other.write(.put("c", "1")) }
            try expect(try await other.text("c"), is: "1", "another store was written inside a transaction")
            try await store.write(.put("a", "4"))
        },
        ConformanceCheck("a task that a transaction's body has started may write when the body has ended") { store, _ in
            let (ends, end) = AsyncStream.makeStream(of: Void.self)
            let late = try await store.transaction { transaction in
                try transaction.put("a", "1")
                return Task {
                    for await _ in ends {}
                    try await store.write(.put("b", "1"))
                    try await store.transaction { try $0.put("c", "1") }
                }
            }.value
            end.finish()
            try await late.value
            try expect(try await store.contents().keys, is: ["a", "b", "c"], "a task outlived a transaction")
        },
        ConformanceCheck("a transaction runs again if what it read has changed, and returns the last result") {
            store, _ in
            let reads: [@Sendable (Transaction) async throws -> Void] = [
                { _ = try await $0.fetchEntry("key") },
                { _ = try await $0.fetchEntries(of: ["x", "key"]) },
                { _ = try await $0.fetchEntries(in: .prefix("k"), limit: 5) },
                { _ = try await $0.fetchEntries(in: .all, reversed: true, limit: 5) },
                { _ = try await $0.fetchCount(in: .prefix("key")) },
                { _ = try await $0.lent("key") },
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
                        try transaction.put("result", "\(runs)")
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
        ConformanceCheck("a transaction that only reads isn't in conflict, and shows one moment") { store, _ in
            try await store.write(.put("a", "1"), .put("b", "1"))
            var runs = 0
            let seen = try await store.transaction { transaction in
                runs += 1
                let first = try await transaction.fetchEntry("a")?.value
                let change: [WriteBatch.Operation] = [.put("a", "\(runs + 1)"), .put("b", "\(runs + 1)")]
                _ = try await Task.detached { try await store.write(change) }.value
                return [first, try await transaction.fetchEntry("b")?.value]
            }
            try expect(runs, is: 1, "what a transaction had read was written, and it wrote nothing")
            try expect(seen.value, is: [bytes("1"), bytes("1")], "a transaction read beside a write")
        },
        ConformanceCheck("a transaction that only writes isn't in conflict") { store, _ in
            var runs = 0
            try await store.transaction { transaction in
                runs += 1
                try transaction.put("a", "mine")
                _ = try await transaction.fetchEntry("a")
                _ = try await Task.detached { try await store.write(.put("a", "other")) }.value
            }
            try expect(runs, is: 1, "a key was written, but not read in a transaction")
            try expect(try await store.text("a"), is: "mine", "a transaction was the last to write")
        },
        ConformanceCheck("a transaction without writes returns the number of a write that it could see") { store, _ in
            let sequence = try await store.write(.put("a", "1"))
            let result = try await store.transaction { try await $0.fetchEntry("a")?.sequence }
            try expect(result.value, is: sequence, "a transaction read")
            try expect(
                result.sequence <= sequence, "a transaction wrote nothing after write \(sequence)",
                expected: "the number of a write that had happened", found: "\(result.sequence)")
        },
        ConformanceCheck("a transaction in a cancelled task throws .cancelled or commits") { store, _ in
            for number in 0..<5 {
                let key = "\(number)"
                let task = Task {
                    while !Task.isCancelled { await Task.yield() }
                    try await store.transaction { transaction in
                        _ = try await transaction.fetchEntry("all")
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
        ConformanceCheck("a transaction over the limits is refused, and nothing is written") { store, _ in
            let limits = store.limits
            guard limits.operations < 10_000 else { return }
            try await expect(.tooLarge, from: "a transaction wrote too many keys") {
                try await store.transaction { transaction in
                    for number in 0...limits.operations { try transaction.put("\(number)", []) }
                }
            }
            try expect(try await store.contents(), is: [], "a transaction was refused")
        },
    ]
}
