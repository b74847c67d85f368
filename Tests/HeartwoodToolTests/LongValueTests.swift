internal import Foundation
internal import Heartwood
internal import Testing

@testable internal import heartwood_tool

/// Values that are too long to be held are printed piece by piece, in the same forms as others.
@Suite("long values", .timeLimit(.minutes(5)))
struct LongValueTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// A store with short values around a long one.
    private func make(_ value: [UInt8], compressed: Bool) async throws {
        var configuration = Store.Configuration()
        configuration.compression = compressed ? .zlib(level: 6, threshold: 64) : .off
        try await Store.withStore(at: sandbox.path("s"), configuration: configuration) { store in
            try await store.put("a", "first")
            try await store.put("b", value)
            try await store.put("c", "last")
        }
    }

    private func output(_ arguments: String...) async throws -> Tool.Outcome {
        let outcome = try await Tool.run(arguments, in: sandbox)
        #expect(outcome.code == 0 && outcome.error.isEmpty, "\(arguments): \(outcome.code), \(outcome.error)")
        return outcome
    }

    /// Characters of one to four bytes, control characters, and what a terminal doesn't show as it is, across the ends
    /// of some pieces.
    private static let text: [UInt8] = {
        let odd = Array(String(repeating: "a\\é\n\u{202E}€\"😀\t", count: 10).utf8)
        var text: [UInt8] = []
        for index in 0..<17 { text += [UInt8](repeating: 0x78, count: 1 << 20 - odd.count + index) + odd }
        return text
    }()
    private static let bytes = text + [0xFF, 0xC3]

    @Test("every form gives back every byte", arguments: [(true, true), (false, false)])
    func forms(compressed: Bool, isText: Bool) async throws {
        let value = isText ? Self.text : Self.bytes
        #expect(value.count > LongValue.heldBytes)
        try await make(value, compressed: compressed)
        #expect(try await output("get", "s", "b", "--raw").bytes == value)
        let line = Escaping.text(value)
        #expect(try await output("scan", "s").output == "a\tfirst\nb\t\(line)\nc\tlast\n")
        #expect(try await output("scan", "s", "--reverse", "--limit", "2").output == "c\tlast\nb\t\(line)\n")
        #expect(try await output("get", "s", "b", "a").output == "b\t\(line)\na\tfirst\n")
        let logged = try await output("log", "s", "--values", "--key", "b").output
        #expect(logged.hasSuffix("  b\t\(line)\n"))
        for arguments in [["export", "s"], ["export", "s", "--hex"], ["scan", "s", "--json"]] {
            let lines = try await Tool.run(arguments, in: sandbox).bytes
            #expect(try await sandbox.heartwood("load", "copy", "-", "--format", "pairs", bytes: lines).code == 0)
            #expect(try await output("get", "copy", "b", "--raw").bytes == value, "\(arguments)")
            #expect(try await output("get", "copy", "c").output == "last\n")
            _ = try await sandbox.shell("rm -r copy")
        }
        // A watch and a log in JSON have the same members as 'export'.
        let member = Data(try await output("export", "s", "--prefix", "b").bytes.dropFirst(9).dropLast(2))
        for arguments in [
            ["log", "s", "--values", "--json"], ["watch", "s", "--from-start", "--limit", "3", "--json"],
        ] {
            let lines = try await Tool.run(arguments, in: sandbox).bytes.split(separator: UInt8(ascii: "\n"))
            #expect(lines.count == 3 && Data(lines[1]).range(of: member) != nil, "\(arguments)")
        }
    }

    @Test("a value alone is text, or refused")
    func alone() async throws {
        try await make(Self.text, compressed: true)
        #expect(try await output("get", "s", "b").bytes == Self.text + [UInt8(ascii: "\n")])
        try await make(Self.bytes, compressed: true)
        let refused = try await sandbox.heartwood("get", "s", "b")
        #expect(refused.code == 65 && refused.bytes.isEmpty && refused.error.contains("is not text: use '--raw'"))
    }

    @Test(
        "a small file with a long value takes little memory",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/limits"), "ulimit -v is Linux's"))
    func memory() async throws {
        let count = 96 << 20
        try await make([UInt8](repeating: 0xFF, count: count), compressed: true)
        for (command, bytes) in [
            ("get s b --raw", count), ("log s --values --json", count / 3 * 4), ("scan s --json", count / 3 * 4),
            ("export s", count / 3 * 4),
        ] {
            let outcome = try await sandbox.shell(
                #"ulimit -c 0; ulimit -v 300000; exec timeout -s KILL 200 "$heartwood" \#(command) | wc -c"#)
            let written = Int(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
            #expect((bytes...bytes + 4_096).contains(written), "\(command): \(outcome)")
        }
    }
}
