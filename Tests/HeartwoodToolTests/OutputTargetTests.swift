internal import Foundation
internal import Testing

/// What `--html` and `--output` do with a path that is not a regular file.
@Suite("where output goes")
struct OutputTargetTests {
    let sandbox: Sandbox

    init() async throws {
        sandbox = try Sandbox()
        #expect(try await sandbox.heartwood("put", "s", "key", "value", "--create").code == 0)
    }

    private func inspect(_ page: String) async throws -> Tool.Outcome {
        try await sandbox.shell(#"timeout -s KILL 60 "$heartwood" inspect s --html "# + page)
    }

    private let isPage = "grep -q '</html>'"

    @Test("only the user may read a page, which contains keys")
    func mode() async throws {
        try sandbox.write("old", to: "page.html")
        #expect(try await sandbox.shell("umask 022; chmod 644 page.html").code == 0)
        #expect(try await inspect("page.html").code == 0)
        #expect(try await sandbox.shell("stat -c %a page.html; \(isPage) page.html").output == "600\n")
    }

    @Test("a symbolic link is kept, and its target gets the page")
    func link() async throws {
        _ = try await sandbox.shell("ln -s target link")
        let dangling = try await inspect("link")
        #expect(dangling.code == 64 && dangling.error.contains("leads nowhere"))
        try sandbox.write("old and longer", to: "target")
        #expect(try await inspect("link").code == 0)
        let check = try await sandbox.shell("test -L link && \(isPage) target && stat -c %a target")
        #expect(check.code == 0 && check.output == "600\n")
    }

    @Test("a link into the store is refused")
    func linkIntoStore() async throws {
        let before = try await sandbox.shell("cksum s/*").output
        _ = try await sandbox.shell("ln -s s/0000000000000001.log link")
        let outcome = try await inspect("link")
        #expect(outcome.code == 64 && outcome.error.contains("is in the store"))
        #expect(try await sandbox.shell("cksum s/*").output == before)
    }

    @Test("a pipe and standard output get the page, and a directory is refused")
    func others() async throws {
        let piped = try await sandbox.shell(
            #"mkfifo pipe && { cat pipe > got & "$heartwood" inspect s --html pipe && wait; } && test -p pipe && "#
                + isPage + " got")
        #expect(piped.code == 0, "\(piped.error)")
        let output = try await sandbox.shell(
            #""$heartwood" inspect s --html /dev/stdout > both && "# + isPage + " both")
        #expect(output.code == 0, "\(output.error)")
        // The report follows the page, and does not overwrite it.
        #expect(try await sandbox.shell("head -c 15 both").output == "<!DOCTYPE html>")
        _ = try await sandbox.shell("mkdir directory")
        #expect(try await inspect("directory").code == 64)
    }

    @Test("/dev/null stays a device", .enabled(if: getuid() == 0, "only root could replace it"))
    func device() async throws {
        // Another device with its numbers, so that a failure can't damage the machine's own.
        guard try await sandbox.shell("mknod null c 1 3 && : > null").code == 0 else { return }
        #expect(try await inspect("null").code == 0)
        #expect(try await sandbox.shell("test -c null").code == 0)
    }

    @Test("repair refuses a symbolic link as its output before it writes, and accepts a slash at the end")
    func repairOutput() async throws {
        _ = try await sandbox.shell("mkdir directory && ln -s directory link && ln -s nowhere dangling")
        for name in ["link", "link/", "dangling"] {
            let outcome = try await sandbox.heartwood("repair", "s", "--output", name)
            #expect(outcome.code == 64 && outcome.error.contains("is a symbolic link"), "\(outcome)")
        }
        #expect(!sandbox.exists("link.partial") && !sandbox.exists("dangling.partial"))
        #expect(try await sandbox.heartwood("repair", "s", "--output", "new/").code == 0)
        #expect(try await sandbox.heartwood("get", "new", "key").output == "value\n")
    }
}
