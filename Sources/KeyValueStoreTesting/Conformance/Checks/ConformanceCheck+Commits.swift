/// Batches: whole, in order, under conditions.
extension ConformanceCheck {
    static let commits: [ConformanceCheck] = [
        ConformanceCheck("all keys of a batch have its sequence number") { trial in
            for round in 0..<3 {
                let keys = (0..<20).map { "\(round * 10 + $0)" }
                let sequence = try await trial.store.write(keys.map { .put($0, "\(round)") })
                for entry in try await trial.store.fetchEntries(of: keys.map(bytes)) {
                    try expect(entry?.sequence, is: sequence, "a batch was written")
                }
            }
        },
        ConformanceCheck("each write has a greater sequence number than those before") { trial in
            var last: SequenceNumber = 0
            for number in 0..<30 {
                let operation: WriteBatch.Operation = number % 3 == 2 ? .remove("a") : .put("a", "\(number)")
                let sequence = try await trial.store.write(number % 5 == 4 ? [operation, .put("b", "")] : [operation])
                try expect(
                    sequence > last, "a write followed write \(last)", expected: "a greater number",
                    found: "\(sequence)")
                last = sequence
            }
        },
        ConformanceCheck("a write of any durability is visible when it returns") { trial in
            for durability in [nil, Durability.buffered, .written, .synced] {
                for count in 1...2 {
                    let operations = (0..<count).map { WriteBatch.Operation.put("\($0)", "\(count)") }
                    let sequence = try await trial.store.write(
                        WriteBatch(operations: operations), durability: durability)
                    try await trial.forEachReader { reader in
                        try expect(
                            try await reader.fetchEntry(bytes("0"))?.sequence, is: sequence,
                            "a batch was written, \(durability?.description ?? "as by default")")
                    }
                }
            }
        },
        ConformanceCheck("concurrent writes have different sequence numbers") { trial in
            let store = trial.store
            let sequences = try await withThrowingTaskGroup(of: [SequenceNumber].self) { group in
                for task in 0..<8 {
                    group.addTask {
                        var own: [SequenceNumber] = []
                        for number in 0..<10 { own.append(try await store.write(.put("\(task):\(number)", ""))) }
                        try expect(own, is: own.sorted(), "a task wrote one key after the other")
                        return own
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            try expect(Set(sequences).count, is: 80, "80 writes were made by 8 tasks")
            let stored = try await store.contents().map(\.sequence)
            try expect(Set(stored), is: Set(sequences), "80 keys were written by 8 tasks")
        },
        ConformanceCheck("a batch whose condition doesn't hold writes nothing") { trial in
            let model = try await trial.fill(["a", "b"])
            let view = try await trial.store.readView()
            let current = try await trial.store.write(.put("b", "new"))
            let conditions: [Condition] = [
                .absent(bytes("a")), .sequence(bytes("a"), current), .unchangedKey(bytes("b"), since: view),
                .unchangedRange(.all, since: view),
            ]
            for condition in conditions {
                let operations: [WriteBatch.Operation] = [.put("a", "wrong"), .remove("b"), .put("c", "wrong")]
                try await expect(.conflict, from: "a batch with the condition \(condition) was written") {
                    try await trial.store.write(
                        WriteBatch(operations: operations, conditions: [.absent(bytes("x")), condition]),
                        durability: nil)
                }
                let entries = try await trial.store.contents()
                try expect(
                    entries,
                    is: [model.entries[bytes("a")], Entry(key: bytes("b"), value: bytes("new"), sequence: current)],
                    "a batch was refused")
            }
        },
        ConformanceCheck("a batch without operations only checks its conditions") { trial in
            try await trial.store.write([])
            let last = try await trial.store.write(.put("a", "1"))
            let view = try await trial.store.readView()
            let conditions: [Condition] = [
                .absent(bytes("b")), .sequence(bytes("a"), last), .unchangedRange(.all, since: view),
            ]
            for conditions in [[], conditions] {
                let sequence = try await trial.store.write([], if: conditions)
                try expect(
                    sequence <= last, "conditions were checked after write \(last)",
                    expected: "the number of a write that had happened", found: "\(sequence)")
            }
            try expect(try await trial.store.holds(.absent(bytes("a"))), is: false, "a condition was checked")
            try expect(try await trial.store.contents().map(\.sequence), is: [last], "conditions were checked")
            let next = try await trial.store.write(.put("b", "1"))
            try expect(next > last, "a write followed a check", expected: "a greater number", found: "\(next)")
        },
        ConformanceCheck("conditions are about the state before the batch") { trial in
            let view = try await trial.store.readView()
            let sequence = try await trial.store.write(
                .put("a", "1"), .put("b", "1"),
                if: [
                    .absent(bytes("a")), .unchangedKey(bytes("b"), since: view), .unchangedRange(.all, since: view),
                ])
            let later = try await trial.store.readView()
            let keeps: [Condition] = [
                .sequence(bytes("a"), sequence), .sequence(bytes("b"), sequence),
                .unchangedKey(bytes("a"), since: later), .unchangedRange(.all, since: later),
            ]
            try await trial.store.write(.remove("a"), .put("b", "2"), if: keeps)
            try expect(try await trial.store.text("b"), is: "2", "a batch changed the keys of its conditions")
            try expect(try await trial.store.text("a"), is: nil, "a batch changed the keys of its conditions")
        },
        ConformanceCheck("a condition that the batch would fulfil doesn't hold") { trial in
            try await trial.store.write(.put("a", "1"))
            for _ in 0..<3 {
                try await expect(.conflict, from: "a key was removed if absent") {
                    try await trial.store.write(
                        WriteBatch(operations: [.remove("a")], conditions: [.absent(bytes("a"))]), durability: nil)
                }
            }
            try expect(try await trial.store.text("a"), is: "1", "a key was removed if absent")
        },
        ConformanceCheck("of many tasks that create a key, one succeeds") { trial in
            let store = trial.store
            for round in 0..<5 {
                let key = "key:\(round)"
                let winners = try await withThrowingTaskGroup(of: String?.self) { group in
                    for task in 0..<6 {
                        group.addTask {
                            repeat {
                                let created = try await store.tryWrite(
                                    [.put(key, "\(task)")], if: [.absent(bytes(key))])
                                if created != nil { return "\(task)" }
                            } while try await store.text(key) == nil
                            return nil
                        }
                    }
                    return try await group.reduce(into: [String]()) { winners, name in
                        winners += name.map { [$0] } ?? []
                    }
                }
                try expect(winners.count, is: 1, "6 tasks put a key if it is absent")
                try expect(try await store.text(key), is: winners[0], "6 tasks put a key if it is absent")
            }
        },
        ConformanceCheck("a store is usable from many tasks") { trial in
            let store = trial.store
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<10 {
                    group.addTask {
                        for number in 0..<10 {
                            let key = "\(task):\(number)"
                            let sequence = try await store.write(.put(key, key))
                            try expect(try await store.fetchEntry(bytes(key))?.sequence, is: sequence, "a key was put")
                            let count = try await store.fetchCount(in: .prefix("\(task):"))
                            try expect(count, is: number + 1 - number / 2, "a task counted its keys")
                            if number % 2 == 1 { try await store.write(.remove(key)) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            try expect(try await store.fetchCount(in: .all), is: 50, "10 tasks had put 10 keys and removed 5")
        },
    ]
}
