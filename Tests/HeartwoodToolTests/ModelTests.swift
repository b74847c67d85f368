internal import Foundation
internal import Heartwood
internal import HeartwoodRepository
internal import Testing

@Suite("repositories")
struct ModelTests {
    private let sandbox: Sandbox
    private let akureyri = #"{"country":"IS","id":2633274,"name":"Akureyri","population":16563}"#
    private let ada = #"{"email":"ada@example.org","id":"ada","joined":"2026-01-01T00:00:00Z","name":"Ada"}"#

    init() async throws {
        sandbox = try Sandbox()
        try await sandbox.makeExampleStore()
    }

    // MARK: - models

    @Test("models lists repositories and their indexes")
    func models() async throws {
        let objects = try await sandbox.heartwood("models", "app", "--json").objects()
        #expect(objects.map { $0["name"] as? String } == ["cities", "users"])
        #expect(objects.map { $0["records"] as? Int } == [4, 2])
        let indexes = try #require(objects[0]["indexes"] as? [[String: Any]])
        #expect(indexes.map { $0["entries"] as? Int } == [4, 4])
        #expect(indexes.map { $0["state"] as? String } == ["ready", "ready"])
        let bytes = objects.map { ($0["keyBytes"] as? Int ?? 0, $0["valueBytes"] as? Int ?? 0) }
        #expect(bytes.allSatisfy { $0.0 > 0 && $0.1 > 0 })
    }

    @Test("a store without repositories has none, and nothing is no store")
    func none() async throws {
        _ = try await sandbox.heartwood("put", "s", "a", "1", "--create")
        #expect(try await sandbox.heartwood("models", "s").output == "no repositories\n")
        let json = try await sandbox.heartwood("models", "s", "--json")
        #expect(json.code == 0 && json.bytes.isEmpty)
        #expect(try await sandbox.heartwood("models", "nowhere").code == 73)
        let scan = try await sandbox.heartwood("scan", "s", "--model", "cities")
        #expect(scan.code == 1 && scan.error.contains("no repository 'cities' in s: see their names with"))
        // Keys that only begin as those of repositories.
        _ = try await sandbox.heartwood("put", "s", "--hex", "fe15", "31")
        #expect(try await sandbox.heartwood("scan", "s").output == "a\t1\n\\xfe\\x15\t1\n")
    }

    // MARK: - get

