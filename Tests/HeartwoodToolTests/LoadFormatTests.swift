internal import Foundation
internal import Heartwood
internal import Testing

@Suite("load: formats and lines")
struct LoadFormatTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func load(_ text: String, _ options: String...) async throws -> Tool.Outcome {
        try await Tool.run(["load", "s", "-", "--format"] + options, input: Array(text.utf8), in: sandbox)
    }

    @Test("jsonl keeps each line byte for byte, under a field's value as it is written")
    func jsonl() async throws {
        let lines = [
            #"{"id":17,"a":[1,{"b":null}],  "c" : "\u00e9" }"#,
            #"{"id":1.50e3}"#,
            #"{"id":123456789012345678901234567890}"#,
            #"{"name":"x","id":"caf\u00e9 \"q\" \/"}"#,
        ]
        #expect(try await load(lines.joined(separator: "\n"), "jsonl", "--key", "id").code == 0)
        for (key, line) in zip(["17", "1.50e3", "123456789012345678901234567890", "café \"q\" /"], lines) {
            #expect(try await sandbox.heartwood("get", "s", key).output == line + "\n")
        }
    }

    @Test("what export writes, load reads, whatever the bytes and expiries")
    func extremes() async throws {
        let path = sandbox.path("s")
        var entries: [Entry] = []
        do {
            let store = try await Store.open(at: path)
            for (number, expires) in [nil, .max, .max - 1, 1 << 62].enumerated() as EnumeratedSequence<[UInt64?]> {
                let keys = [
                    [UInt8(number)], [UInt8](repeating: 0xFF, count: 65_000 + number),
                    Array("k\(number)\"\\\u{10FFFF}".utf8),
                ]
                let values = [[], [UInt8](0...255), Array("\u{0}e\u{301}\n".utf8)] as [[UInt8]]
                for (key, value) in zip(keys, values) {
                    let time = expires.map { Timestamp(milliseconds: $0) }
                    let sequence = try await store.put(key, value, expires: time.map { .at($0) } ?? .never)
                    entries.append(Entry(key: key, value: value, sequence: sequence, expires: time))
                }
            }
            try await store.close()
        }
        #expect(try await sandbox.shell("$heartwood export s | $heartwood load t - --format pairs").code == 0)
        #expect(try await sandbox.shell("$heartwood scan s --json | $heartwood load u - --format pairs").code == 0)
        for name in ["t", "u"] {
            let store = try await Store.open(at: sandbox.path(name))
            for entry in entries {
                let found = try store.entry(entry.key)
                #expect(found?.value == entry.value && found?.expires == entry.expires)
            }
            #expect(try store.scan().count() == entries.count)
            try await store.close()
        }
    }

    @Test("a key may be a nested field, or be made of several fields and text")
    func templates() async throws {
        let line = #"{"address":{"city":"Oslo","zip":"0150"},"id":7}"#
        #expect(try await load(line, "jsonl", "--key", "address.city").code == 0)
        #expect(
            try await load(line, "jsonl", "--key-template", "{{{address.city}}}/{id}:{address.zip}/{id}").code == 0)
        #expect(try await sandbox.heartwood("scan", "s", "--keys").lines == ["Oslo", "{Oslo}/7:0150/7"])
    }

    @Test("line ends, blank lines, a byte order mark, and no line end at the end")
    func lineEnds() async throws {
        let text = "\u{FEFF}{\"id\":1}\r\n\n  \t\n{\"id\":2}\n\r\n{\"id\":3}"
        let outcome = try await load(text, "jsonl", "--key", "id", "--json")
        #expect(outcome.code == 0)
        #expect(outcome.output.hasPrefix(#"{"records":3,"#))
        #expect(try await sandbox.heartwood("scan", "s").output == "1\t{\"id\":1}\n2\t{\"id\":2}\n3\t{\"id\":3}\n")
    }

    @Test(
        "bad lines in jsonl are named, and nothing before them is lost",
        arguments: [
            (#"{"id":true}"#, "neither a string nor a number"),
            (#"{"id":null}"#, "neither a string nor a number"),
            (#"{"id":{"a":1}}"#, "neither a string nor a number"),
            (#"{"name":1}"#, "no field 'id'"),
            (#"{"id":1,"id":2}"#, "occurs twice"),
            (#"{"id":""}"#, "the key is empty"),
            (#"[1]"#, "not a JSON object"),
            (#"{"id":1"#, "the line ends"),
            (#"{"id":1,}"#, "expected a string"),
            (#"{"id":01}"#, "expected"),
            (#"{"id":1.}"#, "expected a digit"),
            (#"{"id":1} x"#, "unexpected text"),
            (#"{"id":1,"x":[1,2}"#, "expected ',' or ']'"),
            (#"{"id":1,"x":tru}"#, "expected a value"),
            (#"{"id":"\q"}"#, "unknown escape"),
            (#"{"id":"\ud800x"}"#, "surrogate"),
            (#"{"id":"\u12g4"}"#, "hexadecimal"),
            ("{\"id\":\"a\tb\"}", "control character"),
            ("{\"id\":1,\"x\":\"unended}", "the line ends"),
            ("nonsense", "not a JSON object"),
        ])
    func badLines(line: String, reason: String) async throws {
        let outcome = try await load("{\"id\":1}\n\n{\"id\":2}\n\(line)\n{\"id\":3}\n", "jsonl", "--key", "id")
        #expect(outcome.code == 65)
        #expect(outcome.error.hasPrefix("heartwood: standard input, line 4: "))
        #expect(outcome.error.contains(reason), "\(outcome.error)")
        #expect(outcome.error.split(separator: "\n").count == 1)
        #expect(outcome.output.hasPrefix("loaded 2 records"))
        #expect(try await sandbox.heartwood("scan", "s", "--keys").lines == ["1", "2"])
    }

    @Test(
        "bad pairs are named",
        arguments: [
            (#"{"key":"a"}"#, "no field 'value'"),
            (#"{"value":"a"}"#, "no field 'key'"),
            (#"{"key":"a","key64":"YQ==","value":""}"#, "repeats a field"),
            (#"{"key":"a","value":"","value":""}"#, "repeats a field"),
            (#"{"key":1,"value":""}"#, "not a string"),
            (#"{"key64":"a","value":""}"#, "not base64"),
            (#"{"key":"a","value64":"!!!!"}"#, "not base64"),
            (#"{"key":"a","value":"","expires":"soon"}"#, "'expires'"),
            (#"{"key":"a","value":"","expires":-1}"#, "'expires'"),
            (#"{"key":"a","value":"","expires":1.5}"#, "'expires'"),
            (#"{"key":"a","value":"","expiry":1}"#, "unknown field 'expiry'"),
            (#"{"key":"","value":""}"#, "the key is empty"),
            (#"{"keyHex":"f","value":""}"#, "not hexadecimal"),
            (#"{"keyHex":"fg","value":""}"#, "not hexadecimal"),
            (#"{"keyHex":"ff","key":"a","value":""}"#, "repeats a field"),
            (#"{"keyHex":"","value":""}"#, "the key is empty"),
            (#"{"keyHex":"ff"}"#, "no field 'value'"),
            (#"{"key":"a","valueJSON":}"#, "expected a value"),
            (#"{"key":"a","valueJSON":{"a":1}"#, "the line ends"),
            (#"{"key":"a","valueJSON":{},"value":""}"#, "repeats a field"),
            (#"{"key":"a","head64":"AQ==","value":""}"#, "'head64' is for 'valueJSON'"),
            (#"{"key":"a","head64":"A","valueJSON":{}}"#, "not base64"),
            (#"{"keyJSON":"a","value":""}"#, "unknown field 'keyJSON'"),
        ])
    func badPairs(line: String, reason: String) async throws {
        let outcome = try await load("{\"key\":\"k\",\"value\":\"\"}\n\(line)\n", "pairs")
        #expect(outcome.code == 65)
        #expect(outcome.error.contains("line 2: "))
        #expect(outcome.error.contains(reason), "\(outcome.error)")
        #expect(try await sandbox.heartwood("scan", "s", "--keys").lines == ["k"])
    }

    @Test("keys have 65,535 bytes at most")
    func longKeys() async throws {
        let long = String(repeating: "x", count: 65_535)
        #expect(try await load("{\"key\":\"\(long)\",\"value\":\"v\"}", "pairs").code == 0)
        #expect(try await sandbox.heartwood("get", "s", long).output == "v\n")
        let outcome = try await load("{\"key\":\"\(long)x\",\"value\":\"v\"}", "pairs")
        #expect(outcome.code == 65)
        #expect(outcome.error.contains("65,536 bytes"))
    }

    @Test("a line that is not UTF-8 is refused")
    func notUTF8() async throws {
        let bytes = Array("{\"id\":1}\n{\"id\":\"".utf8) + [0xC3, 0x28] + Array("\"}\n".utf8)
        let outcome = try await sandbox.heartwood(
            "load", "s", "-", "--format", "jsonl", "--key", "id", bytes: bytes)
        #expect(outcome.code == 65)
        #expect(outcome.error.contains("line 2: not UTF-8"))
    }

    @Test("deep nesting is skipped without harm")
    func nesting() async throws {
        let depth = 200_000
        let deep = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(try await load("{\"x\":\(deep),\"id\":1}", "jsonl", "--key", "id").code == 0)
        #expect(try await load(String(repeating: "{\"x\":", count: depth), "jsonl", "--key", "id").code == 65)
    }

    @Test("--skip-bad skips bad lines, names and counts them")
    func skipBad() async throws {
        let outcome = try await load(
            "{\"id\":1}\nbad\n{\"id\":2}\n{}\n{\"id\":3}\n", "jsonl", "--key", "id", "--skip-bad", "--json")
        #expect(outcome.code == 0)
        #expect(outcome.output.contains(#""records":3"#))
        #expect(outcome.output.contains(#""skippedLines":2,"complete":true"#))
        #expect(outcome.error.contains("line 2: ") && outcome.error.contains("line 4: "))
        #expect(try await sandbox.heartwood("scan", "s", "--keys").lines == ["1", "2", "3"])
    }
}
