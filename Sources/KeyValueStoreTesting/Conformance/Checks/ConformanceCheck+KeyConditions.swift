/// Conditions about one key.
extension ConformanceCheck {
    static let keyConditions: [ConformanceCheck] = [
        ConformanceCheck("absent holds only for absent keys") { store, trial in
            for history in KeyHistory.all {
                let key = "absent:\(history)"
                _ = try await trial.perform(history, on: key)
                let isAbsent = try await store.text(key) == nil
                try expect(isAbsent, is: history.endsAbsent, "a key was \(history)")
                try await trial.expectCondition(.absent(bytes(key)), holds: isAbsent, "a key was \(history)")
            }
        },
        ConformanceCheck("sequence holds only for the number of the last write that set the key") { store, trial in
            let other = try await store.write(.put("other", ""))
            for history in KeyHistory.all {
                let key = "sequence:\(history)"
                let writes = try await trial.perform(history, on: key)
                let later = try await store.write(.put("other", ""))
                for sequence in Set(writes + [0, 1, other, later, later + 1, .max]) {
                    let isCurrent = !history.endsAbsent && sequence == writes.last
                    try await trial.expectCondition(
                        .sequence(bytes(key), sequence), holds: isCurrent,
                        "a key was \(history) by \(writes), and compared with \(sequence)")
                }
            }
        },
        ConformanceCheck("unchangedKey holds if nothing was written since the view") { store, trial in
            for history in KeyHistory.all {
                let key = "unchanged:\(history)"
                _ = try await trial.perform(history, on: key)
                let view = try await store.readView()
                try await store.write(.put("unchanged:", "a shorter key"), .put(key + "\0", "a longer key"))
                try await trial.expectCondition(
                    .unchangedKey(bytes(key), since: view), holds: true, "a key was \(history) before a view")
            }
        },
        ConformanceCheck("unchangedKey doesn't hold if the key was set since the view") { store, trial in
            for history in KeyHistory.all {
                let key = "set:\(history)"
                let writes = try await trial.perform(history, on: key)
                let view = try await store.readView()
                // The same value as before: only the write differs.
                try await store.write(.put(key, "\(writes.count)"))
                try await trial.expectCondition(
                    .unchangedKey(bytes(key), since: view), holds: false,
                    "a key was \(history) before a view, and put after it")
            }
        },
        ConformanceCheck("unchangedKey doesn't hold if the key was removed since the view") { store, trial in
            for again in [false, true] {
                let key = "removed:\(again)"
                try await store.write(.put(key, "1"))
                let view = try await store.readView(for: .transaction)
                try await store.write(.remove(key))
                if again { try await store.write(.put(key, "1")) }
                try await trial.expectCondition(
                    .unchangedKey(bytes(key), since: view), holds: false,
                    "a key was removed" + (again ? " and put again" : ""))
            }
        },
        ConformanceCheck("each view has its own moment") { store, trial in
            var views: [any KeyValueView] = []
            for number in 0..<5 {
                views.append(try await store.readView())
                try await store.write(.put("key", "\(number)"))
            }
            views.append(try await store.readView())
            for (index, view) in views.enumerated() {
                let isNewest = index == views.count - 1
                try await trial.expectCondition(
                    .unchangedKey("key", since: view), holds: isNewest, "view \(index) of 0 to 5 was compared")
                try await trial.expectCondition(
                    .unchangedRange(.prefix("k"), since: view), holds: isNewest, "view \(index) of 0 to 5 was compared")
            }
        },
        ConformanceCheck("all conditions of a batch must hold") { store, _ in
            let sequence = try await store.write(.put("a", "1"))
            let view = try await store.readView()
            let right: [Condition] = [
                .absent("b"), .sequence("a", sequence), .unchangedKey("a", since: view),
                .unchangedRange(.prefix("a"), since: view),
            ]
            try await store.write([], if: right)
            for index in 0...right.count {
                var conditions = right
                conditions.insert(.absent("a"), at: index)
                try await expect(.conflict, from: "condition \(index) of 5 didn't hold") {
                    try await store.write(
                        WriteBatch(operations: [.put("c", "")], conditions: conditions), durability: nil)
                }
            }
            try expect(try await store.text("c"), is: nil, "batches were refused")
        },
    ]
}

/// What may have happened to a key.
enum KeyHistory: CaseIterable, CustomStringConvertible {
    case never, put, overwritten, removed, putAgain, removedAgain

    static let all = allCases

    var description: String {
        switch self {
        case .never: "never put"
        case .put: "put"
        case .overwritten: "overwritten"
        case .removed: "removed"
        case .putAgain: "put again after its removal"
        case .removedAgain: "put and removed twice"
        }
    }

    /// Whether each write puts the key.
    var puts: [Bool] {
        switch self {
        case .never: []
        case .put: [true]
        case .overwritten: [true, true]
        case .removed: [true, false]
        case .putAgain: [true, false, true]
        case .removedAgain: [true, false, true, false]
        }
    }

    var endsAbsent: Bool { puts.last != true }
}

extension Trial {
    /// - Returns: The sequence numbers of the writes.
    nonisolated func perform(_ history: KeyHistory, on key: String) async throws -> [SequenceNumber] {
        var sequences: [SequenceNumber] = []
        for (number, isPut) in history.puts.enumerated() {
            sequences.append(try await store.write(isPut ? .put(key, "\(number + 1)") : .remove(key)))
        }
        return sequences
    }

    /// Throws unless a condition holds or doesn't hold, alone and with a write.
    nonisolated func expectCondition(
        _ condition: Condition, holds expected: Bool, _ action: String, file: String = #fileID,
        line: Int = #line
    ) async throws {
        let holds = try await store.holds(condition)
        if holds != expected {
            throw ConformanceFailure(
                "\(action); the condition was \(condition)", expected: "it \(expected ? "holds" : "doesn't hold")",
                found: "it \(holds ? "holds" : "doesn't")", file, line)
        }
    }
}