    @Test(
        "get finds a record by each form of its id",
        arguments: [
            ("cities", "2633274", 0), ("users", "ada", 1), ("users", #""ada""#, 1), ("users", #""\u{61}da""#, 1),
        ])
    func ids(model: String, id: String, expected: Int) async throws {
        let outcome = try await sandbox.heartwood("get", "app", "--model", model, id)
        #expect(outcome.code == 0 && outcome.output == [akureyri, ada][expected] + "\n", "\(outcome)")
    }

    @Test("get prints several records, JSON, and the stored bytes")
    func get() async throws {
        let several = try await sandbox.heartwood("get", "app", "--model", "cities", "3413829", "1", "2633274")
        #expect(several.code == 1 && several.lines.count == 2, "\(several)")
        #expect(several.lines.last == "2633274\t" + akureyri)
        #expect(several.error.contains("no record '1' in 'cities': see the ids with 'heartwood scan app --model "))
        let json = try await sandbox.heartwood("get", "app", "--model", "users", "42", "--json").objects()[0]
        #expect(json["id"] as? String == "42" && json["version"] as? Int == 2)
        #expect((json["value"] as? [String: Any])?["name"] as? String == "Douglas")
        #expect((json["expires"] as? Int ?? 0) > 1_700_000_000_000)
        let raw = try await sandbox.heartwood("get", "app", "--model", "users", "ada", "--raw")
        #expect(String(decoding: raw.bytes.prefix(8), as: UTF8.self) == "bplist00")
        #expect(try await sandbox.heartwood("get", "app", "--model", "cities", "1", "--hex").code == 64)
        #expect(try await sandbox.heartwood("scan", "app", "--model", "cities", "--prefix", "1").code == 64)
    }

    @Test("identifiers, tuples, numbers and JSON are ids as they are printed")
    func otherIDs() async throws {
        struct Item<ID: Codable & Hashable & Sendable>: Codable, Identifiable, Sendable where ID: SendableMetatype {
            var id: ID
        }
        struct Point: Codable, Hashable, Sendable { var y: Int, x: String }
        let uuid = UUID()
        try await sandbox.withStore("s") { store in
            try await store.repository(of: Item<UUID>.self, named: "uuid").save(Item(id: uuid))
            try await store.repository(of: Item<Double>.self, named: "double").save(Item(id: 2))
            try await store.repository(of: Item<KeyTuple<Int, String>>.self, named: "tuple").save(
                Item(id: KeyTuple(-3, "a, \"b\"")))
            try await store.repository(of: Item<Point>.self, named: "json").save(Item(id: Point(y: 1, x: "é")))
            try await store.repository(of: Item<Data>.self, named: "bytes").save(Item(id: Data([0, 255])))
        }
        for (model, id) in [
            ("uuid", uuid.uuidString), ("double", "2.0"), ("tuple", #"(-3, "a, \"b\"")"#), ("bytes", "0x00FF"),
            ("json", #"{"x":"é","y":1}"#),
        ] {
            let scan = try await sandbox.heartwood("scan", "s", "--model", model)
            #expect(scan.lines.first?.hasPrefix(id + "\t{") == true, "\(scan)")
            #expect(try await sandbox.heartwood("scan", "s", "--model", model, "--keys").output == id + "\n")
            let get = try await sandbox.heartwood("get", "s", "--model", model, "--", id)
            #expect(get.code == 0, "\(model): \(get)")
            #expect(try await sandbox.heartwood("export", "s", "--model", model).objects().count == 1)
        }
        #expect(try await sandbox.heartwood("get", "s", "--model", "double", "2").code == 0)
        #expect(try await sandbox.heartwood("get", "s", "--model", "json", #"{ "y": 1, "x": "e\#u{301}" }"#).code == 0)
        #expect(try await sandbox.heartwood("get", "s", "--model", "uuid", uuid.uuidString.lowercased()).code == 0)
    }

    // MARK: - scan and export

    @Test("scan prints records in the order of their ids")
    func scan() async throws {
        let ids = ["2633274", "3040051", "3041563", "3413829"]
        let all = try await sandbox.heartwood("scan", "app", "--model", "cities")
        #expect(all.lines.map { String($0.prefix { $0 != "\t" }) } == ids)
        #expect(all.lines[0] == "2633274\t" + akureyri)
        let last = try await sandbox.heartwood(
            "scan", "app", "--model", "cities", "--reverse", "--limit", "2", "--keys")
        #expect(last.lines == ["3413829", "3041563"])
        let json = try await sandbox.heartwood("scan", "app", "--model", "cities", "--limit", "1", "--json")
        #expect(json.lines == [#"{"id":2633274,"value":\#(akureyri),"version":1,"sequence":2}"#], "\(json.output)")
        let expiring = try await sandbox.heartwood("scan", "app", "--model", "users", "--expiring", "--keys")
        #expect(expiring.lines.count == 1 && expiring.output.hasPrefix("\"42\"\t20"), "\(expiring)")
    }

    @Test("scan without a model names what the keys of repositories stand for, and --json and --hex don't")
    func readableKeys() async throws {
        _ = try await sandbox.heartwood("put", "app", "greeting", "hello")
        let scan = try await sandbox.heartwood("scan", "app")
        #expect(scan.lines.contains("greeting\thello"))
        #expect(scan.lines.contains("catalogue, next number\t3"))
        #expect(scan.lines.contains { $0.hasPrefix("catalogue, cities\t{") })
        #expect(scan.lines.contains("cities, record 2633274\t" + akureyri), "\(scan.output)")
        #expect(scan.lines.contains("users, record \"ada\"\t" + ada))
        #expect(scan.lines.contains(#"cities, index country-population ("AD", 20430), record 3041563"#))
        #expect(scan.lines.contains(#"users, index email ("ada@example.org"), record "ada""#))
        #expect(scan.lines.contains(#"users, index email (null), record "42""#))
        let keys = try await sandbox.heartwood("scan", "app", "--keys")
        #expect(keys.lines.contains("cities, record 2633274"))
        #expect(keys.lines.contains(#"users, index email ("ada@example.org")"#))
        let hex = try await sandbox.heartwood("scan", "app", "--hex", "--keys")
        let json = try await sandbox.heartwood("scan", "app", "--json")
        #expect(hex.lines.dropFirst().allSatisfy { $0.hasPrefix("fe") } && hex.lines.count == scan.lines.count)
        #expect(try json.objects().dropFirst().allSatisfy { $0["key64"] != nil })
        let record = try #require(hex.lines.first { $0.hasPrefix("fe150114") })
        let key64 = try await sandbox.shell("printf \(record) | xxd -r -p | base64").output.dropLast()
        #expect(try await sandbox.heartwood("get", "app", "--key64", String(key64)).output == akureyri + "\n")
        // An export of all keys is loaded as before.
        let export = try await sandbox.heartwood("export", "app")
        #expect(try await sandbox.heartwood("load", "copy", "-", "--format", "pairs", bytes: export.bytes).code == 0)
        #expect(try await sandbox.heartwood("models", "copy").output == sandbox.heartwood("models", "app").output)
    }

    @Test("export prints one object a record")
    func export() async throws {
        let export = try await sandbox.heartwood("export", "app", "--model", "cities", "--limit", "3")
        #expect(export.lines.count == 3)
        #expect(export.lines[0] == #"{"id":2633274,"value":\#(akureyri),"version":1}"#)
        let users = try await sandbox.heartwood("export", "app", "--model", "users").objects()
        #expect(users.map { $0["id"] as? String } == ["42", "ada"])
        #expect(users.map { $0["expires"] != nil } == [true, false])
    }

    @Test("values of other coders are base64, with a note; unreadable records are named")
    func otherCoders() async throws {
        struct Reversed: ModelCoder {
            let name = "reversed"
            func encode(_ value: some Encodable) throws -> [UInt8] { try JSONCoder().encode(value).reversed() }
            func decode<T: Decodable>(_ type: T.Type, from bytes: RawSpan) throws -> T {
                let bytes = bytes.withUnsafeBytes { [UInt8]($0.reversed()) }
                return try JSONCoder().decode(type, from: bytes.span.bytes)
            }
        }
        struct Item: Codable, Identifiable, Sendable { var id: Int }
        try await sandbox.withStore("s") { store in
            try await store.repository(of: Item.self, named: "r", coder: Reversed()).save(Item(id: 1))
            try await store.repository(of: Item.self, named: "j").save([Item(id: 1), Item(id: 2)])
        }
        let base64 = Data(#"}1:"di"{"#.utf8).base64EncodedString()
        let scan = try await sandbox.heartwood("scan", "s", "--model", "r")
        #expect(scan.output == "1\t\(base64)\n" && scan.error.contains("the coder 'reversed'"), "\(scan)")
        let json = try await sandbox.heartwood("export", "s", "--model", "r")
        #expect(json.output == #"{"id":1,"value64":"\#(base64)","version":1}"# + "\n")
        try await sandbox.withStore("s") { store in
            try await store.put(KeyLayout(number: 2).recordPrefix + [0x15, 1], [0])
        }
        for command in ["scan", "export"] {
            let outcome = try await sandbox.heartwood(command, "s", "--model", "j")
            #expect(outcome.code == 2 && outcome.lines.count == 1, "\(outcome)")
            #expect(outcome.error.hasPrefix("heartwood: the record 1 of 'j' is not readable"))
        }
        #expect(try await sandbox.heartwood("get", "s", "--model", "j", "1").code == 2)
    }

    @Test("reading beside a process that has the store open")
    func beside() async throws {
        try await sandbox.withStore("app") { store in
            let cities = try await store.repository(ExampleStore.cities)
            try await cities.delete(3_413_829)
            let models = try await sandbox.heartwood("models", "app", "--json")
            #expect(try models.objects()[0]["records"] as? Int == 3)
            #expect(models.error.contains("reading beside it"))
            #expect(try await sandbox.heartwood("get", "app", "--model", "cities", "2633274").output == akureyri + "\n")
            #expect(try await sandbox.heartwood("verify", "app").code == 0)
        }
    }

    // MARK: - verify

    @Test("verify checks indexes against records")
    func verify() async throws {
        let clean = try await sandbox.heartwood("verify", "app")
        #expect(clean.code == 0, "\(clean)")
        #expect(
            clean.lines.last == "app: repositories clean: 6 records and 10 index entries in 2 repositories agree",
            "\(clean.output)")
        let files = try await sandbox.heartwood("verify", "app", "--files-only")
        #expect(files.code == 0 && files.lines.count == 1)
        #expect(try await sandbox.heartwood("verify", "app", "--quiet").output.isEmpty)
        try await sandbox.withStore("app") { store in
            let layout = KeyLayout(number: 2)
            var encoder = TupleEncoder(prefix: layout.entriesPrefix(1))
            encoder.append("ada@example.org")
            try await store.remove(encoder.bytes)
        }
        let damaged = try await sandbox.heartwood("verify", "app", "--quiet")
        #expect(damaged.code == 2, "\(damaged)")
        #expect(
            damaged.lines.contains(
                #"corrupt "users", index "email", ("ada@example.org"), record "ada": the record lists the entry, "#
                    + "and the index doesn't have it: increase the revision of the index: "
                    + "the next opening builds it again"),
            "\(damaged.output)")
        let json = try await sandbox.heartwood("verify", "app", "--json")
        let repositories = try #require(try json.objects()[0]["repositories"] as? [String: Any])
        #expect(json.code == 2 && repositories["verdict"] as? String == "corrupt")
        let finding = try #require((repositories["findings"] as? [[String: Any]])?.first)
        #expect(finding["kind"] as? String == "missingEntry" && finding["id"] as? String == "ada")
        #expect(try await sandbox.heartwood("verify", "app", "--files-only").code == 0)
        // What the remedy says.
        try await sandbox.withStore("app") { store in
            let index = Index<ExampleStore.User>.unique("email", revision: 2, \.email)
            _ = try await store.repository(
                RepositoryDefinition("users", version: 2, indexes: [index], coder: .propertyList))
        }
        #expect(try await sandbox.heartwood("verify", "app").code == 0)
    }
}
