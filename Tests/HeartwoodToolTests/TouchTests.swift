internal import Foundation
internal import Heartwood
internal import HeartwoodRepository
internal import Testing

@Suite("touch")
struct TouchTests {
    private let sandbox: Sandbox

    init() async throws {
        sandbox = try Sandbox()
        let lines =
            ["a:1", "a:2", "b:1"].map { #"{"key":"\#($0)","value":"v\#($0)"}"# } + [
                #"{"key":"c","value":"vc","expires":4102444800000}"#
            ]
        let load = try await sandbox.heartwood(
            "load", "s", "-", "--format", "pairs", input: lines.joined(separator: "\n"))
        #expect(load.code == 0)
    }

    /// The keys that expire, with the times.
    private func expiring(_ store: String = "s") async throws -> [String: Int] {
        let objects = try await sandbox.heartwood("scan", store, "--expiring", "--json").objects()
        return Dictionary(
            uniqueKeysWithValues: objects.map { ($0["key"] as? String ?? "", $0["expires"] as? Int ?? 0) })
    }

    private var now: Int { Int(Date().timeIntervalSince1970 * 1000) }

    @Test("changes the expiry and keeps the value")
    func keys() async throws {
        let before = now
        let touch = try await sandbox.heartwood("touch", "s", "a:1", "b:1", "--expires-in", "30m")
        #expect(touch.code == 0 && touch.bytes.isEmpty && touch.error.isEmpty, "\(touch)")
        let times = try await expiring()
        #expect(Set(times.keys) == ["a:1", "b:1", "c"] && times["a:1"] == times["b:1"])
        #expect((before + 1_800_000...now + 1_800_000).contains(times["a:1"] ?? 0))
        #expect(try await sandbox.heartwood("get", "s", "a:1").output == "va:1\n")
        _ = try await sandbox.heartwood("touch", "s", "a:1", "c", "--expires-at", "2050-01-01T12:00:00Z")
        #expect(try await expiring()["a:1"] == 2_524_651_200_000)
        let never = try await sandbox.heartwood("touch", "s", "a:1", "b:1", "c", "--never", "--json")
        #expect(never.output.hasPrefix(#"{"touched":3,"missing":0,"sequence":"#), "\(never)")
        #expect(try await expiring().isEmpty)
        // Nothing is written if nothing changes.
        let again = try await sandbox.heartwood("touch", "s", "a:1", "--never", "--json")
        #expect(again.output == #"{"touched":1,"missing":0}"# + "\n")
    }

    @Test("a missing key ends with 1, and the others are changed")
    func missing() async throws {
        let touch = try await sandbox.heartwood("touch", "s", "x", "a:1", "--expires-in", "1d", "--json")
        #expect(touch.code == 1 && touch.output.hasPrefix(#"{"touched":1,"missing":1,"sequence":"#), "\(touch)")
        #expect(touch.error.contains("no key 'x' in s: 1 key touched"))
        #expect(try await expiring()["a:1"] != nil)
        #expect(try await sandbox.heartwood("touch", "none", "a", "--never").code == 73)
    }

    @Test("changes a range, in many writes if it is large")
    func range() async throws {
        let dry = try await sandbox.heartwood("touch", "s", "--prefix", "a:", "--expires-in", "1h", "--dry-run")
        #expect(dry.output == "would touch 2 keys\n")
        let refused = try await sandbox.heartwood("touch", "s", "--prefix", "a:", "--expires-in", "1h")
        #expect(refused.code == 64 && refused.error.contains("'--yes'"))
        #expect(try await expiring().count == 1)
        let touch = try await sandbox.heartwood("touch", "s", "--prefix", "a:", "--expires-in", "1h", "--yes")
        #expect(touch.code == 0 && touch.output == "touched 2 keys\n", "\(touch)")
        #expect(try await expiring().count == 3)
        let value = [UInt8](repeating: 1, count: 1 << 20)
        try await sandbox.withStore("s") { store in
            for number in 0..<40 { try await store.put("large:\(number)", value, durability: .buffered) }
            for number in 0..<2_500 { try await store.put("small:\(number)", "", durability: .buffered) }
        }
        for prefix in ["large:", "small:"] {
            _ = try await sandbox.heartwood("touch", "s", "--prefix", prefix, "--expires-in", "1h", "--yes")
        }
        try await sandbox.withStore("s") { store in
            let view = try store.readView()
            let expiring = try view.scan(.from("l")).keys.filter { try view.expiry(of: $0)?.timestamp != nil }
            #expect(expiring.count == 2_540)
            #expect(try view.get("large:39") == value)
        }
    }

    @Test("records expire with their index entries, and keys of repositories are refused")
    func records() async throws {
        try await sandbox.makeExampleStore()
        let touch = try await sandbox.heartwood(
            "touch", "app", "--model", "users", "ada", "42", "nobody", "--expires-in", "2h", "--json")
        #expect(touch.code == 1 && touch.output.hasPrefix(#"{"touched":2,"missing":1,"sequence":"#), "\(touch)")
        #expect(touch.error.contains("no record 'nobody'"))
        let objects = try await sandbox.heartwood("scan", "app", "--expiring", "--json").objects()
        #expect(objects.count == 4 && Set(objects.map { $0["expires"] as? Int }).count == 1, "\(objects)")
        #expect(try await sandbox.heartwood("verify", "app").code == 0)
        #expect(try await sandbox.heartwood("touch", "app", "--model", "users", "ada", "--never").code == 0)
        #expect(try await sandbox.heartwood("scan", "app", "--expiring").lines.count == 2)
        #expect(try await sandbox.heartwood("verify", "app").code == 0)
        let key = Data(KeyLayout(number: 1).recordPrefix + [0x15, 1])
        for options in [
            [key.base64EncodedString(), "--key64"], ["--hex", "--from", "00", "--yes"], ["--from", "z", "--dry-run"],
        ] {
            let refused = try await Tool.run(["touch", "app", "--never"] + options, in: sandbox)
            #expect(refused.code == 64 && refused.error.contains("'--model'"), "\(refused)")
        }
        // Without repositories they are keys as others.
        _ = try await sandbox.heartwood("put", "s", "fe15", "00", "--hex")
        #expect(
            try await sandbox.heartwood("touch", "s", "--hex", "--from", "fe", "--expires-in", "1h", "--yes").code == 0)
    }
}
