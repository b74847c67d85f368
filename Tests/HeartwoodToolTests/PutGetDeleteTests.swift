internal import Testing

@Suite("put, get, delete")
struct PutGetDeleteTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("put makes a new store only with --create", arguments: [[], ["--no-create"]])
    func create(options: [String]) async throws {
        let refused = try await Tool.run(["put", "mistyped", "k", "v"] + options, in: sandbox)
        #expect(refused.code == 73)
        #expect(refused.error.contains("mistyped") && refused.error.contains("use --create to make a new store"))
        #expect(!sandbox.exists("mistyped"))
        #expect(try await sandbox.heartwood("put", "mistyped", "k", "v", "--create").code == 0)
        #expect(try await Tool.run(["put", "mistyped", "k", "w"] + options, in: sandbox).code == 0)
        #expect(try await sandbox.heartwood("put", "mistyped", "k", "x", "--create").code == 0)
        #expect(try await sandbox.heartwood("get", "mistyped", "k").output == "x\n")
    }

    @Test("put replaces, delete deletes, and a missing key is 1")
    func replaceAndDelete() async throws {
        _ = try await sandbox.heartwood("put", "s", "k", "1", "--create")
        _ = try await sandbox.heartwood("put", "s", "k", "2")
        #expect(try await sandbox.heartwood("get", "s", "k").output == "2\n")
        #expect(try await sandbox.heartwood("delete", "s", "k").code == 0)
        let get = try await sandbox.heartwood("get", "s", "k")
        #expect(get.code == 1 && get.output.isEmpty)
        #expect(get.error.hasPrefix("heartwood: no key 'k' in s"))
    }

    @Test("delete deletes the keys that exist and names the others")
    func deleteSome() async throws {
        _ = try await sandbox.heartwood("put", "s", "a", "1", "--create")
        _ = try await sandbox.heartwood("put", "s", "b", "2")
        _ = try await sandbox.heartwood("put", "s", "c", "3")
        let delete = try await sandbox.heartwood("delete", "s", "a", "x", "a", "b", "y", "--json")
        #expect(delete.code == 1)
        #expect(delete.output.hasPrefix(#"{"deleted":2,"missing":2,"sequence":"#))
        #expect(delete.error.contains("'x', 'y'"))
        #expect(try await sandbox.heartwood("scan", "s").output == "c\t3\n")
    }

    @Test("several keys are printed in the order given, and missing ones are named")
    func getSeveral() async throws {
        for (key, value) in [("a", "1"), ("b", "two\tlines\n"), ("c", "")] {
            _ = try await sandbox.heartwood("put", "s", key, value, "--create")
        }
        let all = try await sandbox.heartwood("get", "s", "b", "a", "c", "a")
        #expect(all.code == 0 && all.error.isEmpty)
        #expect(all.output == "b\ttwo\\tlines\\n\na\t1\nc\t\na\t1\n")
        let some = try await sandbox.heartwood("get", "s", "x", "c", "y\n", "a")
        #expect(some.code == 1 && some.output == "c\t\na\t1\n")
        let errors = some.error.split(separator: "\n")
        #expect(errors.count == 2)
        #expect(errors.first?.hasPrefix("heartwood: no key 'x' in s") == true)
        #expect(errors.last?.hasPrefix(#"heartwood: no key 'y\n' in s"#) == true)
        let none = try await sandbox.heartwood("get", "s", "x", "y")
        #expect(none.code == 1 && none.bytes.isEmpty)
    }

    @Test("several keys in JSON: an object a line, and an error object for each missing key")
    func getSeveralInJSON() async throws {
        _ = try await sandbox.heartwood("put", "s", "a", "1", "--create")
        _ = try await sandbox.heartwood("put", "s", "/wA=", "2", "--key64")
        let get = try await sandbox.heartwood("get", "s", "eA==", "/wA=", "/w==", "YQ==", "--key64", "--json")
        #expect(get.code == 1)
        #expect(
            get.lines == [
                #"{"key64":"/wA=","value":"2","sequence":2}"#, #"{"key":"a","value":"1","sequence":1}"#,
            ])
        let errors = get.error.split(separator: "\n")
        #expect(errors.count == 2)
        #expect(errors.first?.contains(#""key":"x","exitCode":1}}"#) == true)
        #expect(errors.last?.contains(#""key64":"/w==","exitCode":1}}"#) == true)
    }

    @Test("--file and --raw keep any bytes; get alone refuses bytes that are not text")
    func binaryValue() async throws {
        let bytes = [UInt8](0...255)
        #expect(try await sandbox.heartwood("put", "s", "k", "--create", "--file", "-", bytes: bytes).code == 0)
        #expect(try await sandbox.heartwood("get", "s", "k", "--raw").bytes == bytes)
        #expect(try await sandbox.heartwood("put", "s", "empty", "").code == 0)
        let empty = try await sandbox.heartwood("get", "s", "empty", "--raw")
        #expect(empty.code == 0 && empty.bytes.isEmpty)
        let get = try await sandbox.heartwood("get", "s", "k")
        #expect(get.code == 65 && get.bytes.isEmpty)
        #expect(get.error.contains("--raw"))
        let json = try await sandbox.heartwood("get", "s", "k", "--json")
        #expect(json.output.hasPrefix(#"{"key":"k","value64":"AAECAwQF"#))
    }

    @Test("keys that are not UTF-8 are given in base64")
    func binaryKey() async throws {
        #expect(try await sandbox.heartwood("put", "s", "/wA=", "v", "--key64", "--create").code == 0)
        #expect(try await sandbox.heartwood("get", "s", "/wA=", "--key64").output == "v\n")
        #expect(try await sandbox.heartwood("scan", "s", "--keys").output == "\\xff\\x00\n")
        #expect(try await sandbox.heartwood("get", "s", "no!", "--key64").code == 64)
        #expect(try await sandbox.heartwood("delete", "s", "/wA=", "--key64").code == 0)
    }

    @Test("an argument that isn't UTF-8 is refused, not replaced")
    func notUTF8() async throws {
        let put = try await sandbox.shell(#""$heartwood" put s $'\xff' v --create"#)
        #expect(put.code == 64)
        #expect(put.error.contains("argument 3 is not UTF-8"))
        #expect(!sandbox.exists("s"))
    }

    @Test("a value may expire")
    func expiry() async throws {
        #expect(try await sandbox.heartwood("put", "s", "k", "v", "--create", "--expires-in", "1h").code == 0)
        #expect(try await sandbox.heartwood("get", "s", "k", "--json").output.contains(#""expires":"#))
        #expect(try await sandbox.heartwood("put", "s", "brief", "v", "--expires-in", "1s").code == 0)
        try await Task.sleep(for: .milliseconds(1100))
        #expect(try await sandbox.heartwood("get", "s", "brief").code == 1)
        #expect(try await sandbox.heartwood("put", "s", "k", "v", "--expires-in", "soon").code == 64)
    }

    @Test("--if-absent writes a new or expired key, and nothing otherwise")
    func ifAbsent() async throws {
        #expect(try await sandbox.heartwood("put", "s", "k", "1", "--create", "--if-absent").code == 0)
        let second = try await sandbox.heartwood("put", "s", "k", "2", "--if-absent", "--json")
        #expect(second.code == 1 && second.bytes.isEmpty)
        #expect(second.error.contains(#""code":"exists""#) && second.error.contains(#""key":"k","exitCode":1}}"#))
        #expect(
            try await sandbox.heartwood("get", "s", "k", "--json").lines == [#"{"key":"k","value":"1","sequence":1}"#])
        #expect(try await sandbox.heartwood("delete", "s", "k").code == 0)
        #expect(try await sandbox.heartwood("put", "s", "k", "3", "--if-absent").code == 0)
        let expired = #"{"key":"old","value":"1","expires":1000}"#
        #expect(try await sandbox.heartwood("load", "s", "-", "--format", "pairs", input: expired).code == 0)
        #expect(try await sandbox.heartwood("put", "s", "old", "2", "--if-absent").code == 0)
        #expect(try await sandbox.heartwood("scan", "s").output == "k\t3\nold\t2\n")
        #expect(try await sandbox.heartwood("put", "none", "k", "1", "--if-absent").code == 73)
    }

    @Test("values that begin with a dash follow --, and text keeps its characters")
    func odd() async throws {
        #expect(try await sandbox.heartwood("put", "s", "k", "--create", "--", "-4").code == 0)
        #expect(try await sandbox.heartwood("get", "s", "k").output == "-4\n")
        _ = try await sandbox.heartwood("put", "s", "schlüssel\n", "wert\t\"☕\"")
        #expect(try await sandbox.heartwood("get", "s", "schlüssel\n").output == "wert\t\"☕\"\n")
    }

    @Test("every durability is accepted", arguments: ["synced", "written", "buffered"])
    func durabilities(level: String) async throws {
        #expect(try await sandbox.heartwood("put", "s", "k", level, "--create", "--durability", level).code == 0)
        #expect(try await sandbox.heartwood("get", "s", "k").output == level + "\n")
        #expect(try await sandbox.heartwood("delete", "s", "k", "--durability", level).code == 0)
    }
}
