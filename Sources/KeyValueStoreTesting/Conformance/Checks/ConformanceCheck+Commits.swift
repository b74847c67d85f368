/// Batches: whole, in order, under conditions.
extension ConformanceCheck {
    static let commits: [ConformanceCheck] = [
        ConformanceCheck("all keys of a batch have its sequence number") { store, _ in
            for round in 0..<3 {
                let keys = (0..<20).map { "\(round * 10 + $0)" }
                let sequence = try await store.write(keys.map { .put($0, "\(round)") })
                for entry in try await store.fetchEntries(of: keys.map(bytes)) {
                    try expect(entry?.sequence, is: sequence, "a batch was written")
                }
            }
        },
        ConformanceCheck("each write has a greater sequence number than those before") { store, _ in
            var last: SequenceNumber = 0
            for number in 0..<30 {
                let operation: WriteBatch.Operation = number % 3 == 2 ? .remove("a") : .put("a", "\(number)")
                let sequence = try await store.write(number % 5 == 4 ? [operation, .put("b", "")] : [operation])
                try expect(
                    sequence > last, "a write followed write \(last)", expected: "a greater number",
                    found: "\(sequence)")
                last = sequence
            }
        },
        ConformanceCheck("a write of any durability is visible when it returns") { store, trial in
            for durability in [nil, Durability.buffered, .written, .synced] {
                for count in 1...2 {
                    let operations = (0..<count).map { WriteBatch.Operation.put("\($0)", "\(count)") }
                    let sequence = try await store.write(WriteBatch(operations: operations), durability: durability)
                    try await trial.forEachReader { reader in
                        try expect(
                            try await reader.fetchEntry("0")?.sequence, is: sequence,
                            "a batch was written, \(durability?.description ?? "as by default")")
                    }
                }
            }
        },
        ConformanceCheck("concurrent writes have different sequence numbers") { store, _ in
            let sequences = try await concurrently(8) { task in
                var own: [SequenceNumber] = []
                for number in 0..<10 { own.append(try await store.write(.put("\(task):\(number)", ""))) }
                try expect(own, is: own.sorted(), "a task wrote one key after the other")
                return own
            }.flatMap(\.self)
            try expect(Set(sequences).count, is: 80, "80 writes were made by 8 tasks")
            let stored = try await store.contents().map(\.sequence)
            try expect(Set(stored), is: Set(sequences), "80 keys were written by 8 tasks")
        },
        ConformanceCheck("a batch whose condition doesn't hold writes nothing") { store, trial in
            let model = try await trial.fill(["a", "b"])
            let view = try await store.readView()
            let current = try await store.write(.put("b", "new"))
            let conditions: [Condition] = [
                .absent("a"), .sequence("a", current), .unchangedKey("b", since: view),
                .unchangedRange(.all, since: view),
            ]
            for condition in conditions {
                let operations: [WriteBatch.Operation] = [.put("a", "wrong"), .remove("b"), .put("c", "wrong")]
                try await expect(.conflict, from: "a batch with the condition \(condition) was written") {
                    try await store.write(
                        WriteBatch(operations: operations, conditions: [.absent("x"), condition]),
                        durability: nil)
                }
                let entries = try await store.contents()
                try expect(
                    entries,
                    is: [model.entries[bytes("a")], Entry(key: bytes("b"), value: bytes("new"), sequence: current)],
                    "a batch was refused")
            }
        },
        ConformanceCheck("a batch without operations only checks its conditions") { store, _ in
            try await store.write([])
            let last = try await store.write(.put("a", "1"))
            let view = try await store.readView()
            let conditions: [Condition] = [.absent("b"), .sequence("a", last), .unchangedRange(.all, since: view)]
            for conditions in [[], conditions] {
                let sequence = try await store.write([], if: conditions)
                try expect(
                    sequence <= last, "conditions were checked after write \(last)",
                    expected: "the number of a write that had happened", found: "\(sequence)")
            }
            try expect(try await store.holds(.absent("a")), is: false, "a condition was checked")
            try expect(try await store.contents().map(\.sequence), is: [last], "conditions were checked")
            let next = try await store.write(.put("b", "1"))
            try expect(next > last, "a write followed a check", expected: "a greater number", found: "\(next)")
        },
        ConformanceCheck("conditions are about the state before the batch") { store, _ in
            let view = try await store.readView()
            let sequence = try await store.write(
                .put("a", "1"), .put("b", "1"),
                if: [.absent("a"), .unchangedKey("b", since: view), .unchangedRange(.all, since: view)])
            let later = try await store.readView()
            let keeps: [Condition] = [
                .sequence("a", sequence), .sequence("b", sequence),
                .unchangedKey("a", since: later), .unchangedRange(.all, since: later),
            ]
            try await store.write(.remove("a"), .put("b", "2"), if: keeps)
            try expect(try await store.text("b"), is: "2", "a batch changed the keys of its conditions")
            try expect(try await store.text("a"), is: nil, "a batch changed the keys of its conditions")
        },
        ConformanceCheck("a condition that the batch would fulfil doesn't hold") { store, _ in
            try await store.write(.put("a", "1"))
            for _ in 0..<3 {
                try await expect(.conflict, from: "a key was removed if absent") {
                    try await store.write(
                        WriteBatch(operations: [.remove("a")], conditions: [.absent("a")]), durability: nil)
                }
            }
            try expect(try await store.text("a"), is: "1", "a key was removed if absent")
        },
        ConformanceCheck("of many tasks that create a key, one succeeds") { store, _ in
            for round in 0..<5 {
                let key = "key:\(round)"
                let winners = try await concurrently(6) { task in
                    repeat {
                        let created = try await store.tryWrite([.put(key, "\(task)")], if: [.absent(bytes(key))])
                        if created != nil { return "\(task)" }
                    } while try await store.text(key) == nil
                    return nil
                }.compactMap(\.self)
                try expect(winners.count, is: 1, "6 tasks put a key if it is absent")
                try expect(try await store.text(key), is: winners[0], "6 tasks put a key if it is absent")
            }
        },
        ConformanceCheck("a store is usable from many tasks") { store, _ in
            try await concurrently(10) { task in
                for number in 0..<10 {
                    let key = "\(task):\(number)"
                    let sequence = try await store.write(.put(key, key))
                    try expect(try await store.fetchEntry(bytes(key))?.sequence, is: sequence, "a key was put")
                    let count = try await store.fetchCount(in: .prefix("\(task):"))
                    try expect(count, is: number + 1 - number / 2, "a task counted its keys")
                    if number % 2 == 1 { try await store.write(.remove(key)) }
                }
            }
            try expect(try await store.fetchCount(), is: 50, "10 tasks had put 10 keys and removed 5")
        },
    ]
}
