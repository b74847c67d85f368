internal import Foundation
internal import Testing

/// Too low limits of a process end in a message, never in a signal or a hang.
@Suite("limits of memory, threads and files")
struct ResourceTests {
    let sandbox: Sandbox

    init() async throws {
        sandbox = try Sandbox()
        #expect(try await sandbox.heartwood("put", "s", "key", "value", "--create").code == 0)
        try sandbox.write(#"{"key":"k","value":"v"}"#, to: "k.pairs")
    }

    /// Ends a command that hangs with 137.
    private func run(_ limit: String, _ command: String) async throws -> Tool.Outcome {
        try await sandbox.shell(#"ulimit -c 0; \#(limit); exec timeout -s KILL 60 "$heartwood" \#(command)"#)
    }

    private func expectRefusal(_ outcome: Tool.Outcome, _ words: String, _ context: String) {
        #expect(outcome.code == 75, "\(context): \(outcome)")
        #expect(outcome.error.hasPrefix("heartwood: ") && outcome.error.contains(words), "\(context): \(outcome.error)")
        #expect(outcome.error.filter(\.isNewline).count == 1, "\(context): \(outcome.error)")
    }

    @Test(
        "too few memory addresses are refused, with the number that is needed",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/limits"), "ulimit -v is Linux's"),
        arguments: [
            "get s key", "put s k v", "delete s key", "scan s", "count s", "stats s", "export s", "compact s",
            "watch s --from-start --limit 1", "inspect s", "verify s",
            "log s", "repair s", "load s k.pairs --format pairs", "bench . --seconds 0.01 --records 10",
        ])
    func memory(command: String) async throws {
        expectRefusal(try await run("ulimit -v 100000", command), "raise it with 'ulimit -v ", command)
        let outcome = try await run("ulimit -v 300000", command)
        #expect(outcome.code == 0 || outcome.code == 75, "\(command): \(outcome)")
    }

    @Test("commands work within the limit that the message names")
    func enough() async throws {
        for command in ["verify s", "load s k.pairs --format pairs", "inspect s", "get s key", "compact s"] {
            let refused = try await run("ulimit -v 100000", command).error
            let words = refused.split(separator: "'").map(String.init)
            let limit = try #require(words.first { $0.hasPrefix("ulimit -v ") }, "\(refused)")
            #expect(try await run(limit, command).code == 0, "\(command), \(limit)")
        }
    }

    @Test("too few open files are refused, and a low limit is raised if the system allows it")
    func files() async throws {
        for command in ["get s key", "verify s", "load s k.pairs --format pairs", "help"] {
            expectRefusal(try await run("ulimit -n 12", command), "raise it with 'ulimit -n 32'", command)
            #expect(try await run("ulimit -Sn 12", command).code == 0, "\(command)")
        }
    }

    @Test("too few threads are refused")
    func threads() async throws {
        // The limit doesn't hold for root.
        let script = """
            [ "$(id -u)" = 0 ] && exec setpriv --reuid 65534 --clear-groups bash -c "$1"
            exec bash -c "$1"
            """
        let command = """
            test -x "$heartwood" || exit 99; ulimit -u 1; exec timeout -s KILL 60 "$heartwood" help
            """
        // Without `timeout`, which would fail first, because it forks.
        let direct = command.replacingOccurrences(of: "timeout -s KILL 60 ", with: "")
        let outcome = try await sandbox.shell("set -- '\(direct)'; \(script)")
        // Not tested where another user can't run the tool, or the user can't be changed.
        guard outcome.code != 99, outcome.code != 126, outcome.code != 127 else { return }
        expectRefusal(outcome, "starts no more for this user", "help")
    }

    // MARK: - Lines

    @Test("a line that is too long takes no memory, is named by its number, and can be skipped")
    func longLine() async throws {
        _ = try await sandbox.shell(
            """
            { echo '{"key":"first","value":"v"}'; printf '{"key":"long","value":"'
              head -c 100000000 /dev/zero | tr '\\0' x; printf '"}\\n{"key":"last","value":"v"}\\n'
            } | gzip -1 > bomb.gz
            """)
        let limit = "ulimit -v 420000"
        let refused = try await run(limit, "load t bomb.gz --format pairs")
        #expect(refused.code == 65, "\(refused)")
        #expect(refused.error.contains("bomb.gz, line 2: the line is longer than '--max-line' allows"))
        let skipped = try await run(limit, "load t bomb.gz --format pairs --skip-bad")
        #expect(skipped.code == 0 && skipped.error.contains("line 2: "), "\(skipped)")
        #expect(try await sandbox.heartwood("scan", "t", "--keys").output == "first\nlast\n")
    }

    @Test("--max-line is the longest line that is accepted")
    func maxLine() async throws {
        let value = String(repeating: "ä", count: 1 << 20)
        try sandbox.write("{\"key\":\"k\",\"value\":\"\(value)\"}\n", to: "long.pairs")
        #expect(
            try await sandbox.heartwood("load", "t", "long.pairs", "--format", "pairs", "--max-line", "2").code == 65)
        #expect(
            try await sandbox.heartwood("load", "t", "long.pairs", "--format", "pairs", "--max-line", "3").code == 0)
        #expect(try await sandbox.heartwood("get", "t", "k").output == value + "\n")
        for wrong in ["0", "1367"] {
            let outcome = try await sandbox.heartwood("load", "t", "-", "--format", "pairs", "--max-line", wrong)
            #expect(outcome.code == 64)
        }
        // An incomplete character in a long line is found.
        try sandbox.write("", to: "bad")
        _ = try await sandbox.shell(
            #"{ printf '{"id":1,"text":"'; head -c 1048570 /dev/zero | tr '\0' x; printf '\303"}\n'; } > bad"#)
        let bad = try await sandbox.heartwood("load", "t", "bad", "--format", "jsonl", "--key", "id")
        #expect(bad.code == 65 && bad.error.contains("not UTF-8"), "\(bad)")
    }
}
