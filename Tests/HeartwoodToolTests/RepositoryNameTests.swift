internal import Foundation
internal import Heartwood
internal import HeartwoodRepository
internal import Testing

/// Every command shows what the keys of repositories stand for.
@Suite("names of repositories", .timeLimit(.minutes(5)))
struct RepositoryNameTests {
    private struct Item: Codable, Identifiable, Sendable {
        var id: Int
        var name: String
    }

    private let sandbox: Sandbox
    private let akureyri = #"{"country":"IS","id":2633274,"name":"Akureyri","population":16563}"#

    init() async throws {
        sandbox = try Sandbox()
        try await sandbox.makeExampleStore()
    }

    private func deleteReykjavik() async throws {
        try await sandbox.withStore("app") { store in
            try await store.repository(ExampleStore.cities).delete(3_413_829)
        }
    }

    // MARK: - watch and count

    @Test("watch names keys, also of a repository that is made while it watches, and of one model only")
    func watch() async throws {
        let all = try await sandbox.heartwood("watch", "app", "--snapshot", "--limit", "4")
        #expect(all.lines.dropFirst().first?.hasPrefix("put\tcatalogue, cities\t{") == true, "\(all)")
        #expect(all.lines.last == "put\tcities, record 2633274\t" + akureyri)
        try await sandbox.withStore("app") { store in
            let following = try RunningTool("watch", "app", "--after", String(store.position), in: sandbox)
            try await store.repository(of: Item.self, named: "new", indexes: [Index("name", \.name)])
                .save(Item(id: 1, name: "a"))
            var lines: [String] = []
            while lines.last?.hasPrefix("put\tnew, record 1\t{") != true, let line = await following.nextLine() {
                lines.append(line)
            }
            #expect(lines.contains("put\tnew, index name (\"a\"), record 1"), "\(lines)")
            following.interrupt()
            #expect(await following.end() == 130)
        }
        try await deleteReykjavik()
        let model = try await sandbox.heartwood(
            "watch", "app", "--from-start", "--model", "cities", "--limit", "5", "--json")
        let objects = try model.objects()
        #expect(objects.map { $0["id"] as? Int } == [2_633_274, 3_040_051, 3_041_563, 3_413_829, 3_413_829])
        #expect(objects.map { $0["change"] as? String } == ["put", "put", "put", "put", "remove"])
        #expect(objects[0]["repository"] as? String == "cities" && objects[0]["valueJSON"] != nil, "\(objects[0])")
        #expect(try await sandbox.heartwood("watch", "app", "--model", "towns").code == 1)
        #expect(try await sandbox.heartwood("watch", "app", "--model", "cities", "--prefix", "a").code == 64)
    }

    @Test("count counts the records of a model")
    func count() async throws {
        #expect(try await sandbox.heartwood("count", "app", "--model", "cities").output == "4\n")
        #expect(try await sandbox.heartwood("count", "app", "--model", "users", "--json").output == "{\"count\":2}\n")
        #expect(try await sandbox.heartwood("count", "app", "--model", "towns").code == 1)
        #expect(try await sandbox.heartwood("count", "app", "--model", "users", "--from", "a").code == 64)
    }

    // MARK: - log

