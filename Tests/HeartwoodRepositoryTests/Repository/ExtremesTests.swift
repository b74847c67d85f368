import Foundation
import Testing

@testable import HeartwoodRepository

/// What a call accepts is read again, found and verified, whatever the value. What can't be kept is refused.
@Suite struct ExtremesTests {
    struct Wide: Codable, Identifiable, Sendable {
        var id: UInt64
        var integer = Int64(0)
        var unsigned = UInt64(0)
        var double = 0.0
        var float = Float(0)
        var text = ""
        var bytes: [UInt8] = []
        var date = Date(timeIntervalSinceReferenceDate: 0)
        var uuid: UUID?
        var tags: [String] = []
        var decimal = Decimal(0)

        static let indexes: [Index<Wide>] = [
            Index("integer", \.integer), Index("unsigned", \.unsigned), Index("double", \.double),
            Index("float", \.float), Index("text", \.text), Index("bytes", \.bytes), Index("date", \.date),
            Index("uuid", \.uuid), Index("tag", .each(\.tags)), Index("all", \.text, \.bytes, \.double, \.uuid),
        ]

        /// Equal also where a value is NaN.
        func isSame(as other: Wide) -> Bool {
            func isSame(_ left: Double, _ right: Double) -> Bool { left == right || left.isNaN && right.isNaN }
            return (id, integer, unsigned, text, bytes) == (
                other.id, other.integer, other.unsigned, other.text, other.bytes
            )
                && isSame(double, other.double) && isSame(Double(float), Double(other.float))
                && isSame(date.timeIntervalSinceReferenceDate, other.date.timeIntervalSinceReferenceDate)
                && (uuid, tags) == (other.uuid, other.tags)
                && (decimal == other.decimal || decimal.isNaN && other.decimal.isNaN)
        }
    }

    static let doubles = [
        0, -0.0, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
        .infinity, -.infinity, .nan, .signalingNaN, Double(nan: 5, signaling: false),
    ]
    static let floats = [
        0, -0.0, .leastNonzeroMagnitude, .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
        .infinity, -.infinity, .nan, .signalingNaN, Float(nan: 5, signaling: false),
    ]
    static let texts = [
        "", "\0", "\u{FFFF}", "\u{10FFFF}", "e\u{301}", String(repeating: "\u{1D160}", count: 500),
        String(repeating: "\0", count: 20_000),
    ]

