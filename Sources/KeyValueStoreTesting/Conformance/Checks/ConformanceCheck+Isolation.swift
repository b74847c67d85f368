/// Transactions of many tasks.
extension ConformanceCheck {
    static let isolation: [ConformanceCheck] = [
        ConformanceCheck("concurrent increments lose nothing") { store, _ in
            try await concurrently(8) { _ in
                for _ in 0..<6 {
                    try await store.transaction { transaction in
                        let count = try await transaction.number("counter")
                        try transaction.put("counter", "\(count + 1)")
                    }
                }
            }
            try expect(try await store.text("counter"), is: "48", "8 tasks incremented a counter 6 times")
        },
        ConformanceCheck("concurrent transactions number the keys of a range without a gap") { store, _ in
            try await concurrently(4) { task in
                for _ in 0..<5 {
                    try await store.transaction { transaction in
                        let page = try await transaction.fetchEntries(in: .prefix("n:"), reversed: true, limit: 1)
                        let last = page.entries.first.map { Int($0.key[2]) } ?? 0
                        try transaction.put(bytes("n:") + [UInt8(last + 1)], "\(task)")
                    }
                }
            }
            let numbers = try await store.contents().map { Int($0.key[2]) }
            try expect(numbers, is: Array(1...20), "4 tasks appended 5 keys")
        },
        ConformanceCheck("write skew is impossible, with keys that were read") { _, trial in
            try await trial.checkSkew { transaction in
                try await transaction.fetchEntries(of: ["on:0", "on:1"]).compactMap { $0 }.count
            }
        },
        ConformanceCheck("write skew is impossible, with a range that was read") { _, trial in
            try await trial.checkSkew { transaction in
                try await transaction.fetchEntries(in: .prefix("on:"), limit: 10).entries.count
            }
        },
        ConformanceCheck("write skew is impossible, with a range that was counted") { _, trial in
            try await trial.checkSkew { try await $0.fetchCount(in: .prefix("on:")) }
        },
        ConformanceCheck("of two transactions that put a key in a range that both found empty, one does") { store, _ in
            for round in 0..<8 {
                try await concurrently(2) { task in
                    try await store.transaction { transaction in
                        let range = KeyRange.prefix("round:\(round):")
                        guard try await transaction.fetchCount(in: range) == 0 else { return }
                        try transaction.put("round:\(round):\(task)", [])
                    }
                }
                try expect(
                    try await store.fetchCount(in: .prefix("round:\(round):")), is: 1,
                    "two tasks put a key if a range is empty")
            }
        },
        ConformanceCheck("transactions that move an amount keep the sum, at every moment") { store, _ in
            try await store.write((0..<4).map { .put("account:\($0)", "100") })
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<3 {
                    group.addTask {
                        for number in 0..<8 {
                            try await store.transaction { transaction in
                                let (from, to) = ("account:\((task + number) % 4)", "account:\((task + 1) % 4)")
                                let amount = try await transaction.number(from) / 2
                                try transaction.put(from, "\(try await transaction.number(from) - amount)")
                                try transaction.put(to, "\(try await transaction.number(to) + amount)")
                            }
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<30 {
                        let entries = try await store.contents()
                        let sum = entries.reduce(0) { $0 + (Int(String(decoding: $1.value, as: UTF8.self)) ?? 0) }
                        try expect(sum, is: 400, "four accounts were read beside transactions")
                    }
                }
                try await group.waitForAll()
            }
        },
    ]
}

extension Transaction {
    /// A value that is a number as text; 0 if the key is absent.
    nonisolated(nonsending) fileprivate func number(_ key: some ByteSource) async throws -> Int {
        let entry = try await fetchEntry(key)
        return entry.flatMap { Int(String(decoding: $0.value, as: UTF8.self)) } ?? 0
    }
}

extension Trial {
    /// Two keys; each of two tasks removes its own if both exist, so that one remains.
    nonisolated func checkSkew(counting count: @escaping @Sendable (Transaction) async throws -> Int) async throws {
        let store = self.store
        for _ in 0..<10 {
            try await store.write(.put("on:0", ""), .put("on:1", ""))
            try await concurrently(2) { task in
                try await store.transaction { transaction in
                    if try await count(transaction) == 2 { try transaction.remove("on:\(task)") }
                }
            }
            try expect(try await store.fetchCount(in: .prefix("on:")), is: 1, "two tasks removed a key if both exist")
        }
    }
}
