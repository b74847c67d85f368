internal import Testing

@Suite("delete: ranges")
struct DeleteRangeTests {
    let sandbox: Sandbox

    init() async throws {
        sandbox = try Sandbox()
        let lines = ["a:1", "a:2", "a:3", "b:1"].map { #"{"key":"\#($0)","value":"v"}"# }.joined(separator: "\n")
        #expect(try await sandbox.heartwood("load", "s", "-", "--format", "pairs", input: lines).code == 0)
        #expect(try await sandbox.heartwood("put", "s", "ff", "01", "--hex").code == 0)
    }

    private func keys() async throws -> String {
        try await sandbox.heartwood("scan", "s", "--keys").lines.joined(separator: " ")
    }

    @Test(
        "deletes the range, and nothing else",
        arguments: [
            (["--prefix", "a:"], 3, #"b:1 \xff"#), (["--from", "a:2", "--to", "b"], 2, #"a:1 b:1 \xff"#),
            (["--prefix", "a:", "--from", "a:3"], 1, #"a:1 a:2 b:1 \xff"#), (["--to", "b"], 3, #"b:1 \xff"#),
            (["--prefix", "/w==", "--key64"], 1, "a:1 a:2 a:3 b:1"),
            (["--prefix", "ff", "--hex"], 1, "a:1 a:2 a:3 b:1"),
            (["--from", "00", "--hex"], 5, ""), (["--prefix", "nothing"], 0, #"a:1 a:2 a:3 b:1 \xff"#),
            (["--from", "b", "--to", "a"], 0, #"a:1 a:2 a:3 b:1 \xff"#), (["--to", ""], 0, #"a:1 a:2 a:3 b:1 \xff"#),
        ])
    func deletes(options: [String], count: Int, left: String) async throws {
        let dry = try await Tool.run(["delete", "s", "--dry-run", "--json"] + options, in: sandbox)
        #expect(dry.code == 0 && dry.output == "{\"wouldDelete\":\(count)}\n")
        #expect(try await keys() == #"a:1 a:2 a:3 b:1 \xff"#)
        let delete = try await Tool.run(["delete", "s", "--yes"] + options, in: sandbox)
        #expect(delete.code == 0 && delete.error.isEmpty)
        #expect(delete.output == "deleted \(count) \(count == 1 ? "key" : "keys")\n")
        #expect(try await keys() == left)
        let again = try await Tool.run(["delete", "s", "--yes", "--json"] + options, in: sandbox)
        #expect(again.code == 0 && again.output == "{\"deleted\":0}\n")
    }

    @Test("is one write")
    func isOneWrite() async throws {
        let delete = try await sandbox.heartwood("delete", "s", "--prefix", "a:", "--yes", "--json")
        #expect(delete.output == #"{"deleted":3,"sequence":6}"# + "\n")
        let log = try await sandbox.heartwood("log", "s", "--kind", "delete", "--json").objects()
        #expect(log.map { $0["sequence"] as? Int } == [6, 6, 6] && log.allSatisfy { $0["batchCount"] as? Int == 3 })
    }

    @Test("without a terminal it refuses before it opens the store")
    func refuses() async throws {
        for store in ["s", "none"] {
            let delete = try await sandbox.heartwood("delete", store, "--prefix", "a:", input: "y\n")
            #expect(delete.code == 64 && delete.bytes.isEmpty && delete.error.contains("'--yes'"))
        }
        #expect(try await sandbox.heartwood("delete", "none", "--prefix", "a:", "--yes").code == 73)
        #expect(try await keys() == #"a:1 a:2 a:3 b:1 \xff"#)
    }

    @Test(
        "a terminal is asked, and only yes deletes", arguments: [("y", true), ("Yes", true), ("", false), ("n", false)])
    func asks(answer: String, isDeleted: Bool) async throws {
        guard try await sandbox.shell("command -v script").code == 0 else { return }
        let outcome = try await sandbox.shell(
            """
            { sleep 1; echo '\(answer)'; } | script -qec '"$heartwood" delete s --prefix a:' /dev/null
            """)
        #expect(outcome.code == 0, "\(outcome.output)")
        #expect(outcome.output.contains("delete 3 keys of s? [y/N]"))
        #expect(outcome.output.contains("deleted \(isDeleted ? 3 : 0) keys"))
        #expect(try await keys() == (isDeleted ? #"b:1 \xff"# : #"a:1 a:2 a:3 b:1 \xff"#))
    }
}