    /// One record for each extreme of each field.
    static var records: [Wide] {
        var all: [Wide] = []
        func add(_ change: (inout Wide) -> Void) {
            all.append(Wide(id: all.count == 1 ? .max : UInt64(all.count)))
            change(&all[all.count - 1])
        }
        for value in [.min, -1, 0, .max] as [Int64] { add { $0.integer = value } }
        for value in [1 << 63, .max - 1, .max] as [UInt64] { add { $0.unsigned = value } }
        for value in doubles {
            add { $0.double = value }
            add { $0.date = Date(timeIntervalSinceReferenceDate: value) }
        }
        for value in floats { add { $0.float = value } }
        for value in [Date.distantPast, .distantFuture] { add { $0.date = value } }
        for value in texts {
            add { $0.text = value }
            add { $0.bytes = Array(value.utf8) }
            add { $0.tags = [value, value + "x"] }
        }
        add { $0.tags = (0..<50).map { "\($0)" } }
        add { $0.uuid = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
        for value in [.greatestFiniteMagnitude, .leastNonzeroMagnitude, .nan] as [Decimal] {
            add { $0.decimal = value }
        }
        return all
    }

    /// - Returns: The records that were saved; the others were refused.
    private func save(_ records: [Wide], _ wide: Repository<Wide>) async throws -> [Wide] {
        var saved: [Wide] = []
        for record in records {
            do throws(StoreError) {
                try await wide.save(record)
                saved.append(record)
            } catch {
                #expect(error.code == .invalidArgument || error.code == .tooLarge, "\(error)")
                #expect(try await wide.find(by: record.id) == nil)
            }
        }
        return saved
    }

    @Test(arguments: TestEngine.allCases, ["json", "plist"])
    func everyValueIsReadAgain(_ engine: TestEngine, _ coder: String) async throws {
        let definition = RepositoryDefinition<Wide>(
            "wide", version: Int(Int32.max), indexes: Wide.indexes, coder: coder == "json" ? .json : .propertyList)
        let test = TestStore(engine)
        let saved = try await test.withStore { try await save(Self.records, try await $0.repository(definition)) }
        // Infinity, the NaNs and a date of each are beyond JSON.
        #expect(saved.count == Self.records.count - (coder == "json" ? 16 : 0))
        try await test.withStore { store in
            let wide = try await store.repository(definition)
            let byID = Dictionary(uniqueKeysWithValues: saved.map { ($0.id, $0) })
            for record in saved { #expect(try await wide.find(by: record.id)?.isSame(as: record) == true) }
            let verification = try await retryingEndedViews { try await wide.verify() }
            #expect(verification.isClean, "\(verification.findings)")
            try await find(\.integer, in: saved, wide)
            try await find(\.unsigned, in: saved, wide)
            try await find(\.double, in: saved, wide)
            try await find(\.float, in: saved, wide)
            try await find(\.text, in: saved, wide)
            try await find(\.bytes, in: saved, wide)
            try await find(\.date, in: saved, wide)
            try await find(\.uuid, in: saved, wide)
            for sort in [
                Sort<Wide>.ascending(\.double), .descending(\.text), .ascending(\.date), .descending(\.unsigned),
            ] {
                var (seen, cursor): (Set<UInt64>, QueryCursor?) = ([], nil)
                repeat {
                    let page = try await wide.page(Query(sort: [sort]), limit: 7, after: cursor)
                    for record in page.models {
                        #expect(seen.insert(record.id).inserted && byID[record.id]?.isSame(as: record) == true)
                    }
                    cursor = try page.next.map { try #require(QueryCursor($0.description)) }
                } while cursor != nil
                #expect(seen.count == saved.count)
            }
            #expect(try await wide.page(Query(), limit: .max).models.count == saved.count)
            #expect(try await wide.maximum(of: \.unsigned) == .max)
            #expect(try await wide.minimum(of: \.integer) == .min)
            #expect(try await wide.minimum(of: \.text) == "")
            #expect(try await wide.maximum(of: \.bytes)?.count == 4)
            for record in saved { try await wide.delete(record.id) }
            #expect(try await retryingEndedViews { try await wide.verify() }.isClean)
        }
    }

    private func find<Value: TupleElement & Hashable>(
        _ path: any KeyPath<Wide, Value> & Sendable, in saved: [Wide], _ wide: Repository<Wide>
    ) async throws {
        for value in Set(saved.map { $0[keyPath: path] }) {
            let expected = Set(saved.filter { $0[keyPath: path] == value }.map(\.id))
            let found = try await wide.fetch(Query(where: path == value)).map(\.id)
            #expect(Set(found) == expected && found.count == expected.count, "\(Filter<Wide>.text(value).prefix(80))")
        }
    }

    struct Nested: Codable, Identifiable, Sendable {
        var id: Int
        var depth: Int { id }
        var tuple: TupleValue { (0..<depth).reduce(.null) { value, _ in .tuple([value]) } }
    }

    @Test(arguments: TestEngine.allCases)
    func tuplesThatNoDecoderReadsAreRefused(_ engine: TestEngine) async throws {
        try await TestStore(engine).withStore { store in
            let nested = try await store.repository(of: Nested.self, named: "n", indexes: [Index("tuple", \.tuple)])
            for depth in [0, 1, 127, 128] { try await nested.save(Nested(id: depth)) }
            for depth in [129, 1_000] {
                _ = await expectError(.invalidArgument) { try await nested.save(Nested(id: depth)) }
            }
            #expect(try await nested.maximum(of: \.tuple) == Nested(id: 128).tuple)
            #expect(try await retryingEndedViews { try await nested.verify() }.isClean)
        }
    }

    @Test(arguments: TestEngine.allCases)
    func everyDefinitionIsOpenedAgain(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        let long = String(repeating: "\u{1D160}", count: 2_000)
        let definitions = ["\0", "e\u{301}", "\u{10FFFF}", long].map { name in
            RepositoryDefinition<User>(
                name, version: name == "\0" ? 1 : Int(Int32.max),
                indexes: [
                    Index(name, revision: .max, \.name), Index(name + "x", revision: .min, \.age),
                    .unique("u", revision: 0, \.email),
                ])
        }
        for round in 0..<2 {
            try await test.withStore { store in
                for definition in definitions {
                    let users = try await store.repository(definition)
                    #expect(users.readyIndexes.count == 3)
                    #expect(try await users.count(where: \.age == 7) == round)
                    try await users.save(User(id: 1, name: "n", email: "e", age: 7))
                    #expect(try await retryingEndedViews { try await users.verify() }.isClean)
                }
            }
        }
        try await test.withStore { store in
            for version in [.min, -1, 0, Int(Int32.max) + 1, .max] {
                _ = await expectError(.invalidArgument) {
                    _ = try await store.repository(RepositoryDefinition<User>("v", version: version))
                }
            }
            let tooLong = RepositoryDefinition<User>(String(repeating: "n", count: 70_000))
            if store.limits.keyBytes < 70_000 {
                _ = await expectError(.invalidArgument) { _ = try await store.repository(tooLong) }
            }
        }
    }

    @Test func everyEnvelopeIsReadAgain() throws {
        let values: [[[UInt8]]] = [[], [[]], [[0], [0xFF]], [[UInt8](repeating: 7, count: 70_000)]]
        for version in [0, 1, 127, 128, Int(Int32.max)] {
            for index in [0, 1, 63, 64, Int(Int32.max)] {
                let groups = values.map { RecordEnvelope.Group(index: index, isUnique: $0.count == 1, values: $0) }
                for groups in [[], groups, (0..<300).flatMap { _ in groups.prefix(3) }] {
                    let envelope = RecordEnvelope(version: version, groups: groups)
                    for payload in [[], [0]] as [[UInt8]] {
                        let bytes = envelope.encoded(with: payload)
                        let (found, start) = try RecordEnvelope.decode(bytes)
                        #expect(found == envelope && Array(bytes[start...]) == payload)
                        #expect(try RecordEnvelope.head(bytes.span.bytes) == (version, start))
                    }
                }
            }
        }
    }

    /// Numbers in the catalogue that only another program can have written, and to which nothing may be added.
    @Test(arguments: TestEngine.allCases)
    func numbersOfTheCatalogueAreInTheirRange(_ engine: TestEngine) async throws {
        let test = TestStore(engine)
        try await test.withStore { _ = try await $0.repository(User.plain) }
        let key = KeyLayout.catalogueKey("users")
        let intact = try await test.withStore { try await $0.fetchEntry(key)?.value } ?? []
        for field in ["generation", "nextIndex", "number", "oldestVersion", "version"] {
            for value in [Int.min, -1, .max] {
                let text = String(decoding: intact, as: UTF8.self).replacing(
                    "\"\(field)\":1", with: "\"\(field)\":\(value)")
                try await test.withStore { store in
                    try await store.write(
                        WriteBatch(operations: [.init(key: key, value: Array(text.utf8))]), durability: nil)
                    await #expect(throws: StoreError.self, "\(field) \(value)") {
                        _ = try await store.repository(
                            RepositoryDefinition<User>("users", version: 2, indexes: User.definition.indexes))
                    }
                }
            }
        }
        for next in [Int.min, -1, 0, Int(Int32.max), .max] {
            var encoder = TupleEncoder()
            encoder.append(next)
            try await test.withStore { store in
                let operation = WriteBatch.Operation(key: KeyLayout.nextNumber, value: encoder.bytes)
                try await store.write(WriteBatch(operations: [operation]), durability: nil)
                await #expect(throws: StoreError.self, "next \(next)") {
                    _ = try await store.repository(RepositoryDefinition<User>("other"))
                }
            }
        }
    }
}
