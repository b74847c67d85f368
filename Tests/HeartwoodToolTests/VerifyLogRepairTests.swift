internal import Foundation
internal import Testing

@Suite("verify, log and repair")
struct VerifyLogRepairTests {
    let sandbox: Sandbox

    init() async throws {
        sandbox = try Sandbox()
        for (key, value) in [("a", "first"), ("b", "second"), ("session:1", "third")] {
            #expect(try await sandbox.heartwood("put", "s", key, value, "--create").code == 0)
        }
        #expect(try await sandbox.heartwood("delete", "s", "b").code == 0)
    }

    // MARK: - verify

    @Test("the exit code of verify is that of the worst, and --quiet leaves out what is clean")
    func exitCodes() async throws {
        #expect(try await sandbox.heartwood("verify", "s").code == 0)
        _ = try await sandbox.shell("cp -r s torn && truncate -s 4170 torn/0000000000000004.log && cp -r s bad")
        try sandbox.damage("second", in: "bad")
        #expect(try await sandbox.heartwood("verify", "torn").code == 1)
        #expect(try await sandbox.heartwood("verify", "bad").code == 2)
        let all = try await sandbox.heartwood("verify", "torn", "bad", "s", "--quiet")
        #expect(all.code == 2 && !all.output.contains("s: clean"))
        #expect(all.output.contains("bad/0000000000000002.log at 4144"))
        let quiet = try await sandbox.heartwood("verify", "s", "--quiet")
        #expect(quiet.code == 0 && quiet.output.isEmpty)
        let missing = try await sandbox.heartwood("verify", "nowhere")
        #expect(missing.code == 73 && missing.error.contains("check the path"))
    }

    @Test("verify works while a process has the store open, and on a single file")
    func openStoreAndSingleFile() async throws {
        let running = try await sandbox.holder(of: "c")
        let whileOpen = try await sandbox.heartwood("verify", "s", "--json")
        #expect(whileOpen.code == 0)
        #expect(try whileOpen.objects()[0]["closed"] as? Bool == false)
        #expect(await running.end() == 0)
        #expect(try await sandbox.heartwood("verify", "s/0000000000000002.log").code == 0)
    }

    // MARK: - log

    @Test("log shows writes in order, by key, kind, number and time")
    func logFilters() async throws {
        let all = try await sandbox.heartwood("log", "s", "--json", "--values").objects()
        #expect(all.map { $0["key"] as? String } == ["a", "b", "session:1", "b"])
        #expect(all.map { $0["value"] as? String } == ["first", "second", "third", nil])
        #expect(all.map { $0["kind"] as? String } == ["put", "put", "put", "delete"])
        func keys(_ arguments: String...) async throws -> [String?] {
            let outcome = try await Tool.run(["log", "s", "--json"] + arguments, in: sandbox)
            #expect(outcome.code == 0, "\(outcome.error)")
            return try outcome.objects().map { $0["key"] as? String }
        }
        #expect(try await keys("--key", "b") == ["b", "b"])
        #expect(try await keys("--prefix", "session:") == ["session:1"])
        #expect(try await keys("--kind", "delete") == ["b"])
        #expect(try await keys("--from", "2", "--to", "3") == ["b", "session:1"])
        #expect(try await keys("--limit", "1") == ["a"])
        #expect(try await keys("--until", "2020-02-29T23:59:59Z").isEmpty)
        #expect(try await keys("--since", "1h").count == 4)
        #expect(try await keys("--since", "2020-02-29", "--until", "2999-12-31 10:00").count == 4)
        let hex = try await sandbox.heartwood("log", "s", "--key", "61", "--values", "--hex", "--json").objects()
        #expect(hex[0]["keyHex"] as? String == "61" && hex[0]["valueHex"] as? String == "6669727374")
    }

