import Foundation
import Testing

@testable import HeartwoodRepository

/// Models whose stored form differs from them.
@Suite struct StoredFormTests {
    /// The compiler only warns of such an id.
    struct Renamed: Codable, Identifiable, Sendable {
        var id = UUID()
        var name: String

        private enum CodingKeys: CodingKey { case id, name }

        init(name: String) { self.name = name }

        init(from decoder: any Decoder) throws {
            name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
        }
    }

    struct Reading: Codable, Identifiable, Sendable, Hashable {
        var id: Date
        var value = 0
    }

    struct Event: Codable, Identifiable, Sendable, Hashable {
        var id: Int
        var at: Date
        var end: Date?
    }

    /// Its code, and not its coder, changes a value, of some records.
    struct Trimmed: Codable, Identifiable, Sendable {
        var id: Int
        var name: String

        init(id: Int, name: String) { (self.id, self.name) = (id, name) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(Int.self, forKey: .id)
            name = try container.decode(String.self, forKey: .name).trimmingCharacters(in: .whitespaces)
        }
    }

    static func coder(
        _ encoding: JSONEncoder.DateEncodingStrategy, _ decoding: JSONDecoder.DateDecodingStrategy
    ) -> JSONCoder {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        (encoder.dateEncodingStrategy, decoder.dateDecodingStrategy) = (encoding, decoding)
        return JSONCoder(encoder: encoder, decoder: decoder)
    }

    static var iso: JSONCoder { coder(.iso8601, .iso8601) }

    /// Every call that saves refuses what it could not find again, and writes nothing.
    @Test(arguments: TestEngine.allCases)
    func anIDThatIsNotDecodedIsRefused(_ engine: TestEngine) async throws {
        try await TestStore(engine).withStore { store in
            for indexes in [[], [Index<Renamed>("name", \.name)]] {
                let all = try await store.repository(of: Renamed.self, named: "\(indexes.count)", indexes: indexes)
                let one = Renamed(name: "one")
                let error = await expectError(.invalidArgument) { try await all.save(one) }
                #expect(error?.message.contains(one.id.uuidString) == true)
                #expect(error?.message.contains("'let'") == true)
                _ = await expectError(.invalidArgument) { try await all.save([one, Renamed(name: "two")]) }
                _ = await expectError(.invalidArgument) { try await all.insert(one) }
                _ = await expectError(.invalidArgument) {
                    try await store.transaction { try await all.save(one, in: $0) }
                }
                #expect(try await all.count() == 0)
            }
            #expect(try await store.verifyRepositories().isClean)
        }
    }

    /// However many records came before that the coder keeps.
    @Test(arguments: TestEngine.allCases)
    func anIDThatTheCoderRoundsIsRefused(_ engine: TestEngine) async throws {
        try await TestStore(engine).withStore { store in
            let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
            let coders = [Self.iso, Self.coder(.secondsSince1970, .secondsSince1970)]
            for (number, coder) in coders.enumerated() {
                let readings = try await store.repository(of: Reading.self, named: "\(number)", coder: coder)
                for second in 0..<40 { try await readings.save(Reading(id: start + Double(second))) }
                // Seconds since 1970 have one bit less.
                let lossy = Reading(
                    id: Date(timeIntervalSinceReferenceDate: start.timeIntervalSinceReferenceDate.nextUp))
                let error = await expectError(.invalidArgument) { try await readings.save(lossy) }
                #expect(error?.message.contains("dates") == true)
                #expect(try await readings.find(by: lossy.id) == nil)
                for reading in try await readings.loadAll() {
                    #expect(try await readings.find(by: reading.id) == reading)
                    try await readings.delete(reading.id)
                }
                #expect(try await readings.count() == 0)
            }
            let exact = try await store.repository(of: Reading.self, named: "exact")
            let plist = try await store.repository(of: Reading.self, named: "plist", coder: .propertyList)
            for repository in [exact, plist] {
                let reading = Reading(id: start + 0.123_456_7)
                try await repository.save(reading)
                #expect(try await repository.find(by: reading.id) == reading)
                #expect(try await repository.verify().isClean)
            }
        }
    }

    /// An encoder must not accept what its decoder refuses.
    @Test func whatCannotBeDecodedAgainIsRefused() async throws {
        struct Snake: Codable, Identifiable, Sendable {
            var id: Int
            var userID: Int
        }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        try await TestStore(.memory).withStore { store in
            let snakes = try await store.repository(
                of: Snake.self, named: "snakes", coder: JSONCoder(encoder: encoder, decoder: decoder))
            let error = await expectError(.invalidArgument) { try await snakes.save(Snake(id: 1, userID: 2)) }
            #expect(error?.message.contains("can't be decoded again") == true)
            #expect(error?.cause is DecodingError)
            #expect(try await snakes.count() == 0)
        }
    }