    @Test("log names keys, and shows what happened to one record", arguments: [false, true])
    func log(isCompacted: Bool) async throws {
        // Then only the snapshot has the catalogue.
        if isCompacted { #expect(try await sandbox.heartwood("compact", "app").code == 0) }
        try await deleteReykjavik()
        let log = try await sandbox.heartwood("log", "app", "--values")
        #expect(log.code == 0 && log.lines.contains { $0.hasSuffix("  cities, record 3413829") }, "\(log)")
        #expect(log.output.contains(#"  cities, index name ("Reykjavík"), record 3413829"# + "\n"))
        #expect(!log.output.contains(#"\xfe"#))
        if !isCompacted {
            #expect(log.output.contains("cities, record 2633274\t" + akureyri + "\n"))
            #expect(log.output.contains(#"users, index email ("ada@example.org"), record "ada""#))
        }
        let one = try await sandbox.heartwood("log", "app", "--model", "cities", "--key", "3413829", "--json")
        let objects = try one.objects()
        #expect(objects.map { $0["kind"] as? String } == (isCompacted ? ["delete"] : ["put", "delete"]), "\(one)")
        #expect(objects.allSatisfy { $0["id"] as? Int == 3_413_829 && $0["repository"] as? String == "cities" })
        let hex = try await sandbox.heartwood("log", "app", "--hex")
        #expect(hex.lines.filter { !$0.hasPrefix("#") }.allSatisfy { $0.contains("  fe1") }, "\(hex)")
        // The file alone doesn't have the catalogue.
        let name = try await sandbox.shell("ls app/*.log | tail -n 1").lines[0]
        let file = try await sandbox.heartwood("log", name)
        #expect(file.lines.last?.hasSuffix("record 3413829") == true, "\(file)")
        let none = try await sandbox.heartwood("log", "app", "--model", "towns")
        #expect(none.code == 1 && none.error.contains("no repository 'towns'"))
        #expect(try await sandbox.heartwood("log", "app", "--model", "cities", "--prefix", "a").code == 64)
    }

    // MARK: - inspect

    private func inspect(_ options: String...) async throws -> [String: Any] {
        let outcome = try await Tool.run(["inspect", "app", "--json"] + options, in: sandbox)
        return try #require(outcome.objects().first?["totals"] as? [String: Any])
    }

    @Test("inspect has a section by repository and index, with live and dead")
    func inspect() async throws {
        try await deleteReykjavik()
        let parts = try #require(try await inspect()["repositories"] as? [[String: Any]])
        #expect(
            parts.map { $0["part"] as? String } == [
                "catalogue", "cities, records", "cities, index name", "cities, index country-population",
                "users, records", "users, index email",
            ])
        #expect(parts.map { $0["keys"] as? Int } == [3, 3, 3, 3, 2, 2])
        // The put and the removal of one city, and of its entries; a catalogue entry is written once again.
        #expect(parts.map { $0["deadRecords"] as? Int }.dropFirst() == [2, 2, 2, 0, 0], "\(parts)")
        #expect(parts.map { $0["index"] as? String } == [nil, nil, "name", "country-population", nil, "email"])
        let figures = try await sandbox.heartwood("models", "app", "--json").objects()
        let bytes = parts.map { ($0["keyBytes"] as? Int ?? 0) + ($0["valueBytes"] as? Int ?? 0) }
        let total = figures.map { ($0["keyBytes"] as? Int ?? 0) + ($0["valueBytes"] as? Int ?? 0) }
        #expect([bytes[1...3].reduce(0, +), bytes[4...].reduce(0, +)] == total)
        let text = try await sandbox.heartwood("inspect", "app")
        let line = try #require(text.lines.first { $0.hasPrefix("  cities, index country-population ") })
        #expect(line.split(separator: " ").suffix(6).first == "3" && line.contains(" 2 "), "\(line)")
        #expect(text.output.contains("  catalogue, users\n") && !text.output.contains(#"\xfe"#))
        #expect(try await sandbox.heartwood("compact", "app").code == 0)
        let compacted = try #require(try await inspect()["repositories"] as? [[String: Any]])
        #expect(compacted.map { $0["deadBytes"] as? Int } == [0, 0, 0, 0, 0, 0])
    }

