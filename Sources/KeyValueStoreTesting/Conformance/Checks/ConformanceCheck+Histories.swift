internal import HeartwoodTesting

/// Random operations, compared with a model after each.
extension ConformanceCheck {
    static let histories: [ConformanceCheck] = (1...4).map { seed in
        ConformanceCheck("a random history is that of a model (seed \(seed))") { store, trial in
            var history = try await RandomHistory(trial, seed: UInt64(seed))
            for step in 0..<150 {
                do {
                    try await history.perform(step)
                } catch let failure as ConformanceFailure {
                    var failure = failure
                    failure.action = "seed \(seed), step \(step): \(failure.action)"
                    throw failure
                }
            }
            try await history.compareFeed()
        }
    }
}

/// Operations on a store, what it should contain, and what views of it should show.
private struct RandomHistory {
    /// A view, what it shows, and which keys were set or removed since. A key that was and is absent isn't decided.
    private struct Moment {
        var view: any KeyValueView
        var model: KeyModel
        var touched: Set<[UInt8]> = []
    }

    private let trial: Trial
    private let start: ChangePosition
    private var random: SeededRandom
    private var model = KeyModel()
    private var moments: [Moment] = []
    private var written: [(sequence: SequenceNumber, operations: [WriteBatch.Operation])] = []
    private var store: any KeyValueStore { trial.store }

    init(_ trial: Trial, seed: UInt64) async throws {
        (self.trial, random) = (trial, SeededRandom(seed))
        start = try await trial.store.readView().position
    }

