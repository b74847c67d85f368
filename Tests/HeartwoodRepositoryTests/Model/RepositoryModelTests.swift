import Foundation
import HeartwoodTesting
import Testing

@testable import HeartwoodRepository

/// Random programs on a repository, compared with a dictionary: several versions of the model, changing indexes,
/// queries with and without them. `HEARTWOOD_SEEDS=1000` runs more, `HEARTWOOD_SEED=42` only that one.
@Suite struct RepositoryModelTests {
    static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["HEARTWOOD_SEED"].flatMap(UInt64.init) { return [seed] }
        return Array(1...(environment["HEARTWOOD_SEEDS"].flatMap(UInt64.init) ?? 12))
    }()

    @Test(arguments: seeds)
    func behavesAsADictionary(_ seed: UInt64) async throws {
        var run = ModelRun(seed)
        do {
            try await run.run()
        } catch {
            Issue.record("HEARTWOOD_SEED=\(seed): \(error)")
        }
    }
}

/// What a random program does, and what must be there.
private struct ModelRun {
    private var random: SeededRandom
    private let test: TestStore
    private var model: [Int: Thing] = [:]
    private var expiries: [Int: UInt64] = [:]
    /// The newest version that has opened the repository.
    private var version = 1

    struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    init(_ seed: UInt64) {
        random = SeededRandom(seed)
        test = TestStore(.chosen(by: seed), seed: seed)
    }

    mutating func run() async throws {
        for _ in 0..<4 {
            version = max(version, Int.random(in: 1...3, using: &random))
            switch version {
            case 1: try await program(ThingV1.self)
            case 2: try await program(ThingV2.self)
            default: try await program(Thing.self)
            }
        }
    }

    /// One program: opens the repository with some of the indexes, works, and closes the store.
    private mutating func program<Model: ThingVersion>(_ type: Model.Type) async throws {
        let store = try await test.open()
        let definition = RepositoryDefinition<Model>(
            "things", version: Model.version, indexes: Model.pool.filter { _ in Bool.random(using: &random) },
            migrations: Model.migrations, unknownIndexes: Bool.random(using: &random) ? .keep : .remove)
        let things = try await store.repository(definition, maintenance: .manual)
        for round in 0..<3 {
            if round > 0 || Bool.random(using: &random) { try await maintain(things) }
            for _ in 0..<Int.random(in: 1...12, using: &random) { try await change(things, store) }
            try await check(things, definition, store)
        }
        try await TestStore.close(store)
    }

    /// Sometimes only in part.
    private mutating func maintain<Model: ThingVersion>(_ things: Repository<Model>) async throws {
        let cancelled = Int.random(in: 0..<3, using: &random) == 0
        do {
            let report = try await Task {
                try await things.maintain { _ in if cancelled { withUnsafeCurrentTask { $0?.cancel() } } }
            }.value
            let duplicates = Dictionary(grouping: alive.values.compactMap(\.unique)) { $0 }.contains { $1.count > 1 }
            guard report.undecodable.isEmpty, report.violations.isEmpty || duplicates else {
                throw Mismatch(description: "maintenance found \(report)")
            }
            let isReady = things.core.definition.indexes.allSatisfy { things.readyIndexes.contains($0.name) }
            guard isReady || duplicates else { throw Mismatch(description: "not ready: \(report)") }
        } catch let error as StoreError where error.code == .cancelled && cancelled {}
    }

    // MARK: Changes

    private var alive: [Int: Thing] {
        model.filter { id, _ in expiries[id].map { test.clock.now().milliseconds < $0 } ?? true }
    }

    private mutating func thing<Model: ThingVersion>(_ type: Model.Type) -> Thing {
        let texts = ["", "a", "ab", "b", "é", "e\u{301}", "zé", "österreich", "日本"]
        let thing = Thing(
            id: Int.random(in: -5...20, using: &random), number: Int.random(in: -300...300, using: &random) / 50,
            text: texts.randomElement(using: &random)!,
            ratio: [nil, -1.5, 0, -0.0, 0.25, 1e300].randomElement(using: &random)!,
            unique: Int.random(in: 0..<3, using: &random) == 0 ? nil : "\(Int.random(in: 0...25, using: &random))",
            tags: (0..<Int.random(in: 0...3, using: &random)).map { _ in texts.randomElement(using: &random)! },
            kind: Thing.Kind.allCases.randomElement(using: &random)!)
        // As the version can have it.
        return Model(thing).thing
    }

