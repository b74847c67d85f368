internal import Testing

@Suite("scan, count, export")
struct ScanTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func fill(_ keys: [String]) async throws {
        try await sandbox.load(keys.map { ($0, "v-\($0)") })
    }

    @Test(
        "ranges",
        arguments: [
            ([], "a ab abc b ba c"),
            (["--prefix", "a"], "a ab abc"),
            (["--from", "ab"], "ab abc b ba c"),
            (["--to", "b"], "a ab abc"),
            (["--from", "ab", "--to", "ba"], "ab abc b"),
            (["--prefix", "a", "--from", "ab"], "ab abc"),
            (["--prefix", "a", "--to", "ab"], "a"),
            (["--prefix", "b", "--from", "a", "--to", "z"], "b ba"),
            (["--prefix", "b", "--from", "c"], ""),
            (["--from", "c", "--to", "a"], ""),
            (["--prefix", ""], "a ab abc b ba c"),
            (["--reverse"], "c ba b abc ab a"),
            (["--limit", "2"], "a ab"),
            (["--reverse", "--limit", "2", "--prefix", "a"], "abc ab"),
            (["--key64", "--prefix", "YWI="], "ab abc"),
            (["--from", ""], "a ab abc b ba c"),
            (["--to", ""], ""),
        ])
    func ranges(options: [String], expected: String) async throws {
        try await fill(["b", "abc", "a", "c", "ab", "ba"])
        let keys = try await Tool.run(["scan", "s", "--keys"] + options, in: sandbox)
        #expect(keys.code == 0)
        #expect(keys.lines.joined(separator: " ") == expected)
        if !options.contains("--limit") && !options.contains("--reverse") {
            let count = try await Tool.run(["count", "s"] + options, in: sandbox)
            #expect(count.code == 0 && count.output == "\(keys.lines.count)\n")
            let json = try await Tool.run(["count", "s", "--json"] + options, in: sandbox)
            #expect(json.output == "{\"count\":\(keys.lines.count)}\n")
        }
        let entries = try await Tool.run(["scan", "s"] + options, in: sandbox)
        #expect(entries.lines == keys.lines.map { "\($0)\tv-\($0)" })
        let json = try await Tool.run(["scan", "s", "--keys", "--json"] + options, in: sandbox)
        #expect(json.lines == keys.lines.map { #"{"key":"\#($0)"}"# })
    }

    @Test("lines are escaped so that each entry is one line")
    func escaping() async throws {
        let value: [UInt8] = Array("a\tb\nc\r\\ \u{1B}[0m é☕\u{202E}\u{85}".utf8) + [0xC3, 0x28, 0xFF, 0x00, 0x7F]
        _ = try await sandbox.heartwood("put", "s", "k\t\u{1}", "--create", "--file", "-", bytes: value)
        let scan = try await sandbox.heartwood("scan", "s")
        #expect(
            scan.output
                == #"k\t\x01"# + "\t" + #"a\tb\nc\r\\ \x1b[0m é☕\xe2\x80\xae\xc2\x85\xc3(\xff\x00\x7f"# + "\n")
    }

    @Test("--json gives value64 for bytes that are not text, and escapes what JSON must")
    func json() async throws {
        _ = try await sandbox.heartwood("put", "s", "b", "--create", "--file", "-", bytes: [0xFF])
        _ = try await sandbox.heartwood("put", "s", "a", "quote \" slash \\ tab \t bell \u{7}")
        let scan = try await sandbox.heartwood("scan", "s", "--json")
        #expect(
            scan.lines == [
                #"{"key":"a","value":"quote \" slash \\ tab \t bell \u0007","sequence":2}"#,
                #"{"key":"b","value64":"/w==","sequence":1}"#,
            ])
    }

    @Test("an empty scan is no error, a limit of zero is", arguments: ["scan", "export"])
    func nothing(command: String) async throws {
        try await fill(["a"])
        let empty = try await sandbox.heartwood(command, "s", "--prefix", "x")
        #expect(empty.code == 0 && empty.bytes.isEmpty && empty.error.isEmpty)
        #expect(try await sandbox.heartwood(command, "s", "--limit", "0").code == 64)
    }

    @Test(
        "a closed pipe ends the output without a message",
        arguments: ["scan", "scan --keys", "export", "watch --from-start"])
    func closedPipe(command: String) async throws {
        try await sandbox.load((0..<20_000).map { ("key-\($0)", "some value to fill a pipe") }, batch: 1_000)
        let words = command.split(separator: " ")
        let rest = words.dropFirst().joined(separator: " ")
        let outcome = try await sandbox.shell(
            #""$heartwood" \#(words[0]) s \#(rest) | head -n 1; echo "code ${PIPESTATUS[0]}""#)
        #expect(outcome.lines.count == 2)
        #expect(outcome.lines.last == "code 0")
        #expect(outcome.error.isEmpty)
    }

    @Test("export prints a range, and ends after the limit")
    func exportRange() async throws {
        try await fill(["a", "ab", "abc", "b"])
        let line = { (key: String) in #"{"key":"\#(key)","value":"v-\#(key)"}"# }
        #expect(try await sandbox.heartwood("export", "s", "--prefix", "ab").lines == ["ab", "abc"].map(line))
        #expect(
            try await sandbox.heartwood("export", "s", "--from", "ab", "--limit", "2").lines == ["ab", "abc"].map(line))
        #expect(try await sandbox.heartwood("export", "s", "--to", "ab").lines == [line("a")])
    }

    @Test("count reads no value, and doesn't count what has expired")
    func count() async throws {
        let lines = #"{"key":"a","value":"the value"}"# + "\n" + #"{"key":"old","value":"","expires":1000}"#
        #expect(try await sandbox.heartwood("load", "s", "-", "--format", "pairs", input: lines).code == 0)
        #expect(try await sandbox.heartwood("compact", "s").code == 0)
        // A value of a snapshot isn't read by the opening either.
        _ = try await sandbox.shell("sed -i 's/the value/thE value/' s/*.snapshot")
        #expect(try await sandbox.heartwood("count", "s").output == "1\n")
        #expect(try await sandbox.heartwood("scan", "s").code == 2)
    }

    @Test("a loaded export is an equal store: binary keys, expiry, empty values")
    func exportRoundTrip() async throws {
        let lines = """
            {"key":"text","value":"line\\nline \\u2603 \\ud83d\\ude00"}
            {"key":"empty","value":""}
            {"key64":"AP//","value64":"/wABAg=="}
            {"key":"soon","value":"x","expires":4102444800000}
            {"key":"k\\u202e","value":"v\\u202e"}
            {"key64":"gA==","value":"","expires":4102444800001}
            {"key":"\\u0000\\u0001","value":"\\u0000"}
            """
        #expect(try await sandbox.heartwood("load", "s", "-", "--format", "pairs", input: lines).code == 0)
        let export = try await sandbox.heartwood("export", "s")
        #expect(
            export.lines == [
                #"{"key":"\u0000\u0001","value":"\u0000"}"#,
                #"{"key64":"AP//","value64":"/wABAg=="}"#,
                #"{"key":"empty","value":""}"#,
                #"{"key":"k\u202e","value":"v\u202e"}"#,
                #"{"key":"soon","value":"x","expires":4102444800000}"#,
                #"{"key":"text","value":"line\nline ☃ 😀"}"#,
                #"{"key64":"gA==","value":"","expires":4102444800001}"#,
            ])
        let copy = try await sandbox.heartwood("load", "copy", "-", "--format", "pairs", bytes: export.bytes)
        #expect(copy.code == 0)
        #expect(try await sandbox.heartwood("export", "copy").bytes == export.bytes)
        // What `scan --json` prints can be loaded too.
        let scan = try await sandbox.heartwood("scan", "s", "--json")
        #expect(try await sandbox.heartwood("load", "third", "-", "--format", "pairs", bytes: scan.bytes).code == 0)
        #expect(try await sandbox.heartwood("export", "third").bytes == export.bytes)
    }
}