    @Test("log, stats and inspect say why a number jumps to a multiple of 2^32")
    func numberJumps() async throws {
        _ = try await sandbox.shell("truncate -s 4170 s/0000000000000004.log")
        #expect(try await sandbox.heartwood("put", "s", "c", "after a crash").code == 0)
        let log = try await sandbox.heartwood("log", "s").lines
        let heading =
            "log from number 4294967296 on, a multiple of 2^32: numbers jump after a crash, a compaction or a repair"
        #expect(log.filter { $0.hasSuffix(heading) }.count == 1)
        for command in ["stats", "inspect"] {
            let lines = try await sandbox.heartwood(command, "s").lines
            let line = try #require(lines.first { $0.hasPrefix("last write ") })
            #expect(line.contains("number 4,294,967,296; numbers jumped to a multiple of 2^32"))
        }
    }

    @Test("log continues after damage, and reports it; its exit code is that of verify")
    func logDamage() async throws {
        try sandbox.damage("second", in: "s")
        let outcome = try await sandbox.heartwood("log", "s")
        #expect(outcome.code == 2)
        #expect(outcome.lines.filter { $0.hasPrefix("corrupt ") }.count == 1)
        #expect(outcome.output.contains("session:1") && outcome.output.contains("write number 2 is lost"))
    }

    // MARK: - repair

    @Test("repair reports what it would do, and does it only with an output")
    func repair() async throws {
        try sandbox.damage("first", in: "s")
        let before = try await sandbox.shell("cat s/*.log | cksum").output
        let plan = try await sandbox.heartwood("repair", "s")
        #expect(plan.code == 1 && plan.output.contains("write number 1") && plan.output.contains("nothing was written"))
        let done = try await sandbox.heartwood("repair", "s", "--output", "new", "--json")
        #expect(done.code == 1)
        let report = try done.objects()[0]
        #expect(report["complete"] as? Bool == false && report["batches"] as? Int == 3)
        #expect(report["output"] as? String == "new")
        let losses = try #require(report["losses"] as? [[String: Any]])
        #expect(losses.count == 1 && losses[0]["firstLost"] as? Int == 1 && losses[0]["offset"] as? Int == 4144)
        #expect(try await sandbox.heartwood("scan", "new").output == "session:1\tthird\n")
        #expect(try await sandbox.shell("cat s/*.log | cksum").output == before, "the old files have changed")
        let again = try await sandbox.heartwood("repair", "s", "--output", "new")
        #expect(again.code == 64 && again.error.contains("is there already"))
        #expect(try await sandbox.heartwood("repair", "nowhere").code == 73)
    }

    @Test("a whole store is repaired without loss, up to a number, and up to a time")
    func upTo() async throws {
        #expect(try await sandbox.heartwood("repair", "s", "--output", "all").code == 0)
        #expect(try await sandbox.heartwood("repair", "s", "--output", "three", "--up-to", "3").code == 0)
        #expect(try await sandbox.heartwood("get", "three", "b").output == "second\n")
        #expect(try await sandbox.heartwood("get", "all", "b").code == 1)
        #expect(try await sandbox.heartwood("repair", "s", "--output", "none", "--up-to", "2020-01-01").code == 0)
        #expect(try await sandbox.heartwood("scan", "none").output.isEmpty)
    }

    @Test("in place the old files are moved, but not while the store is in use")
    func inPlace() async throws {
        let running = try await sandbox.holder(of: "c")
        let refused = try await sandbox.heartwood("repair", "s", "--in-place")
        #expect(refused.code == 75 && refused.error.contains("process \(running.processIdentifier)"))
        #expect(await running.end() == 0)
        try sandbox.damage("third", in: "s")
        let done = try await sandbox.heartwood("repair", "s", "--in-place")
        #expect(done.code == 1 && done.output.contains("the old files are in s/damaged-"))
        #expect(try await sandbox.heartwood("verify", "s").code == 0)
        #expect(try await sandbox.heartwood("scan", "s", "--keys").output == "a\nc\n")
        #expect(
            try await sandbox.shell("ls s/damaged-*/*.log | wc -l").output.trimmingCharacters(
                in: .whitespacesAndNewlines) == "5")
    }
}
