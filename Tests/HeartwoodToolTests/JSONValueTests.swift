internal import Foundation
internal import Heartwood
internal import HeartwoodRepository
internal import Testing

@testable internal import heartwood_tool

/// Values that are JSON stand as JSON in lines of JSON, and come back byte for byte.
@Suite("values that are JSON")
struct JSONValueTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// The object of `export` of a store that has only this value.
    private func exported(_ value: [UInt8], _ key: [UInt8] = Array("k".utf8)) async throws -> (String, [String: Any]) {
        try await sandbox.withStore("s") { store in
            try await store.remove(in: .all)
            try await store.put(key, value)
        }
        let line = try await sandbox.heartwood("export", "s").output
        let parsed = try JSONSerialization.jsonObject(with: Data(line.utf8))
        return (line, try #require(parsed as? [String: Any]))
    }

    private func loaded(_ line: String, key: String = "k") async throws -> [UInt8] {
        let load = try await sandbox.heartwood("load", "copy", "-", "--format", "pairs", input: line)
        #expect(load.code == 0, "\(load)")
        return try await sandbox.heartwood("get", "copy", key, "--raw").bytes
    }

    @Test(
        "objects and arrays of one line are embedded as they are",
        arguments: [
            #"{"b":1,"a":1.50e3,"n":12345678901234567890123}"#, #"[]"#, #"{ "x" : [ 1 , 2 ] }"#,
            #"{"a":"\u0041\/é 😀","a":null}"#, #"[[[{"x":-0.0}]]]"#, #"{"key":{"value":"x"}}"#,
        ])
    func embedded(value: String) async throws {
        let (line, object) = try await exported(Array(value.utf8))
        #expect(line == #"{"key":"k","valueJSON":\#(value)}"# + "\n" && object["valueJSON"] is NSObject)
        #expect(try await loaded(line) == Array(value.utf8))
        for command in ["scan", "get"] {
            let arguments = [command, "s"] + (command == "get" ? ["k"] : []) + ["--json"]
            let output = try await Tool.run(arguments, in: sandbox).output
            #expect(output.contains(#""valueJSON":\#(value),"#), "\(output)")
            #expect(try await loaded(output) == Array(value.utf8))
        }
    }

    @Test(
        "everything else is a string or base64",
        arguments: [
            "17", "true", "null", #""text""#, "", "{", "{}x", " {}", "[] ", "{\"a\":\n1}", "{\"a\":\t1}", "[1,]",
            "{\"a\":\"\u{202E}\"}", "{\"a\":\"\u{7F}\"}", "{'a':1}", "[01]", "\u{FEFF}{}",
            String(repeating: "[", count: 600) + String(repeating: "]", count: 600),
        ])
    func notEmbedded(value: String) async throws {
        let (line, object) = try await exported(Array(value.utf8))
        #expect(object["value"] as? String == value && object["valueJSON"] == nil, "\(line)")
        #expect(try await loaded(line) == Array(value.utf8))
        let (bytes, _) = try await exported(Array(value.utf8) + [0xFF])
        #expect(bytes.contains("value64"))
        #expect(try await loaded(bytes) == Array(value.utf8) + [0xFF])
    }

    @Test("a record's model is JSON after its head, and all keys come back")
    func records() async throws {
        try await sandbox.makeExampleStore()
        let export = try await sandbox.heartwood("export", "app")
        let models = try export.objects().filter { $0["head64"] != nil }
        #expect(Set(models.compactMap { ($0["valueJSON"] as? [String: Any])?["country"] as? String }) == ["AD", "IS"])
        #expect(models.count == 4)
        for lines in [export.output, try await sandbox.heartwood("scan", "app", "--json").output] {
            #expect(try await sandbox.heartwood("load", "new", "-", "--format", "pairs", input: lines).code == 0)
            let copy = try await sandbox.heartwood("export", "new", "--hex").output
            #expect(try await copy == sandbox.heartwood("export", "app", "--hex").output)
            #expect(try await sandbox.heartwood("verify", "new").code == 0)
            _ = try await sandbox.shell("rm -r new")
        }
    }

    @Test("any value comes back", arguments: [1, 2, 3] as [UInt64])
    func any(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"", "a", "1", " ", "\n", "\\", "\\u00e9", "é", "\u{202E}", "\u{0}",
        ]
        try await sandbox.withStore("s") { store in
            for number in 0..<400 {
                var value: [UInt8] = []
                for _ in 0..<random.next() % 12 { value += pieces[Int(random.next() % UInt64(pieces.count))].utf8 }
                if number.isMultiple(of: 3) { value = Array("{\"v\":".utf8) + value + Array("}".utf8) }
                if number.isMultiple(of: 17) { value.append(0xFF) }
                try await store.put("k\(number)", value, durability: .buffered)
            }
        }
        let export = try await sandbox.heartwood("export", "s")
        #expect(try await sandbox.heartwood("load", "copy", "-", "--format", "pairs", bytes: export.bytes).code == 0)
        #expect(
            try await sandbox.heartwood("export", "copy", "--hex").output
                == sandbox.heartwood("export", "s", "--hex").output)
    }
}
