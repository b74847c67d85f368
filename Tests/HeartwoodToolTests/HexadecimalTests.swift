internal import Testing

@Suite("--hex")
struct HexadecimalTests {
    let sandbox: Sandbox

    /// A store of three keys: `ff`, `ff 00` and `fe`.
    init() async throws {
        sandbox = try Sandbox()
        for (key, value) in [("ff", "01"), ("FF00", "C3bc0A"), ("fe", "")] {
            #expect(try await sandbox.heartwood("put", "s", key, value, "--hex", "--create").code == 0)
        }
    }

    @Test("keys and values are digits on the command line and in the output")
    func roundTrip() async throws {
        #expect(try await sandbox.heartwood("scan", "s", "--hex").output == "fe\t\nff\t01\nff00\tc3bc0a\n")
        #expect(try await sandbox.heartwood("scan", "s", "--hex", "--keys").output == "fe\nff\nff00\n")
        #expect(try await sandbox.heartwood("get", "s", "ff00", "--hex").output == "c3bc0a\n")
        #expect(try await sandbox.heartwood("get", "s", "/wA=", "--key64").output == "ü\n\n")
        #expect(
            try await sandbox.heartwood("put", "s", "0a", "0b", "--hex", "--json").output.hasPrefix(#"{"keyHex":"0a","#)
        )
        #expect(try await sandbox.heartwood("delete", "s", "0a", "--hex").code == 0)
        let missing = try await sandbox.heartwood("get", "s", "0a", "--hex")
        #expect(missing.code == 1 && missing.error.contains("no key '0a' in s"))
    }

    @Test("a prefix of 0xFF has no end, and an empty one is every key")
    func prefixes() async throws {
        #expect(try await sandbox.heartwood("scan", "s", "--hex", "--keys", "--prefix", "ff").lines == ["ff", "ff00"])
        #expect(
            try await sandbox.heartwood("scan", "s", "--hex", "--keys", "--prefix", "").lines == ["fe", "ff", "ff00"])
        let reversed = try await sandbox.heartwood(
            "scan", "s", "--hex", "--keys", "--prefix", "ff", "--reverse", "--limit", "1")
        #expect(reversed.lines == ["ff00"])
    }

    @Test("load reads what export and scan print")
    func load() async throws {
        let export = try await sandbox.heartwood("export", "s", "--hex")
        #expect(
            export.lines == [
                #"{"keyHex":"fe","valueHex":""}"#, #"{"keyHex":"ff","valueHex":"01"}"#,
                #"{"keyHex":"ff00","valueHex":"c3bc0a"}"#,
            ])
        let copy = try await sandbox.heartwood("load", "copy", "-", "--format", "pairs", bytes: export.bytes)
        #expect(copy.code == 0)
        #expect(try await sandbox.heartwood("export", "copy", "--hex").bytes == export.bytes)
        let scan = try await sandbox.heartwood("scan", "s", "--hex", "--json")
        #expect(scan.lines.first == #"{"keyHex":"fe","valueHex":"","sequence":3}"#)
        #expect(try await sandbox.heartwood("load", "third", "-", "--format", "pairs", bytes: scan.bytes).code == 0)
        #expect(try await sandbox.heartwood("export", "third", "--hex").bytes == export.bytes)
    }
}
