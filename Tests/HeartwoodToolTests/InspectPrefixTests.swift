internal import Foundation
internal import Testing

@Suite("inspect --by-prefix")
struct InspectPrefixTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func prefixes(_ options: String...) async throws -> [String: Any] {
        let outcome = try await Tool.run(["inspect", "s", "--json", "--by-prefix"] + options, in: sandbox)
        #expect(outcome.code == 0, "\(outcome.error)")
        let totals = try #require(outcome.objects().first?["totals"] as? [String: Any])
        return try #require(totals["prefixes"] as? [String: Any])
    }

    private func groups(_ found: [String: Any]) throws -> [[String: Any]] {
        try #require(found["groups"] as? [[String: Any]])
    }

    @Test("counts what exists: not what is overwritten, deleted or expired")
    func counts() async throws {
        try await sandbox.load([
            ("a:1", "a very long value"), ("a:2", "22"), ("a:33", "3"), ("b/1", "12345"), ("plain", ""),
        ])
        try await sandbox.load([("a:1", "1")])
        _ = try await sandbox.heartwood("delete", "s", "a:33")
        let old = #"{"key":"old:1","value":"1","expires":1000}"#
        _ = try await sandbox.heartwood("load", "s", "-", "--format", "pairs", input: old)
        for isCompacted in [false, true] {
            if isCompacted { _ = try await sandbox.heartwood("compact", "s") }
            let found = try await prefixes()
            let groups = try groups(found)
            #expect(groups.map { $0["prefix"] as? String } == ["a:", "b/"])
            #expect(groups.map { $0["keys"] as? Int } == [2, 1])
            #expect(groups.map { $0["keyBytes"] as? Int } == [6, 3])
            #expect(groups.map { $0["valueBytes"] as? Int } == [3, 5])
            let largest = groups.compactMap { $0["largestValue"] as? [String: Any] }
            #expect(largest.map { $0["key"] as? String } == ["a:2", "b/1"])
            #expect(largest.map { $0["valueBytes"] as? Int } == [2, 5])
            #expect((found["withoutSeparator"] as? [String: Any])?["keys"] as? Int == 1)
            #expect(found["others"] is NSNull)
        }
    }

    @Test("--separators says what separates; other bytes than text are base64")
    func separators() async throws {
        try await sandbox.load([("a:b-1", ""), ("a:b-2", ""), ("c-", "")])
        _ = try await sandbox.heartwood("put", "s", "ff2d00", "", "--hex")
        let found = try await prefixes("--separators", "-")
        #expect(found["separators"] as? String == "-")
        #expect(try groups(found).compactMap { $0["prefix"] as? String } == ["a:b-", "c-"])
        #expect(try groups(found).compactMap { $0["prefix64"] as? String } == ["/y0="])
    }

    @Test("the table names the groups, and fits the line")
    func table() async throws {
        try await sandbox.load(
            (0..<50).map { ("\(String(repeating: "p", count: 30))\($0):key", "value") } + [("none", "")])
        let outcome = try await sandbox.heartwood("inspect", "s", "--by-prefix")
        #expect(outcome.code == 0 && outcome.lines.allSatisfy { $0.count <= 120 })
        #expect(outcome.output.contains("Keys by prefix, up to the first of /:|\n"))
        #expect(outcome.lines.contains { $0.hasPrefix("  (none) ") })
        #expect(outcome.output.contains("and 10 more prefixes"))
        #expect(!outcome.output.contains("(other)"))
        #expect(try await !sandbox.heartwood("inspect", "s").output.contains("Keys by prefix"))
    }

    @Test("at most 1,000 prefixes are followed, the rest is one group, and this is said")
    func others() async throws {
        try await sandbox.load(
            (0..<1_200).map { ("\($0):key", "value") } + [(String(repeating: "x", count: 256) + ":", "")])
        let found = try await prefixes()
        #expect(try groups(found).count == 1_000)
        #expect((found["others"] as? [String: Any])?["keys"] as? Int == 200)
        // The separator comes after the longest prefix.
        #expect((found["withoutSeparator"] as? [String: Any])?["keys"] as? Int == 1)
        let text = try await sandbox.heartwood("inspect", "s", "--by-prefix").output
        #expect(text.contains("(other) is the rest: only the 1,000 prefixes"))
    }

    @Test("one file, an empty store, and a store in use")
    func anyStore() async throws {
        _ = try await sandbox.heartwood("load", "s", "-", "--format", "pairs")
        #expect(try groups(try await prefixes()).isEmpty)
        let holder = try await sandbox.holder(of: "id:1")
        #expect(try groups(try await prefixes()).map { $0["keys"] as? Int } == [1])
        #expect(await holder.end() == 0)
        let name = try await sandbox.shell("ls s/*.log | tail -n 1").lines[0]
        let file = try await sandbox.heartwood("inspect", name, "--by-prefix")
        #expect(file.code == 0 && file.lines.contains { $0.hasPrefix("  id: ") })
    }
}