    private mutating func change<Model: ThingVersion>(_ things: Repository<Model>, _ store: any KeyValueStore)
        async throws
    {
        let thing = thing(Model.self)
        let id = thing.id
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2: try await write([thing], things) { try await things.save(Model(thing)) }
        case 3:
            let many = (0..<Int.random(in: 0...5, using: &random)).map { _ in self.thing(Model.self) }
            try await write(many, things) { try await things.save(many.map { Model($0) }) }
        case 4:
            let exists = alive[id] != nil
            do {
                try await write([thing], things) { try await things.insert(Model(thing)) }
                if exists { throw Mismatch(description: "\(id) was inserted twice") }
            } catch let error as StoreError where error.code == .alreadyExists && exists {}
        case 5:
            guard let old = alive[id] else {
                guard try await things.update(id, { _ in }) == nil else { throw Mismatch(description: "\(id) exists") }
                return
            }
            var new = thing
            new.text = old.text
            let changed = Model(new).thing
            let expiry = expiries[id]
            try await write([changed], things) { try await things.update(id) { $0 = Model(changed) } }
            if model[id] == changed { expiries[id] = expiry }
        case 6:
            try await things.delete(id)
            model[id] = nil
        case 7:
            let seconds = UInt64.random(in: 1...20, using: &random)
            let end = test.clock.now().milliseconds + seconds * 1_000
            try await write([thing], things) {
                try await things.save(Model(thing), expires: .after(.seconds(Int(seconds))))
            }
            if model[id] == thing { expiries[id] = end }
        case 8: test.clock.advance(seconds: UInt64.random(in: 0...10, using: &random))
        case 9:
            let other = self.thing(Model.self)
            try await write([thing, other], things) {
                try await store.transaction { transaction in
                    try await things.save(Model(thing), in: transaction)
                    try await things.save(Model(other), in: transaction)
                }
            }
        case 10:
            // Two exchange their unique values.
            let two = alive.values.sorted { $0.id < $1.id }.shuffled(using: &random).prefix(2)
            guard var one = two.first, var other = two.last, one.id != other.id else { return }
            swap(&one.unique, &other.unique)
            let swapped = [Model(one), Model(other)]
            try await write(swapped.map(\.thing), things) { try await things.save(swapped) }
        default:
            guard let found = try await things.findVersioned(by: id) else {
                if alive[id] != nil { throw Mismatch(description: "\(id) was not found") }
                return
            }
            try await write([thing], things) { try await things.save(Model(thing), replacing: found, expires: .never) }
            _ = await expectError(.conflict) {
                if model[id] == thing {
                    try await things.save(Model(thing), replacing: found)
                } else {
                    throw StoreError(.conflict, "")
                }
            }
        }
    }

    /// Writes things, and expects a violation only where there is one.
    private mutating func write<Model: ThingVersion>(
        _ written: [Thing], _ things: Repository<Model>, _ body: () async throws -> Void
    ) async throws {
        var after = alive
        for thing in written { after[thing.id] = thing }
        let values = after.values.compactMap(\.unique)
        let isDuplicate = Set(values).count < values.count
        // One that is being built doesn't know all records.
        let isReady = things.readyIndexes.contains(Model.uniqueIndex)
        do {
            try await body()
        } catch let error as StoreError where error.code == .uniqueViolation {
            guard isDuplicate else { throw error }
            return
        }
        if isDuplicate && isReady { throw Mismatch(description: "two records have one unique value: \(written)") }
        for thing in written {
            model[thing.id] = thing
            expiries[thing.id] = nil
        }
    }

    // MARK: Checks

    private mutating func check<Model: ThingVersion>(
        _ things: Repository<Model>, _ definition: RepositoryDefinition<Model>, _ store: any KeyValueStore
    ) async throws {
        let wanted = alive.values.sorted { $0.id < $1.id }
        let all = try await things.loadAll().map(\.thing)
        guard all == wanted else { throw Mismatch(description: "all: \(all), not \(wanted)") }
        guard try await things.count() == wanted.count else { throw Mismatch(description: "a wrong count") }
        guard let things = things as? Repository<Thing>, var plain = definition as? RepositoryDefinition<Thing> else {
            return
        }
        plain.indexes = []
        plain.unknownIndexes = .keep
        let scanned = try await store.readOnlyRepository(plain)
        for filter in Self.filters {
            let expected = try wanted.filter { try filter.matches($0) }
            let limit = Int.random(in: 0...8, using: &random)
            for query in [Query(where: filter), Query(where: filter, sort: [.descending(\.number)], limit: limit)] {
                let found = try await things.fetch(query)
                let without = try await scanned.fetch(query)
                let sorted = expected.sorted { ($0.number, $0.id) > ($1.number, $1.id) }.prefix(limit)
                guard found == (query.sort.isEmpty ? expected : Array(sorted)), without == found else {
                    let text = "\(filter); \(things.plan(for: query))"
                    throw Mismatch(description: "\(text): \(found), by a scan \(without), not \(expected)")
                }
            }
            guard try await things.count(where: filter) == expected.count else {
                throw Mismatch(description: "a wrong count: \(filter)")
            }
        }
    }

    /// At least one for each index. ``RandomQueryTests`` compares what filters and sorts mean.
    private static let filters: [Filter<Thing>] = [
        .all, \.number == 2, \.number >= -1 && \.kind == .blue, \.text == "é", .hasPrefix(\.text, "a"),
        .contains(\.tags, "b"), \.ratio == nil, \.ratio >= 0, \.unique == "7", \.id > 3 || \.unique == nil,
        .isIn(\.kind, [.blue]) && !(\.number < 0),
        Filter(#Predicate { $0.number > 1 && $0.tags.contains("a") || $0.unique == nil }),
    ]
}