    mutating func perform(_ step: Int) async throws {
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<4: try await write()
        case 4: try await transact()
        case 5: try await compare(store, model, "the store")
        case 6: try await remember()
        case 7: try await compareMoment()
        default: try await writeConditionally()
        }
    }

    private mutating func key() -> [UInt8] {
        let length = Int.random(in: 1...2, using: &random)
        return (0..<length).map { _ in UInt8.random(in: 97...101, using: &random) }
    }

    private mutating func range() -> KeyRange {
        let ranges = KeyRange.withBounds(at: [key(), key()])
        return ranges[Int.random(in: 0..<ranges.count, using: &random)]
    }

    private mutating func operations() -> [WriteBatch.Operation] {
        var operations: [[UInt8]: WriteBatch.Operation] = [:]
        for _ in 0..<Int.random(in: 1...5, using: &random) {
            let (key, isRemoval) = (key(), Int.random(in: 0..<3, using: &random) == 0)
            let value = [UInt8](repeating: 7, count: Int.random(in: 0...300, using: &random))
            operations[key] = .init(key: key, value: isRemoval ? nil : value)
        }
        return operations.values.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    private mutating func note(_ operations: [WriteBatch.Operation], _ sequence: SequenceNumber) throws {
        try expect(
            sequence > written.last?.sequence ?? 0, "a batch was written", expected: "a greater number",
            found: "\(sequence)")
        model.apply(operations, sequence)
        written.append((sequence, operations))
        for index in moments.indices { moments[index].touched.formUnion(operations.map(\.key)) }
    }

    private mutating func write() async throws {
        let operations = operations()
        try note(operations, try await store.write(operations))
    }

    private mutating func transact() async throws {
        let (operations, range, read) = (operations(), range(), key())
        let model = self.model
        let result = try await store.transaction { transaction in
            try expect(try await transaction.fetchEntry(read), is: model.entries[read], "a transaction read a key")
            let page = try await transaction.fetchEntries(in: range, limit: .max)
            try expect(page.entries, is: model.entries(in: range), "a transaction read \(range)")
            for operation in operations {
                try transaction.perform(operation)
            }
        }
        try note(operations, result.sequence)
    }

    private mutating func writeConditionally() async throws {
        var conditions: [Condition] = []
        var holds = true
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            guard let (condition, isMet) = condition() else { return }
            conditions.append(condition)
            holds = holds && isMet
        }
        let operations = operations()
        if holds {
            try note(operations, try await store.write(operations, if: conditions))
        } else if try await store.tryWrite(operations, if: conditions) != nil {
            throw ConformanceFailure(
                "\(operations) was written with \(conditions)", expected: "conflict", found: "success")
        }
    }

    /// A condition, and whether it holds; nil if that isn't decided.
    private mutating func condition() -> (Condition, Bool)? {
        let (key, range) = (key(), range())
        let current = model.entries[key]?.sequence
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return (.absent(key), current == nil)
        case 1:
            let sequence = Bool.random(using: &random) ? current ?? 1 : written.randomElement(using: &random)?.0 ?? 0
            return (.sequence(key, sequence), current == sequence)
        case 2:
            guard let moment = moments.randomElement(using: &random) else { return nil }
            if isUndecided(key, moment) { return nil }
            return (.unchangedKey(key, since: moment.view), !moment.touched.contains(key))
        default:
            guard let moment = moments.randomElement(using: &random) else { return nil }
            let touched = moment.touched.filter { KeyModel.contains($0, in: range) }
            let decided = touched.filter { !isUndecided($0, moment) }
            if decided.isEmpty && !touched.isEmpty { return nil }
            return (.unchangedRange(range, since: moment.view), decided.isEmpty)
        }
    }

    private func isUndecided(_ key: [UInt8], _ moment: Moment) -> Bool {
        moment.touched.contains(key) && moment.model.entries[key] == nil && model.entries[key] == nil
    }

    private mutating func remember() async throws {
        if moments.count == 4 { moments.remove(at: Int.random(in: 0..<4, using: &random)) }
        moments.append(Moment(view: try await store.readView(), model: model))
    }

    private mutating func compareMoment() async throws {
        guard let index = moments.indices.randomElement(using: &random) else { return }
        do {
            try await compare(moments[index].view, moments[index].model, "a view")
        } catch let error as StoreError where error.code == .viewEnded {
            moments.remove(at: index)
        }
    }

    private mutating func compare(_ reader: any KeyValueReader, _ model: KeyModel, _ name: String) async throws {
        let (range, keys) = (range(), [key(), key(), key()])
        let (reversed, limit) = (Bool.random(using: &random), Int.random(in: 1...12, using: &random))
        let expected = model.entries(in: range, reversed: reversed)
        let page = try await reader.fetchEntries(in: range, reversed: reversed, limit: limit)
        try expect(page.entries, is: Array(expected.prefix(limit)), "\(range) of \(name) was read")
        try expect(try await reader.fetchCount(in: range), is: expected.count, "\(range) of \(name) was counted")
        let entries = try await reader.fetchEntries(of: keys)
        try expect(entries, is: keys.map { model.entries[$0] }, "keys of \(name) were read")
        let entry = try await reader.fetchEntry(keys[0])
        try expect(entry, is: model.entries[keys[0]], "a key of \(name) was read")
    }

    /// Removals of absent keys may or may not be in a feed.
    func compareFeed() async throws {
        let found = try await trial.changes(after: start)
        var (copy, number) = (KeyModel(), 0)
        var changed: [SequenceNumber: Set<[UInt8]>] = [:]
        for change in found {
            if change.action != .remove || copy.entries[change.key] != nil {
                changed[change.sequence, default: []].insert(change.key)
            }
            copy.apply(change)
            number += 1
        }
        var (model, expected) = (KeyModel(), [SequenceNumber: Set<[UInt8]>]())
        for (sequence, operations) in written {
            for operation in operations where operation.value != nil || model.entries[operation.key] != nil {
                expected[sequence, default: []].insert(operation.key)
            }
            model.apply(operations, sequence)
        }
        try expect(changed, is: expected, "a random history was followed")
        try expect(copy.entries(in: .all), is: model.entries(in: .all), "a copy was made of \(number) changes")
    }
}