    /// Indexes have the values that are stored: a query by an index finds what one without it finds.
    @Test(arguments: TestEngine.allCases)
    func indexesHaveTheStoredValues(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
        let indexes = [Index<Event>("at", \.at), .unique("end", \.end)]
        try await test.withStore { store in
            let events = try await store.repository(
                of: Event.self, named: "events", indexes: indexes, coder: Self.iso)
            for id in 0..<60 { try await events.save(Event(id: id, at: start + Double(id) * 0.25)) }
            #expect(try await events.find(by: 7)?.at == start + 1)
            #expect(try await events.fetch(where: \.at == start + 1).map(\.id) == [4, 5, 6, 7])
            #expect(try await events.fetch(where: \.at == start + 1.75).isEmpty)
            try await events.update(7) { $0.at = start + 2.5 }
            #expect(try await events.fetch(where: \.at == start + 2).map(\.id) == [7, 8, 9, 10, 11])
            // Two that are one when they are stored.
            try await events.update(1) { $0.end = start + 0.3 }
            _ = await expectError(.uniqueViolation) { try await events.update(2) { $0.end = start + 0.7 } }
            #expect(try await events.verify().isClean)
            #expect(try await store.verifyRepositories().isClean)
        }
        try await test.withStore { store in
            let events = try await store.repository(of: Event.self, named: "events", coder: Self.iso)
            #expect(try await events.fetch(where: \.at == start + 2).map(\.id) == [7, 8, 9, 10, 11])
        }
    }

    /// If the model's own code changes values, the first records of an opening show it, and all later ones are right.
    @Test func indexesHaveTheValuesThatAModelDecodes() async throws {
        try await TestStore(.memory).withStore { store in
            let all = try await store.repository(
                of: Trimmed.self, named: "trimmed", indexes: [Index("name", \.name)])
            for id in 0..<100 { try await all.save(Trimmed(id: id, name: "n\(id % 4) ")) }
            #expect(try await all.fetch(where: \.name == "n1").count == 25)
            #expect(try await all.verify().isClean)
        }
    }

    /// Records that an older program has saved under other ids are an error, and not models that can't be deleted.
    @Test(arguments: TestEngine.allCases)
    func aRecordWithTheModelOfAnotherIDIsAnError(_ engine: TestEngine) async throws {
        try await TestStore(engine).withUsers { store, users in
            try await users.save((1...3).map { User(id: $0, name: "n\($0)", age: 7) })
            try await users.replaceID(of: 2, by: 9, in: store)
            let error = await expectError(.undecodable) { _ = try await users.find(by: 2) }
            #expect(error?.message.contains("record 2 of \"users\" holds a model with another id, 9") == true)
            _ = await expectError(.undecodable) { _ = try await users.find(by: [1, 2]) }
            _ = await expectError(.undecodable) { _ = try await users.findVersioned(by: 2) }
            _ = await expectError(.undecodable) { _ = try await users.loadAll() }
            _ = await expectError(.undecodable) { _ = try await users.fetch(where: \.age == 7) }
            _ = await expectError(.undecodable) { try await users.update(2) { $0.age += 1 } }
            _ = await expectError(.undecodable) {
                try await retryingEndedViews {
                    for try await _ in users.observe(2) {
                        Issue.record("a model was delivered")
                        break
                    }
                }
            }
            var left: [StoreError] = []
            #expect(try await users.loadAll { left.append($0) }.map(\.id) == [1, 3])
            #expect(left.map(\.code) == [.undecodable])
            let findings = try await users.verify().findings
            #expect(findings.map(\.kind) == [.otherID])
            #expect(findings.first?.id == .int(2))
            #expect(findings.first?.description.contains("another id, 9") == true)
            #expect(try await store.verifyRepositories().isClean)
            try await users.delete(2)
            #expect(try await users.verify().isClean)
        }
    }
}

/// Ids of every kind are found by what a query returns, whatever their values are.
@Suite struct IDKindTests {
    struct Thing<ID: Hashable & Codable & Sendable>: Codable, Identifiable, Sendable {
        var id: ID
        var name = ""
    }

    enum Colour: String, Codable, Sendable { case red, blue }
    enum Size: Int, Codable, Sendable, TupleElement { case small, large }
    struct Code: RawRepresentable, Codable, Hashable, Sendable { var rawValue: String }
    struct Point: Codable, Hashable, Sendable { var x: Double, y: Decimal }

