internal import Foundation
internal import Heartwood
internal import Testing

@Suite("a store whose time is ahead of the clock")
struct TimeAheadTests {
    private let sandbox: Sandbox
    private static let year = Duration.seconds(365 * 86_400)

    private struct WrongClock: StoreClock {
        func now() -> Timestamp { SystemClock().now() + TimeAheadTests.year }
    }

    /// A store that was written with a clock that is a year ahead.
    init() async throws {
        sandbox = try Sandbox()
        var configuration = Store.Configuration()
        configuration.clock = WrongClock()
        try await sandbox.withStore("app", configuration) { store in
            try await store.put("session", "open", expires: .after(.seconds(1_800)))
            try await store.put("config", "x")
        }
    }

    private func run(_ arguments: String...) async throws -> [String] {
        let outcome = try await Tool.run(arguments, in: sandbox)
        #expect(outcome.code == 0, "\(outcome.error)")
        return outcome.lines
    }

    @Test("stats and inspect say so") func isShown() async throws {
        #expect(try await run("stats", "app").contains("time        365 days ahead of the clock"))
        #expect(try await run("inspect", "app").contains { $0.hasSuffix("365 days ahead of the clock") })
        for command in ["stats", "inspect"] {
            let json = try await run(command, "app", "--json").joined()
            let seconds = json.firstMatch(of: /"timeAhead":([0-9]+)/).flatMap { Int($0.1) } ?? 0
            #expect((31_530_000...31_536_000).contains(seconds))
        }
        let inUse = try await Store.withStore(at: sandbox.path("app")) { _ in try await run("stats", "app") }
        #expect(inUse.contains { $0.hasPrefix("time") && $0.hasSuffix("365 days ahead of the clock") })
        #expect(try await run("scan", "app", "--expires-within", "1h", "--keys").count == 1)
    }

    @Test("a new store gets the right time, and keys the time that they had left") func isLeft() async throws {
        let lines = try await run("export", "app", "--expires-by-clock")
        try sandbox.write(lines.joined(separator: "\n"), to: "app.pairs")
        _ = try await run("load", "new", "app.pairs", "--format", "pairs")
        #expect(try await run("get", "new", "session") == ["open"])
        #expect(try await !run("stats", "new").contains { $0.hasPrefix("time") })
        let (end, now) = try await Store.withStore(at: sandbox.path("new")) { store in
            (try store.expiry(of: "session")?.timestamp, store.now)
        }
        #expect(try #require(end) > now)
        #expect(try #require(end) < now + .seconds(1_801))
        #expect(try await run("export", "app").joined() != lines.joined())
    }
}
