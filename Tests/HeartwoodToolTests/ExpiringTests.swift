internal import Foundation
internal import Testing

@Suite("scan: what expires")
struct ExpiringTests {
    let sandbox: Sandbox
    private let soon: UInt64
    private let late: UInt64 = 4_102_444_800_000

    /// A store of entries that expire in half an hour, in 2100, long ago, and never.
    init() async throws {
        sandbox = try Sandbox()
        soon = UInt64(Date().timeIntervalSince1970 * 1000) + 1_800_000
        let lines = """
            {"key":"a:late","value":"1","expires":\(late)}
            {"key":"a:never","value":"the value"}
            {"key":"a:soon","value":"2","expires":\(soon)}
            {"key":"b:old","value":"3","expires":1000}
            {"key":"b:soon","value":"4","expires":\(soon)}
            """
        #expect(
            try await sandbox.heartwood("load", "s", "-", "--format", "pairs", "--concurrency", "1", input: lines).code
                == 0)
    }

    private func scan(_ options: String...) async throws -> [String] {
        let outcome = try await Tool.run(["scan", "s"] + options, in: sandbox)
        #expect(outcome.code == 0, "\(outcome.error)")
        return outcome.lines
    }

    @Test("--expiring has only entries that expire, with the time")
    func expiring() async throws {
        let lines = try await scan("--expiring")
        #expect(lines.count == 3)
        #expect(lines.first == "a:late\t1\t2100-01-01 00:00:00 UTC")
        #expect(
            try await scan("--expiring", "--keys", "--reverse", "--limit", "2").map { $0.prefix(6) } == [
                "b:soon", "a:soon",
            ])
        #expect(
            try await scan("--expiring", "--json", "--to", "a:m") == [
                #"{"key":"a:late","value":"1","sequence":1,"expires":4102444800000}"#
            ])
    }

    @Test("--expires-within has those that expire before then")
    func expiresWithin() async throws {
        #expect(
            try await scan("--expires-within", "1h", "--keys", "--json") == [
                #"{"key":"a:soon","expires":\#(soon)}"#, #"{"key":"b:soon","expires":\#(soon)}"#,
            ])
        #expect(try await scan("--expires-within", "1h", "--expiring", "--prefix", "b").count == 1)
        #expect(try await scan("--expires-within", "10s").isEmpty)
        // Longer than any lifetime.
        #expect(try await scan("--expires-within", "9223372036854775807d").count == 3)
    }

    @Test("values of other entries are not read")
    func readsNoOtherValue() async throws {
        #expect(try await sandbox.heartwood("compact", "s").code == 0)
        _ = try await sandbox.shell("sed -i 's/the value/thE value/' s/*.snapshot")
        #expect(try await scan("--expiring").count == 3)
        #expect(try await sandbox.heartwood("scan", "s").code == 2)
    }
}
