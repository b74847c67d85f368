/// Limits, hostile arguments and cancellation.
extension ConformanceCheck {
    static let arguments: [ConformanceCheck] = [
        ConformanceCheck("a key outside the limits is refused in each call") { store, trial in
            let limits = store.limits
            try await store.write(.put("a", "1"))
            var keys: [[UInt8]] = [[]]
            if limits.keyBytes < 4 << 20 { keys.append([UInt8](repeating: 97, count: limits.keyBytes + 1)) }
            for key in keys {
                let action = "a key of \(key.count) bytes was used"
                try await trial.forEachReader { reader in
                    try await expect(.invalidArgument, from: action) { try await reader.fetchEntry(key) }
                    try await expect(.invalidArgument, from: action) {
                        try await reader.fetchEntries(of: [bytes("a"), key])
                    }
                    try await expect(.invalidArgument, from: action) { try await reader.lent(key) }
                }
                for value in [nil, bytes("1")] {
                    let operations = [WriteBatch.Operation.put("b", ""), .init(key: key, value: value)]
                    try await expect(.invalidArgument, .tooLarge, from: action) {
                        try await store.write(operations)
                    }
                    try await expect(.invalidArgument, .tooLarge, from: action) {
                        try await store.write([operations[1]])
                    }
                    try await expect(.invalidArgument, .tooLarge, from: action) {
                        try await store.transaction { try $0.put(key, value ?? []) }
                    }
                }
                // What it throws is open: it must not trap, nor write.
                _ = try? await store.tryWrite([.put("b", "")], if: [.absent(key), .sequence(key, 1)])
            }
            try expect(try await store.contents().keys, is: ["a"], "writes were refused")
        },
        ConformanceCheck("a limit below 1 is refused") { store, trial in
            try await store.write(.put("a", "1"))
            try await trial.forEachReader { reader in
                for limit in [0, -1, -2, Int.min] {
                    try await expect(.invalidArgument, from: "a page of \(limit) was read") {
                        try await reader.fetchEntries(limit: limit)
                    }
                }
            }
            let view = try await store.readView()
            for limit in [0, -1, Int.min] {
                try await expect(.invalidArgument, from: "\(limit) keys were read") {
                    try await view.fetchKeys(in: .all, limit: limit)
                }
            }
            try await store.transaction { transaction in
                for key in ["b", "c", "d"] { try transaction.put(bytes(key), []) }
                for limit in [0, -1, Int.min] {
                    try await expect(.invalidArgument, from: "a page of \(limit) was read in a transaction") {
                        try await transaction.fetchEntries(in: .all, reversed: true, limit: limit)
                    }
                }
            }
        },
        ConformanceCheck("a range may have any bytes as bounds") { store, trial in
            let model = try await trial.fill(["a", "b"])
            let long = [UInt8](repeating: 98, count: min(store.limits.keyBytes, 1 << 20) + 1)
            for range in KeyRange.withBounds(at: [[], long, [0xFF, 0xFF]]) {
                let entries = model.entries(in: range)
                let page = try await store.fetchEntries(in: range, limit: .max)
                try expect(page.entries, is: entries, "a range with unusual bounds was read")
                try expect(try await store.fetchCount(in: range), is: entries.count, "such a range was counted")
                let view = try await store.readView()
                try await store.write([], if: [.unchangedRange(range, since: view)])
            }
        },
        ConformanceCheck("a batch over the limits is refused before anything is written") { store, _ in
            let limits = store.limits
            var batches: [String: WriteBatch] = [:]
            if limits.operations < 10_000 {
                batches["too many operations"] = WriteBatch(
                    operations: (0...limits.operations).map { .put("\($0)", "") })
            }
            if limits.conditions < 10_000 {
                batches["too many conditions"] = WriteBatch(
                    operations: [.put("a", "")], conditions: (0...limits.conditions).map { .absent("\($0)") })
            }
            if limits.valueBytes < 64 << 20 {
                let value = [UInt8](repeating: 0, count: limits.valueBytes + 1)
                batches["too large a value"] = WriteBatch(
                    operations: [.put("a", ""), .init(key: bytes("b"), value: value)])
            }
            if limits.batchBytes < 64 << 20, limits.operations > 3 {
                let value = [UInt8](repeating: 0, count: min(limits.valueBytes, limits.batchBytes / 2))
                batches["too many bytes"] = WriteBatch(
                    operations: ["a", "b", "c"].map { .init(key: bytes($0), value: value) })
            }
            for (name, batch) in batches {
                try await expect(.tooLarge, from: "a batch with \(name) was written") {
                    try await store.write(batch, durability: nil)
                }
            }
            try expect(try await store.contents(), is: [], "batches were refused")
            try await store.write(.put("a", "1"))
        },
        ConformanceCheck("a batch at the limits is written") { store, _ in
            let limits = store.limits
            let count = min(limits.operations, 500)
            let operations = (0..<count).map { WriteBatch.Operation.put("\($0)", "1") }
            let conditions = (0..<min(limits.conditions, 500)).map { Condition.absent("\($0)") }
            try await store.write(operations, if: conditions)
            try expect(try await store.fetchCount(), is: count, "\(count) keys were written in a batch")
            let overhead = limits.operationOverhead
            let key = [UInt8](repeating: 97, count: min(limits.keyBytes, limits.batchBytes - overhead, 4 << 20))
            try await store.write([.init(key: key, value: [])])
            try expect(try await store.fetchEntry(key)?.value, is: [], "the longest key was written")
            let largest = min(limits.valueBytes, limits.batchBytes - overhead - 1, 4 << 20)
            let value = [UInt8](repeating: 1, count: largest)
            try await store.write([.init(key: bytes("v"), value: value)])
            try expect(try await store.fetchEntry("v")?.value.count, is: largest, "a large value was written")
        },
        ConformanceCheck("a key that is in a batch twice doesn't break the batch") { store, _ in
            // Whether it is refused is open. If it is, nothing may be written.
            do {
                try await store.write(.put("a", "1"), .put("b", "1"), .remove("b"), .put("b", "2"))
                try expect(try await store.fetchCount(), is: 2, "a batch put a key twice")
            } catch let error as StoreError {
                try expect(error.code, is: .invalidArgument, "a batch put a key twice")
                try expect(try await store.contents(), is: [], "a batch was refused")
            }
        },
        ConformanceCheck("a condition with a view of another store is refused") { store, trial in
            let other = try await trial.makeStore()
            try await other.write(.put("a", "1"))
            let view = try await other.readView()
            for condition in [Condition.unchangedKey("a", since: view), .unchangedRange(.all, since: view)] {
                for operations in [[WriteBatch.Operation.put("a", "1")], []] {
                    try await expect(.invalidArgument, from: "a condition had a view of another store") {
                        try await store.write(
                            WriteBatch(operations: operations, conditions: [condition]), durability: nil)
                    }
                }
            }
            try expect(try await store.contents(), is: [], "batches were refused")
        },
        ConformanceCheck("a write that throws .cancelled has written nothing") { store, _ in
            for number in 0..<20 {
                let key = "\(number)"
                let write = Task {
                    if number % 2 == 0 {
                        while !Task.isCancelled { await Task.yield() }
                    }
                    return try await store.write(.put(key, ""), .put("all", key))
                }
                write.cancel()
                let result = await write.result
                let isThere = try await store.text(key) != nil
                if case .failure(let error) = result {
                    try expect((error as? StoreError)?.code, is: .cancelled, "a task that writes was cancelled")
                    try expect(isThere, is: false, "a write threw .cancelled")
                } else {
                    try expect(isThere, is: true, "a write returned in a cancelled task")
                }
            }
        },
    ]
}