    @Test("--by-prefix groups the keys of repositories by repository and index")
    func byPrefix() async throws {
        for number in 0..<5 { _ = try await sandbox.heartwood("put", "app", "a:\(number)", "v") }
        let prefixes = try #require(try await inspect("--by-prefix")["prefixes"] as? [String: Any])
        let groups = try #require(prefixes["groups"] as? [[String: Any]])
        #expect(
            Set(groups.compactMap { $0["part"] as? String ?? $0["prefix"] as? String }) == [
                "a:", "catalogue", "cities, records", "cities, index name", "cities, index country-population",
                "users, records", "users, index email",
            ])
        let text = try await sandbox.heartwood("inspect", "app", "--by-prefix").output
        #expect(text.contains("  a: ") && text.contains("  cities, index country-p…") && !text.contains(#"\xfe"#))
        _ = try await sandbox.heartwood("put", "plain", "a:b", "v", "--create")
        #expect(try await !sandbox.heartwood("inspect", "plain", "--by-prefix").output.contains("Repositories"))
    }

    @Test("the page has names, and a section of repositories")
    func page() async throws {
        #expect(try await sandbox.heartwood("inspect", "app", "--html", "page.html").code == 0)
        let page = String(decoding: try sandbox.read("page.html"), as: UTF8.self)
        #expect(page.contains(#""part":"cities, index country-population""#) && page.contains(#"id="repositories""#))
        #expect(page.contains(#""cities, record 2633274""#))
    }

    // MARK: - Damage, and hostile stores

    @Test("lost keys of repositories are named")
    func lostKeys() async throws {
        try await deleteReykjavik()
        try sandbox.damage("Reykjavík", in: "app")
        for command in ["verify", "repair", "inspect", "log"] {
            let text = try await sandbox.heartwood(command, "app").output
            #expect(text.contains("cities, "), "\(command): \(text)")
            #expect(!text.contains(#"\xfe"#), "\(command): \(text)")
        }
    }

    @Test("without a catalogue that can be read, keys are shown as bytes")
    func damagedCatalogue() async throws {
        try await sandbox.withStore("app") { store in
            try await store.put(KeyLayout.catalogueKey("cities"), "{broken")
            try await store.put(KeyLayout.catalogueKey("later"), #"{"format":2}"#)
        }
        let scan = try await sandbox.heartwood("scan", "app")
        #expect(scan.code == 0 && scan.lines.contains("catalogue, cities\t{broken"), "\(scan)")
        #expect(scan.lines.contains { $0.hasPrefix(#"\xfe\x15\x01\x14"#) })
        #expect(scan.lines.contains { $0.hasPrefix(#"users, record "ada""#) })
        #expect(try await sandbox.heartwood("compact", "app").code == 0)
        let parts = try #require(try await inspect()["repositories"] as? [[String: Any]])
        #expect(parts.contains { $0["part"] as? String == "(repository 1), index (number 2)" }, "\(parts)")
        for arguments in [
            ["scan", "app", "--json"], ["export", "app"], ["log", "app", "--values"], ["count", "app"],
            ["watch", "app", "--snapshot", "--limit", "9"], ["inspect", "app", "--by-prefix"], ["get", "app", "x"],
        ] {
            let outcome = try await Tool.run(arguments, in: sandbox)
            #expect(outcome.code == (arguments[0] == "get" ? 1 : 0), "\(arguments): \(outcome)")
        }
    }

    @Test("names and ids can't reach the terminal")
    func hostileNames() async throws {
        struct Text: Codable, Identifiable, Sendable {
            var id: String
            var name: String
        }
        let bad = "a\u{1B}[31m\n\u{202E}\u{0}\t,"
        try await sandbox.withStore("app") { store in
            try await store.repository(of: Text.self, named: bad, indexes: [Index(bad, \.name)])
                .save(Text(id: bad, name: bad))
        }
        for arguments in [
            ["scan", "app"], ["scan", "app", "--json"], ["export", "app"], ["log", "app", "--values"],
            ["log", "app", "--json"], ["watch", "app", "--snapshot", "--limit", "15"], ["models", "app"],
            ["watch", "app", "--snapshot", "--limit", "15", "--json"], ["inspect", "app", "--by-prefix"],
            ["inspect", "app", "--by-prefix", "--json"], ["scan", "app", "--model", bad], ["verify", "app"],
        ] {
            let outcome = try await Tool.run(arguments, in: sandbox)
            #expect(outcome.code == (arguments.contains(bad) ? 1 : 0), "\(arguments): \(outcome)")
            let isSafe = outcome.output.unicodeScalars.allSatisfy {
                ($0.value >= 0x20 || $0 == "\n" || $0 == "\t") && $0.value != 0x202E
            }
            #expect(isSafe, "\(arguments): \(outcome.output.debugDescription)")
        }
        #expect(try await sandbox.heartwood("inspect", "app", "--html", "page.html").code == 0)
        let page = try sandbox.read("page.html")
        #expect(!page.contains(0x1B) && page.range(of: Data("\u{202E}".utf8)) == nil)
    }
}