    /// Different ids, none of which equals another.
    private func check<ID: Hashable & Codable & Sendable>(
        _ ids: [ID], equal: [ID] = [], _ location: SourceLocation = #_sourceLocation
    ) async throws {
        for coder in [JSONCoder() as any ModelCoder, PropertyListCoder()] {
            try await TestStore(.memory).withStore { store in
                let things = try await store.repository(
                    of: Thing<ID>.self, named: "things", indexes: [Index("name", \.name)], coder: coder)
                for id in ids { try await things.save(Thing(id: id, name: "one")) }
                for id in equal { try await things.save(Thing(id: id, name: "two")) }
                #expect(try await things.count() == ids.count, sourceLocation: location)
                for id in ids + equal {
                    #expect(try await things.find(by: id) != nil, "\(id)", sourceLocation: location)
                }
                #expect(try await things.verify().isClean, sourceLocation: location)
                for thing in try await things.fetch(where: \.name >= "") { try await things.delete(thing.id) }
                #expect(try await things.count() == 0, sourceLocation: location)
            }
        }
    }

    @Test func numbers() async throws {
        try await check([Int.min, -256, -1, 0, 1, 255, 256, .max])
        try await check([UInt64(0), UInt64(Int64.max), UInt64(Int64.max) + 1, .max])
        try await check([Int8.min, 0, .max])
        try await check(
            [-Double.greatestFiniteMagnitude, -0.1, 0, .leastNonzeroMagnitude, 0.1, 1e300, .greatestFiniteMagnitude],
            equal: [-0.0])
        try await check([-Float.greatestFiniteMagnitude, 0, .leastNonzeroMagnitude, 0.1], equal: [-0.0])
        try await check([true, false])
    }

    /// JSON has none; a property list has.
    @Test func noNumbers() async throws {
        try await TestStore(.memory).withStore { store in
            let json = try await store.repository(of: Thing<Double>.self, named: "json")
            for id in [Double.nan, .infinity] {
                _ = await expectError(.invalidArgument) { try await json.save(Thing(id: id)) }
            }
            let plist = try await store.repository(of: Thing<Double>.self, named: "plist", coder: .propertyList)
            for id in [Double.nan, -.nan, .infinity] { try await plist.save(Thing(id: id)) }
            #expect(try await plist.count() == 2)
            #expect(try await plist.find(by: .nan)?.id.isNaN == true)
            #expect(try await plist.loadAll().count == 2)
        }
    }

    @Test func texts() async throws {
        try await check(
            ["", "a", "\u{0}", "a\u{0}b", "\u{FC}", "\u{FFFF}", "\u{1F469}\u{200D}\u{1F680}"], equal: ["u\u{308}"])
        try await check([Data(), Data([0]), Data([0, 255])])
        try await check([[UInt8](), [0], [0, 255]])
        try await check([UUID(), UUID()])
        try await check(ExtremesTests.texts)
        try await check(ExtremesTests.texts.map { Data($0.utf8) })
    }

    @Test func composites() async throws {
        try await check([KeyTuple("a", 1), KeyTuple("a", 2)])
        try await check([KeyTuple("", UInt64.max), KeyTuple("\0", 0)])
        try await check([KeyTuple(KeyTuple("a", 1), Optional<Double>.none), KeyTuple(KeyTuple("a", 1), 0.5)])
        try await check([Optional<Int>.none, 0, 1])
        try await check([Colour.red, .blue])
        try await check([Size.small, .large])
        try await check([Code(rawValue: "u"), Code(rawValue: "\u{FC}")])
        try await check([Date(timeIntervalSinceReferenceDate: 0.1), Date(timeIntervalSince1970: 0.1), .distantFuture])
    }

    @Test func unordered() async throws {
        try await check([[""], [], ["\0", "e\u{301}"]])
        try await check([Point(x: 0.1, y: 1), Point(x: 0.1, y: Decimal(string: "0.1")!)])
        try await check([URL(string: "https://example.org/a b")!, URL(string: "https://example.org/")!])
        try await check(
            [Decimal(string: "0.1")!, Decimal(string: "-12345678901234567890.5")!], equal: [Decimal(string: "0.10")!])
    }
}

extension Repository where Model == User {
    /// Replaces the id in a record, as an older program could have stored it.
    func replaceID(of id: Int, by other: Int, in store: any KeyValueStore) async throws {
        guard let entry = try await store.fetchEntry(try recordKey(id)) else { return }
        var bytes = entry.value
        let (old, new) = (Array("\"id\":\(id)".utf8), Array("\"id\":\(other)".utf8))
        guard let at = bytes.firstRange(of: old) else { return }
        bytes.replaceSubrange(at, with: new)
        var batch = WriteBatch()
        batch.put(entry.key, bytes)
        // An engine may refuse without a reason.
        while (try? await store.write(batch, durability: nil)) == nil {}
    }
}
