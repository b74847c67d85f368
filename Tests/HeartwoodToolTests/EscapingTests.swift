internal import Foundation
internal import Testing

/// A terminal never gets control characters from names, keys and values.
@Suite("escaping")
struct EscapingTests {
    let sandbox: Sandbox
    private let name = "a\nb\u{1B}[31m\u{202E}c\u{9B}d"

    init() throws { sandbox = try Sandbox() }

    private func expectClean(_ outcome: Tool.Outcome, lines: Int? = nil, _ context: String) {
        for text in [outcome.output, outcome.error] {
            let bad = text.unicodeScalars.filter {
                $0 != "\n" && $0 != "\t" && ($0.value < 0x20 || $0 == "\u{202E}" || $0 == "\u{9B}")
            }
            #expect(bad.isEmpty, "\(context): \(text.debugDescription)")
        }
        if let lines {
            #expect(
                outcome.error.split(separator: "\n").count == lines, "\(context): \(outcome.error.debugDescription)")
        }
    }

    @Test("a path with control characters is escaped in every error")
    func errors() async throws {
        try sandbox.write("file", to: "f")
        for arguments in [
            ["get", name, "k"], ["verify", name], ["inspect", name], ["log", name], ["repair", name], ["stats", name],
            ["load", "t", name, "--format", "pairs"], ["put", "t", "k", "--file", name],
            ["put", "f/" + name, "k", "v", "--create"],
            ["bench", name], ["inspect", "f", "--html", name + "/x"], ["frobnicate" + name],
            ["get", "t", "k", "--" + name],
            ["export", name], ["compact", name], ["delete", name, "k"], ["scan", name],
        ] {
            let outcome = try await Tool.run(arguments, in: sandbox)
            #expect(outcome.code != 0)
            expectClean(outcome, lines: 1, "\(arguments)")
        }
    }

    @Test("a path with control characters is escaped in every report")
    func reports() async throws {
        #expect(try await Tool.run(["put", name, name, name, "--create"], in: sandbox).code == 0)
        try sandbox.write("", to: name + "/" + name)
        _ = try await sandbox.shell(
            "cp -r a* copy && mv copy/0000000000000001.log copy/$'x\\e[31m\\xe2\\x80\\xae\\n.log'")
        for arguments in [
            ["verify", name], ["inspect", name], ["log", name, "--values"], ["repair", name], ["stats", name],
            ["scan", name],
            ["compact", name], ["compact", name], ["verify", name, "--json"], ["scan", name, "--json"],
            ["export", name],
            ["inspect", name, "--json"], ["get", name, name, "--json"], ["inspect", name, "--html", name + ".html"],
            ["delete", name, "x" + name], ["repair", name, "--output", "o" + name], ["repair", "copy"],
            ["bench", name, "--seconds", "0.01", "--records", "10"],
        ] {
            expectClean(try await Tool.run(arguments, in: sandbox), "\(arguments)")
        }
    }

    @Test(
        "get escapes on a terminal only",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script"), "needs script(1)"))
    func terminal() async throws {
        let value = "one\ttab\ntwo\u{1B}[31m\u{202E}"
        #expect(try await Tool.run(["put", "s", "k", value, "--create"], in: sandbox).code == 0)
        #expect(try await sandbox.heartwood("get", "s", "k").output == value + "\n")
        let shown = try await sandbox.shell(#"script -qec '"$heartwood" get s k' /dev/null < /dev/null"#)
        #expect(shown.output.contains("one\ttab\r\ntwo\\x1b[31m\\xe2\\x80\\xae"), "\(shown.output.debugDescription)")
    }
}
