internal import Testing

@Suite("delete: ranges")
struct DeleteRangeTests {
    let sandbox: Sandbox

    init() async throws {
        sandbox = try Sandbox()
        try await sandbox.load(["a:1", "a:2", "a:3", "b:1"].map { ($0, "v") })
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

    /// A disk with space for some of the removals; the reserve has space for some more.
    @Test("on a full disk a range is deleted in several writes", arguments: [(4_000, true), (20_000, false)])
    func inSteps(keys: Int, isEnough: Bool) async throws {
        // Only some users may mount.
        guard try await sandbox.shell("unshare -m true").code == 0 else { return }
        let script = """
            unshare -m bash -c 'mkdir m && mount -t tmpfs -o size=8m tmpfs m || exit 99
            seq -f "{\\"key\\":\\"k%05g\\",\\"value\\":\\"\\"}" \(keys) > lines
            "$heartwood" load m/s lines --format pairs > /dev/null || exit 98
            head -c 8m /dev/zero > m/filler 2> /dev/null
            truncate -s -100k m/filler
            "$heartwood" delete m/s --prefix k --yes 2>&1
            code=$?
            "$heartwood" count m/s
            "$heartwood" verify m/s > /dev/null || exit 97
            exit $code'
            """
        let outcome = try await sandbox.shell(script)
        guard outcome.code != 99 else { return }
        #expect(outcome.lines.first == "heartwood: the disk is full: deleting the keys in several writes")
        if isEnough {
            #expect(outcome.code == 0, "\(outcome)")
            #expect(outcome.lines.dropFirst() == ["deleted \(keys / 1_000),000 keys", "0"])
        } else {
            #expect(outcome.code == 74, "\(outcome)")
            #expect(outcome.lines.dropFirst().first?.hasSuffix(" keys deleted before this error") == true)
            let left = try #require(outcome.lines.last.flatMap { Int($0) })
            #expect((1_000..<keys - 2_000).contains(left), "\(outcome)")
        }
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
        #expect(outcome.code == (isDeleted ? 0 : 4), "\(outcome.output)")
        #expect(outcome.output.contains("delete 3 keys of s? [y/N]"))
        #expect(outcome.output.contains(isDeleted ? "deleted 3 keys" : "heartwood: not confirmed: no key was deleted"))
        #expect(try await keys() == (isDeleted ? #"b:1 \xff"# : #"a:1 a:2 a:3 b:1 \xff"#))
    }
}
