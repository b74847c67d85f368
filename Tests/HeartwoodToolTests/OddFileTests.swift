internal import Foundation
internal import Testing

/// Pipes, directories and links with the names of a store's files: no command waits for one, or writes through it.
@Suite("special files")
struct OddFileTests {
    let sandbox: Sandbox

    init() async throws {
        sandbox = try Sandbox()
        for key in ["a", "b"] {
            #expect(try await sandbox.heartwood("put", "s", key, "value", "--create").code == 0)
        }
    }

    /// Ends a command that hangs with 137.
    private func run(_ command: String) async throws -> Tool.Outcome {
        try await sandbox.shell(#"timeout -s KILL 60 "$heartwood" "# + command + " < /dev/null")
    }

    @Test(
        "a LOCK that is no regular file is refused, and no command waits",
        arguments: ["mkfifo", "mkdir", "ln -s nowhere"])
    func lock(make: String) async throws {
        _ = try await sandbox.shell("rm s/LOCK && \(make) s/LOCK")
        for command in ["verify s", "inspect s", "log s", "get s a", "put s a x", "compact s", "repair s --in-place"] {
            let outcome = try await run(command)
            let writes = ["put s a x", "compact s", "repair s --in-place"].contains(command)
            let isRefusedLink = writes && make.hasPrefix("ln")
            #expect(outcome.code == (isRefusedLink ? 77 : 74), "\(command): \(outcome)")
            let text = isRefusedLink ? "is a symbolic link" : "is no regular file: move it away"
            #expect((outcome.output + outcome.error).contains(text), "\(command)")
        }
        #expect(try await run("repair s --output t").code == 0)
        #expect(try await run("scan t --keys").output == "a\nb\n")
    }

    @Test("a symbolic link named LOCK is not followed")
    func linkedLock() async throws {
        try sandbox.write("precious", to: "victim")
        _ = try await sandbox.shell("rm s/LOCK && ln -s ../victim s/LOCK")
        for command in ["put s a x", "load s /dev/null --format pairs"] {
            let outcome = try await run(command)
            #expect(outcome.code == 77 && outcome.error.contains("is a symbolic link"), "\(command): \(outcome)")
        }
        #expect(try await sandbox.shell("cat victim").output == "precious")
    }

    @Test(
        "no command waits for a pipe or a directory with the name of a store's file",
        arguments: [
            "0000000000000002.log", "0000000000000009.log", "0000000000000005.snapshot", "spare.log.tmp",
            "0000000000000005.snapshot.tmp", "other",
        ], ["mkfifo", "mkdir", "ln -s nowhere"])
    func dataFiles(name: String, make: String) async throws {
        _ = try await sandbox.shell("rm -f s/\(name); \(make) s/\(name)")
        let isData = name.hasPrefix("0") && !name.hasSuffix(".tmp")
        for command in ["verify s", "log s", "inspect s", "scan s", "compact s"] {
            let outcome = try await run(command)
            let refusal: Int32 = command == "compact s" ? 77 : 74
            let expected = !isData ? 0 : make.hasPrefix("ln") ? refusal : 2
            #expect(outcome.code == expected, "\(command): \(outcome)")
        }
        #expect(try await run("repair s").code != 137)
    }

    @Test("SIGTERM ends a command whose output is not read", arguments: ["watch s --from-start", "log s"])
    func terminated(command: String) async throws {
        // Both ends of the pipe are kept open, and it is full.
        let script = """
            mkfifo pipe && exec 3<> pipe && dd if=/dev/zero of=/dev/fd/3 bs=4k oflag=nonblock 2> /dev/null
            timeout --preserve-status -s TERM -k 30 1 "$heartwood" \(command) >&3
            """
        #expect(try await sandbox.shell(script).code == 143)
    }
}
