import Foundation
import Testing

/// Links and files that another user has put into a store's directory, and directories in which other users could: no
/// command writes through one.
@Suite("planted links and files") struct PlantedFileTests {
    private let sandbox: Sandbox

    init() async throws {
        sandbox = try Sandbox()
        _ = try await sandbox.shell(#""$heartwood" put s a value --create"#)
        try sandbox.write("precious", to: "victim")
    }

    private func run(_ command: String) async throws -> Tool.Outcome {
        try await sandbox.shell(#""$heartwood" "# + command)
    }

    @Test(
        "what has the name of a reserve is replaced, and nothing is written through it",
        arguments: ["reserve-snapshot.tmp", "reserve-segment.tmp", "reserve-removals.tmp"],
        ["ln -s ../victim", "ln victim", "ln -s nowhere", "cp victim"])
    func reserve(name: String, plant: String) async throws {
        _ = try await sandbox.shell("rm s/\(name); \(plant) s/\(name); chmod 606 s/\(name) 2> /dev/null")
        _ = try await sandbox.shell("chmod 600 victim")
        for command in ["compact s", "put s b value", "delete s a", "compact s"] {
            let outcome = try await run(command)
            #expect(outcome.code == 0, "\(command): \(outcome)")
        }
        #expect(try await sandbox.shell("cat victim").output == "precious")
        #expect(try await sandbox.shell("test ! -L s/\(name) && stat -c %h:%a s/\(name)").output == "1:600\n")
        #expect(try await run("scan s --keys").output == "b\n")
    }

    @Test(
        "the lock and the newest segment are never written under two names",
        arguments: ["LOCK", "0000000000000001.log"])
    func secondName(name: String) async throws {
        let before = try await sandbox.shell("rm -f LOCK; ln s/\(name) second && cksum < second").output
        for command in ["put s b value", "compact s"] {
            let outcome = try await run(command)
            #expect(outcome.code == 77 && outcome.error.contains("it has several names"), "\(command): \(outcome)")
        }
        #expect(try await sandbox.shell("cksum < second").output == before)
        #expect(try await run("get s a").output == "value\n")
        // As the message says.
        _ = try await sandbox.shell("cp s/\(name) copy && mv copy s/\(name)")
        #expect(try await run("put s b value").code == 0)
    }

    @Test("older segments may have several names")
    func sealedSegment() async throws {
        #expect(try await run("put s b value").code == 0)
        _ = try await sandbox.shell("ln s/0000000000000001.log kept")
        #expect(try await run("put s c value").code == 0)
        #expect(try await run("scan s --keys").output == "a\nb\nc\n")
    }

    @Test("a directory or file that others may write to is refused", arguments: ["s", "s/0000000000000001.log"])
    func writableByOthers(path: String) async throws {
        _ = try await sandbox.shell("chmod o+w \(path)")
        for command in ["put s b value", "compact s"] {
            let outcome = try await run(command)
            #expect(outcome.code == 77 && outcome.error.contains("chmod go-w"), "\(command): \(outcome)")
        }
        #expect(try await run("get s a").output == "value\n")
        _ = try await sandbox.shell("chmod go-w \(path)")
        #expect(try await run("put s b value").code == 0)
    }

    @Test("root works in another user's store, and leaves it to that user", .enabled(if: geteuid() == 0))
    func root() async throws {
        _ = try await sandbox.shell("chown -R 4711:4711 s")
        for command in ["put s b value", "compact s", "put s c value", "repair s --in-place", "delete s a"] {
            let outcome = try await run(command)
            #expect(outcome.code == 0 || command.hasPrefix("repair"), "\(command): \(outcome)")
        }
        #expect(try await sandbox.shell("find s ! -user 4711 -o ! -group 4711").output == "")
        // A file of a third user isn't taken for the store's.
        _ = try await sandbox.shell("chown 4712 s/*.log")
        let outcome = try await run("put s d value")
        #expect(outcome.code == 77 && outcome.error.contains("it belongs to user 4712"), "\(outcome)")
    }
}
