internal import Foundation
internal import Testing

@testable internal import heartwood_tool

@Suite("exit codes and errors")
struct ExitCodeTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// Every error is one line with the same beginning.
    private func expect(_ outcome: Tool.Outcome, _ code: Int32, _ words: String...) {
        #expect(outcome.code == code, "\(outcome.error)")
        #expect(outcome.error.hasPrefix("heartwood: "))
        #expect(outcome.error.hasSuffix("\n"))
        #expect(outcome.error.filter(\.isNewline).count == 1)
        for word in words { #expect(outcome.error.contains(word), "\(outcome.error)") }
    }

    @Test(
        "usage is 64, and names the help",
        arguments: [
            ["frobnicate"], ["help", "bogus"], ["get"], ["get", "s"], ["get", "s", "k", "x", "--raw"],
            ["get", "s", ""],
            ["get", "s", "k", ""], ["count"], ["count", "s", "k"],
            ["get", "s", "k", "--bad"],
            ["put", "s", "k"], ["put", "s", "k", "v", "--file", "f"],
            ["put", "s", "k", "v", "--create", "--no-create"],
            ["put", "s", "k", "v", "--durability", "maybe"], ["put", "", "k", "v"], ["delete", "s"],
            ["delete", "s", "k", "--prefix", "p"], ["delete", "s", "k", "--yes"], ["delete", "s", "k", "--dry-run"],
            ["delete", "s", "--prefix", "", "--yes"], ["delete", "s", "--from", "", "--yes"],
            ["load", "s", "f"],
            ["load", "s", "f", "--format", "csv"], ["load", "s", "f", "--format", "jsonl"],
            ["load", "s", "f", "--format", "pairs", "--key", "id"],
            ["load", "s", "f", "--format", "pairs", "--batch", "0"],
            ["load", "s", "f", "--format", "pairs", "--concurrency", "0"], ["scan", "s", "--limit", "ten"],
            ["put", "s", "k", "v", "--expires-in", "30"], ["put", "s", "k", "v", "--expires-in", "999999999d"],
            ["scan", "s", "--expires-within", "soon"], ["scan", "s", "--expires-within", "0h"],
            ["compact"], ["compact", "s", "--yes"], ["inspect"], ["inspect", "s", "--html"],
            ["inspect", "s", "--separators", ":"], ["inspect", "s", "--by-prefix", "--separators", ""],
            ["inspect", "s", "--by-prefix", "--separators", "→"], ["inspect", ""],
            ["export", "s", "--format", "jsonl"], ["bench"], ["bench", "s", "--seconds", "long"],
            ["stats", "s", "--limit", "2"], ["stats", "s", "--interval", "1s"],
            ["stats", "s", "--watch", "--limit", "0"], ["stats", "s", "--watch", "--interval", "1"], ["watch"],
            ["watch", "s", "--level", "buffered"], ["watch", "s", "--limit", "0"], ["watch", "s", "--after", "7"],
            ["watch", "s", "--after", "00112233445566778899aabbccddeeff-"],
            ["watch", "s", "--snapshot", "--from-start"],
            ["bench", "s", "--seconds", "0"], ["bench", "s", "--seconds", "nan"], ["bench", "s", "--records", "0"],
            ["bench", "s", "--value-size", "7"], ["bench", "s", "--value-size", "1048576"],
            ["bench", "s", "--yes"], ["bench", ""], ["verify"], ["verify", ""],
            ["log", "s", "--since", "yesterday"], ["log", "s", "--until", "2021-02-29"],
            ["log", "s", "--from", "3", "--to", "2"], ["log", "s", "--kind", "x"],
            ["repair", "s", "--output", "x", "--in-place"], ["repair", "s", "--up-to", "noon"],
            ["repair", "s", "--store-id", "1"], ["repair", "s", "--output", ""],
            // touch
            ["touch", "s", "a"], ["touch", "s", "a", "--never", "--expires-in", "1h"], ["touch", "s", "--never"],
            ["touch", "s", "a", "--prefix", "a", "--never"], ["touch", "s", "a", "--never", "--yes"],
            ["touch", "s", "a", "--expires-at", "2000-01-01"], ["touch", "s", "a", "--expires-at", "15m"],
            ["touch", "s", "--prefix", "", "--never", "--yes"], ["touch", "s", "", "--never"],
            ["touch", "s", "a", "--model", "m", "--hex", "--never"],
            // --hex
            ["put", "s", "f", "00", "--create", "--hex"], ["put", "s", "ff", "text", "--create", "--hex"],
            ["put", "s", "", "00", "--create", "--hex"], ["put", "s", "0xff", "00", "--create", "--hex"],
            ["put", "s", "ff", "00", "--create", "--hex", "--key64"], ["get", "s", "ff", "--hex", "--raw"],
            ["scan", "s", "--prefix", "é", "--hex"], ["export", "s", "--to", "f", "--hex"],
        ]
            + ["", "plain", "{", "a}b", "{}", "{a..b}", "{.a}", "{a", "}"].map {
                ["load", "s", "-", "--format", "jsonl", "--key-template", $0]
            }
            + [
                ["csv"], ["csv", "--key", "a", "--key-template", "{a}"], ["jsonl", "--key", "a", "--value", "b"],
                ["pairs", "--columns", "a"], ["csv", "--key", "a", "--columns", "b"],
                ["csv", "--key", "a", "--columns", "a,a"], ["tsv", "--key", "a", "--columns", "a", "--value", "b"],
            ].map { ["load", "s", "-", "--format"] + $0 })
    func usage(arguments: [String]) async throws {
        expect(try await Tool.run(arguments, in: sandbox), 64, "heartwood", "--help")
        #expect(!sandbox.exists("s"))
    }

    @Test(
        "wrong usage says what is meant",
        arguments: [
            (["scann", "x"], "there is no command 'scann': did you mean 'scan'?"),
            (["SCAN", "x"], "did you mean 'scan'?"), (["help", "insepct"], "did you mean 'inspect'?"),
            (["exp", "s"], "did you mean 'export'?"), (["help", "bogus"], "there is no command 'bogus' (see"),
            (["frobnicate"], "there is no command 'frobnicate' (see"), (["", "s"], "there is no command '' (see"),
            (["put", "s", "k", "v", "--expires-in", "30"], "'--expires-in <time>': the unit is missing: write '30s'"),
            (["scan", "s", "--expires-within", "soon"], "a number above 0 and s, m, h or d"),
            (["stats", "s", "--watch", "--interval", "2"], "write '2s'"),
            (["put", "s", "k", "v", "--expires-in", "366001d"], "longer than 366000d, the longest"),
            (["put", "s", "k", "v", "--expires-in", "9223372036854775807h"], "longer than 366000d"),
        ])
    func meaning(arguments: [String], words: String) async throws {
        expect(try await Tool.run(arguments, in: sandbox), 64, words)
        #expect(!sandbox.exists("s"))
    }

    @Test("the longest lifetime is accepted")
    func longest() async throws {
        #expect(try await sandbox.heartwood("put", "s", "k", "v", "--create", "--expires-in", "366000d").code == 0)
    }

    @Test(
        "with --json an error is one JSON object on one line",
        arguments: [
            (["get", "s", "k", "--json"], 1, "notFound"), (["get", "none", "k", "--json"], 73, "noStore"),
            (["put", "file", "k", "v", "--create", "--json"], 73, "noStore"),
            (["inspect", "none", "--json"], 73, "noStore"),
            (["load", "s", "none", "--format", "pairs", "--json"], 66, "noInput"),
            (["get", "s", "k", "--raw", "--json"], 64, "usage"), (["get", "--json"], 64, "usage"),
            (["get", "s", "k", "--bad", "--json"], 64, "usage"),
            (["scan", "s", "--json", "--limit", "x"], 64, "usage"),
            (["put", "s", "other", "w", "--if-absent", "--json"], 1, "exists"),
        ] as [([String], Int32, String)])
    func json(arguments: [String], code: Int32, name: String) async throws {
        #expect(try await sandbox.heartwood("put", "s", "other", "v", "--create").code == 0)
        try sandbox.write("", to: "file")
        let outcome = try await Tool.run(arguments, in: sandbox)
        let error = try error(outcome)
        #expect(outcome.code == code && error["exitCode"] as? Int32 == code)
        #expect(error["code"] as? String == name)
        #expect((error["message"] as? String)?.isEmpty == false)
    }

    @Test("every command with --json has its errors in JSON")
    func everyJSON() async throws {
        let more = [
            "put": ["k", "v"], "get": ["k"], "delete": ["k"], "touch": ["k", "--never"],
            "load": ["-", "--format", "pairs", "--no-create"],
        ]
        let commands = try CommandInfo.ofTool().visibleCommands
            .filter { $0.optionNames.contains("--json") }.map(\.commandName)
        #expect(Set(["get", "scan", "count", "inspect", "repair", "bench"]).isSubset(of: commands))
        for command in commands {
            let outcome = try await Tool.run([command, "none"] + (more[command] ?? []) + ["--json"], in: sandbox)
            #expect(outcome.bytes.isEmpty, "\(command)")
            let error = try error(outcome)
            #expect(outcome.code == 73 && error["exitCode"] as? Int32 == 73, "\(command)")
            #expect(error["code"] as? String == "noStore", "\(command)")
        }
    }

    @Test("a JSON error has the file and the offset, and '--json' after '--' is an argument")
    func jsonOfStore() async throws {
        #expect(try await sandbox.heartwood("put", "s", "k", "the value", "--create").code == 0)
        try sandbox.damage("the value", in: "s")
        let outcome = try await sandbox.heartwood("get", "s", "k", "--json")
        let error = try error(outcome)
        #expect(outcome.code == 2 && error["code"] as? String == "corruption")
        #expect((error["file"] as? String)?.hasSuffix(".log") == true && error["offset"] as? Int != nil)
        expect(try await sandbox.heartwood("get", "none", "--", "--json"), 73)
    }

    private func error(_ outcome: Tool.Outcome) throws -> [String: Any] {
        #expect(outcome.error.filter(\.isNewline).count == 1 && outcome.error.hasSuffix("\n"))
        let object = try #require(
            JSONSerialization.jsonObject(with: Data(outcome.error.utf8)) as? [String: Any], "\(outcome.error)")
        return try #require(object["error"] as? [String: Any])
    }

    @Test(
        "help and version are no errors",
        arguments: [
            ["--help"], ["help"], ["help", "load"], ["help", "help"], ["scan", "--help"], ["get", "-h"], ["--version"],
        ])
    func help(arguments: [String]) async throws {
        let outcome = try await Tool.run(arguments, in: sandbox)
        #expect(outcome.code == 0)
        #expect(outcome.error.isEmpty)
        #expect(!outcome.output.isEmpty)
    }

    @Test(
        "only put and load create a store; the others say that there is none",
        arguments: [
            ["get", "s", "k"], ["delete", "s", "k"], ["scan", "s"], ["stats", "s"], ["export", "s"], ["compact", "s"],
            ["count", "s"], ["watch", "s"], ["inspect", "s"], ["put", "s", "k", "v"], ["stats", "s", "--watch"],
            ["load", "s", "-", "--format", "pairs", "--no-create"],
        ])
    func noStore(arguments: [String]) async throws {
        expect(try await Tool.run(arguments, in: sandbox), 73, "s")
        #expect(!sandbox.exists("s"))
    }

    @Test("a store is not created where none can be")
    func cannotCreate() async throws {
        try sandbox.write("", to: "file")
        _ = try await sandbox.shell("ln -s nowhere dangling; ln -s circle circle")
        for path in ["file", "file/s", "dangling", "dangling/s", "circle", String(repeating: "n", count: 300)] {
            expect(try await sandbox.heartwood("put", path, "k", "v", "--create"), 73)
            for command in [
                "verify", "inspect", "log", "repair", "scan", "stats", "watch", "export", "compact", "bench",
            ] {
                expect(try await sandbox.heartwood(command, path), 73)
            }
        }
        expect(try await sandbox.heartwood("put", "dangling", "k", "v", "--create"), 73, "symbolic link")
        expect(try await sandbox.heartwood("put", "file", "k", "v", "--create"), 73, "not a directory")
        #expect(!sandbox.exists("nowhere"))
    }

    @Test("a file system that takes no files is reported", .enabled(if: getuid() == 0, "others have no access"))
    func noFiles() async throws {
        guard FileManager.default.fileExists(atPath: "/proc/self") else { return }
        for path in ["/proc", "/proc/store", "/proc/a/store"] {
            let outcome = try await sandbox.heartwood("put", path, "k", "v", "--create")
            expect(outcome, 73, "name a directory on a disk")
            #expect(!outcome.error.contains("removed"))
        }
    }

    @Test("a '~' that no shell has replaced is refused, and no directory is created")
    func tilde() async throws {
        let paths = ["~/s", "~", "~root/s"]
        for path in paths {
            for command in [
                "put", "load", "verify", "inspect", "log", "repair", "scan", "stats", "export", "compact", "bench",
            ] {
                let more = ["put": ["k", "v", "--create"], "load": ["-"]][command] ?? []
                expect(try await Tool.run([command, path] + more, in: sandbox), 64, "give the whole path")
            }
        }
        #expect(try await sandbox.heartwood("put", "s", "k", "v", "--create").code == 0)
        expect(try await sandbox.heartwood("repair", "s", "--output", "~/copy"), 64, "give the whole path")
        expect(try await sandbox.heartwood("inspect", "s", "--html", "~/page.html"), 64, "give the whole path")
        #expect(!sandbox.exists("~") && !sandbox.exists("~root"))
        #expect(try await sandbox.heartwood("put", "./~/s", "k", "v", "--create").code == 0)
        #expect(sandbox.exists("~/s"))
    }

    @Test("a read-only disk is reported, and commands that only read work there")
    func readOnly() async throws {
        let script = """
            unshare -m bash -c 'mkdir m && mount -t tmpfs tmpfs m && "$heartwood" put m/s k v --create &&
            mount -o remount,ro m || exit 99
            for c in verify inspect log repair scan stats export count "watch --from-start --limit 1"; do
                "$heartwood" $c m/s > /dev/null || exit 1
            done
            test "$("$heartwood" get m/s k)" = v || exit 3
            "$heartwood" repair m/s --output copy > /dev/null || exit 2
            test "$("$heartwood" get copy k)" = v || exit 3
            for c in "put m/s k" "delete m/s" compact "repair --in-place"; do
                "$heartwood" $c m/s 2>> errors > /dev/null; test $? = 77 || exit 4
            done
            "$heartwood" repair m/s --output m/new 2>> errors; test $? = 77 || exit 5
            "$heartwood" inspect m/s --html m/page.html 2> /dev/null; test $? = 77 || exit 6'
            """
        // Only some users may mount.
        guard try await sandbox.shell("unshare -m true").code == 0 else { return }
        let outcome = try await sandbox.shell(script)
        guard outcome.code != 99 else { return }
        #expect(outcome.code == 0, "\(outcome)")
        let errors = try await sandbox.shell("cat errors").lines
        #expect(errors.count == 5)
        for error in errors { #expect(error.contains("mounted read-only"), "\(error)") }
    }

    @Test("a repair without space says what to do, and a size limit of files is no signal")
    func noSpace() async throws {
        let value = String(repeating: "v", count: 100_000)
        for key in ["a", "b", "c"] {
            #expect(try await sandbox.heartwood("put", "s", key, value, "--create").code == 0)
        }
        let outcome = try await sandbox.shell(#"ulimit -f 100; "$heartwood" repair s --output o"#)
        expect(outcome, 74, "no space for the repaired store", "ulimit -f", "name an output on a larger disk")
        #expect(!sandbox.exists("o"))
        expect(try await sandbox.shell(#"ulimit -f 100; "$heartwood" put s d v"#), 74, "ulimit -f")
    }

    @Test("a missing input is 66, and no store is created for it")
    func noInput() async throws {
        expect(
            try await sandbox.heartwood("load", "s", "nothing", "--format", "pairs"), 66,
            "nothing can't be opened", "no such file")
        expect(try await sandbox.heartwood("load", "s", ".", "--format", "pairs"), 66, "directory")
        expect(try await sandbox.heartwood("put", "s", "k", "--create", "--file", "nothing"), 66)
        #expect(!sandbox.exists("s"))
    }

    /// A shell takes the lock as a program would, starts a child that inherits it, and ends.
    @Test("a lock that a forked child has kept is explained")
    func inheritedLock() async throws {
        guard try await sandbox.shell("command -v flock").code == 0 else { return }
        #expect(try await sandbox.heartwood("put", "s", "k", "v", "--create").code == 0)
        // Foundation knows the end of a process by a socket, which the child inherits: it must end before the script.
        let script = """
            bash -c 'exec 9<>s/LOCK; flock -n 9; echo $$ >&9; sleep 600 <&- >&- 2>&- & echo $$ $! >pids'
            read -r parent child <pids
            $heartwood put s k w
            code=$?
            kill -KILL $child
            echo $parent
            exit $code
            """
        let outcome = try await sandbox.shell(script)
        let parent = outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)
        expect(outcome, 75, "a child that process \(parent) has forked", "lsof", "never delete the lock file")
    }

    @Test("writing to a store in use is 75, also in JSON, and the process that has it open is named")
    func locked() async throws {
        let holder = try await sandbox.holder(of: "1")
        for arguments in [
            ["put", "s", "k", "v"], ["put", "s", "2", "", "--if-absent"], ["delete", "s", "1"],
            ["delete", "s", "--prefix", "1", "--yes"], ["touch", "s", "1", "--never"], ["compact", "s"],
            ["load", "s", "-", "--format", "pairs"],
        ] {
            expect(try await Tool.run(arguments, in: sandbox), 75, "in use", "process \(holder.processIdentifier)")
            let json = try await Tool.run(arguments + ["--json"], in: sandbox)
            #expect(try json.code == 75 && error(json)["code"] as? String == "locked", "\(arguments)")
        }
        #expect(try await sandbox.heartwood("touch", "s", "--prefix", "1", "--never", "--dry-run").code == 0)
        #expect(await holder.end() == 0)
        #expect(try await sandbox.heartwood("get", "s", "1").code == 0)
    }

    @Test("damage that prevents the work is 2, and is named by file and offset")
    func corruption() async throws {
        try await sandbox.load((0..<100).map { ("\($0)", "the value of record \($0).") })
        try sandbox.damage("the value of record 50.", in: "s")
        expect(try await sandbox.heartwood("scan", "s"), 2, ".log", "offset")
        expect(try await sandbox.heartwood("compact", "s"), 2, ".log", "offset")
        expect(try await sandbox.heartwood("get", "s", "50"), 2)
    }

    @Test("a store that may not be read is 77", .enabled(if: getuid() != 0, "root may do everything"))
    func permission() async throws {
        _ = try await sandbox.heartwood("put", "s", "k", "v", "--create")
        _ = try await sandbox.shell(
            "chmod 000 s; echo x > unreadable; chmod 000 unreadable; mkdir closed; chmod 500 closed")
        expect(try await sandbox.heartwood("get", "s", "k"), 77)
        expect(try await sandbox.heartwood("load", "t", "unreadable", "--format", "pairs"), 77)
        expect(try await sandbox.heartwood("put", "closed/s", "k", "v", "--create"), 77)
        _ = try await sandbox.shell("chmod 700 s")
        #expect(try await sandbox.heartwood("get", "s", "k").code == 0)
    }

    @Test(
        "output that can't be written is 74",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "needs /dev/full"))
    func outputFull() async throws {
        _ = try await sandbox.heartwood("put", "s", "k", "v", "--create")
        expect(try await sandbox.shell(#""$heartwood" export s > /dev/full"#), 74, "not complete")
        expect(try await sandbox.shell(#""$heartwood" get s k > /dev/full"#), 74)
    }
}
