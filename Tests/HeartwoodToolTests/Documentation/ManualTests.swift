internal import Foundation
internal import Testing

@testable internal import heartwood_tool

@Suite("the manual page and the completions")
struct ManualTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func page() async throws -> [String] {
        let outcome = try await sandbox.heartwood("manual")
        #expect(outcome.code == 0 && outcome.error.isEmpty)
        return outcome.lines
    }

    @Test("the page has every command with every option")
    func isComplete() async throws {
        var sections: [String: [String]] = [:]
        var title = ""
        for line in try await page() {
            if line.hasPrefix(".SS ") || line.hasPrefix(".SH ") { title = String(line.dropFirst(4)) }
            // Without the font requests.
            let text = line.replacing(/\\f[BIP]/, with: "").replacing("\\-", with: "-")
            sections[title, default: []].append(text)
        }
        let tool = try CommandInfo.ofTool()
        for command in tool.visibleCommands {
            let name = "heartwood \(command.commandName)"
            #expect(sections["SYNOPSIS"]?.contains { $0.hasPrefix(name + " ") } == true, "\(name)")
            let section = try #require(sections[name], "\(name)")
            for option in command.optionNames {
                #expect(section.contains { $0 == option || $0.hasPrefix(option + " ") }, "\(name) \(option)")
            }
            // The examples, too.
            #expect(section.count { $0.hasPrefix(name + " ") } > 1, "\(name)")
        }
        for title in ["NAME", "DESCRIPTION", "ENVIRONMENT", "FILES", "SEE ALSO"] { #expect(sections[title] != nil) }
        for code in ["0", "1", "2", "64", "77", "130"] {
            #expect(sections["EXIT STATUS"]?.contains(code) == true, "\(code)")
        }
        #expect(sections["heartwood manual"] == nil)
    }

    @Test("the page is ASCII, and no text is taken as a request")
    func isEscaped() async throws {
        let lines = try await page()
        #expect(lines.allSatisfy { $0.allSatisfy(\.isASCII) })
        let requests = Set("TH SH SS PP TP RS RE EX EE PD br nr nh ad".split(separator: " "))
        for line in lines where line.hasPrefix(".") && !line.hasPrefix(".\\\"") {
            #expect(requests.contains(line.dropFirst().prefix { $0 != " " }), "\(line)")
        }
        #expect(!lines.contains { $0.hasPrefix("'") })
    }

    @Test("groff accepts the page without a warning")
    func isAccepted() async throws {
        guard try await sandbox.shell("command -v groff").code == 0 else { return }
        let outcome = try await sandbox.shell(#""$heartwood" manual | groff -man -Tutf8 -ww -z"#)
        #expect(outcome.code == 0 && outcome.error.isEmpty, "\(outcome.error)")
        // Escapes are shown as the text that they stand for.
        let text = try await sandbox.shell(#""$heartwood" manual | groff -man -Tascii -P-cbou"#)
        for words in [
            "put notes temperature -- -4", #"heartwood load notes cities.jsonl --format jsonl \"#,
            #"escaped as \t, \n, \r, \\"#, "--key-template '{country}/{name}/{id}'",
        ] {
            let isThere = text.output.contains(words)
            #expect(isThere, "\(words)")
        }
    }

    @Test("completions have every command and every option", arguments: ["bash", "zsh", "fish"])
    func completions(shell: String) async throws {
        let outcome = try await sandbox.heartwood("--generate-completion-script", shell)
        #expect(outcome.code == 0)
        let tool = try CommandInfo.ofTool()
        for command in tool.visibleCommands {
            #expect(outcome.output.contains(command.commandName))
            for option in command.optionNames { #expect(outcome.output.contains(option.dropFirst(2))) }
        }
        #expect(!outcome.output.contains("manual"))
        if shell == "bash" {
            let check = try await sandbox.shell(#""$heartwood" --generate-completion-script bash | bash -n"#)
            #expect(check.code == 0 && check.error.isEmpty, "\(check.error)")
        }
    }
}

/// The parts of `Tools/install` that need no build; `.ci/run` tests the rest.
@Suite("installing")
struct InstallTests {
    private let sandbox: Sandbox
    private let install = ConsoleRun.root.appendingPathComponent("Tools/install").path

    init() throws { sandbox = try Sandbox() }

    @Test("the help names every file, and a wrong argument is 64")
    func arguments() async throws {
        let help = try await sandbox.shell("'\(install)' --help")
        #expect(help.code == 0 && help.output.contains("share/fish/vendor_completions.d/heartwood.fish"))
        for arguments in ["--bad", "''", "one two"] {
            let outcome = try await sandbox.shell("'\(install)' \(arguments)")
            #expect(outcome.code == 64 && outcome.error.hasPrefix("install: "), "\(outcome.error)")
        }
    }

    @Test("uninstalling removes what was installed, and nothing else")
    func uninstall() async throws {
        let outcome = try await sandbox.shell(
            """
            mkdir -p stage/opt/bin stage/opt/share/man/man1
            touch stage/opt/bin/heartwood stage/opt/bin/other stage/opt/share/man/man1/heartwood.1
            DESTDIR="$PWD/stage" '\(install)' /opt/ --uninstall && find stage -type f
            DESTDIR="$PWD/stage" '\(install)' /opt --uninstall
            """)
        #expect(outcome.code == 0, "\(outcome.error)")
        #expect(outcome.lines.count { $0.hasPrefix("removed ") } == 2)
        #expect(outcome.lines.contains("stage/opt/bin/other") && !outcome.lines.contains("stage/opt/bin/heartwood"))
        #expect(outcome.lines.last?.hasPrefix("nothing of heartwood is installed") == true)
    }
}
