internal import Foundation
internal import Heartwood
internal import Testing

/// Commands that only read, beside a process that has the store open: this one.
@Suite("reading a store that is in use", .timeLimit(.minutes(5)))
struct ReadingBesideTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func withStore(_ body: (Store) async throws -> Void) async throws {
        var configuration = Store.Configuration()
        configuration.compaction = .manual
        try await sandbox.withStore("s", configuration, body)
    }

    private var notice: String { "heartwood: process \(getpid()) has s open: reading beside it" }

    /// Runs a command beside the store, and returns its output.
    private func beside(_ arguments: String...) async throws -> String {
        let outcome = try await Tool.run(arguments, in: sandbox)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.error.hasPrefix(notice) && outcome.error.filter(\.isNewline).count == 1, "\(outcome.error)")
        return outcome.output
    }

    @Test("every reading command shows what the process has written, before and after a compaction")
    func everyCommand() async throws {
        try await withStore { store in
            for round in 1...2 {
                try await store.put("a", "\(round)")
                try await store.put("b", "x")
                try await store.remove("c")
                #expect(try await beside("get", "s", "a") == "\(round)\n")
                #expect(try await beside("get", "s", "a", "b") == "a\t\(round)\nb\tx\n")
                #expect(try await beside("scan", "s") == "a\t\(round)\nb\tx\n")
                #expect(try await beside("scan", "s", "--keys", "--reverse") == "b\na\n")
                #expect(try await beside("count", "s", "--prefix", "a") == "1\n")
                #expect(try await beside("export", "s", "--limit", "1") == "{\"key\":\"a\",\"value\":\"\(round)\"}\n")
                #expect(try await beside("delete", "s", "--prefix", "b", "--dry-run") == "would delete 1 key\n")
                let stats = try await beside("stats", "s")
                let lines = ["keys        2", "position    \(store.position)"]
                #expect(lines.allSatisfy { stats.contains($0) } && !stats.contains("opened"), "\(stats)")
                #expect(stats.contains("never compacted") == (round == 1), "\(stats)")
                try await store.put("c", "removed soon")
                try await store.compact()
            }
        }
        // The process is the same, and the store is closed.
        let outcome = try await sandbox.heartwood("get", "s", "a")
        #expect(outcome.code == 0 && outcome.error.isEmpty, "\(outcome)")
    }

    @Test("an error comes after the notice, and writing is still refused")
    func errors() async throws {
        try await withStore { store in
            try await store.put("a", "1")
            let missing = try await sandbox.heartwood("get", "s", "none", "--json")
            #expect(missing.code == 1 && missing.error.hasPrefix(notice), "\(missing)")
            #expect(missing.error.contains("\"code\":\"notFound\""))
            #expect(try await sandbox.heartwood("put", "s", "b", "2").code == 75)
        }
    }

    @Test("no reading command changes a file")
    func changesNothing() async throws {
        #expect(try await sandbox.heartwood("put", "s", "a", "1", "--create").code == 0)
        // As after a crash: an opening would begin a new segment, and remove what is temporary.
        _ = try await sandbox.shell("truncate -s -40 s/0000000000000001.log; touch s/spare.log.tmp")
        let state = "ls -a s; stat -c '%n %s %y %z %i' s s/*; cksum s/*"
        let before = try await sandbox.shell(state).output
        for arguments in [
            ["get", "s", "a"], ["scan", "s"], ["count", "s"], ["export", "s"],
            ["delete", "s", "--prefix", "a", "--dry-run"], ["stats", "s", "--watch", "--limit", "1"],
            ["watch", "s", "--snapshot", "--level", "visible", "--limit", "1"],
            ["inspect", "s", "--html", "page.html"], ["verify", "s"], ["log", "s"],
        ] {
            let outcome = try await Tool.run(arguments, in: sandbox)
            let isTorn = ["inspect", "verify", "log"].contains(arguments[0])
            #expect(outcome.code == (isTorn ? 1 : 0) && !outcome.error.contains("process"), "\(arguments): \(outcome)")
            #expect(try await sandbox.shell(state).output == before, "\(arguments)")
        }
    }

    @Test("what is written while a command reads doesn't change what it shows")
    func oneState() async throws {
        try await withStore { store in
            try await store.write { batch in
                for number in 0..<20_000 { batch.put("key/\(number)", String(repeating: "v", count: 20)) }
            }
            // Its output is larger than the pipe, so it waits in the middle.
            let scan = try RunningTool("scan", "s", in: sandbox)
            #expect(await scan.nextLine()?.hasPrefix("key/0\t") == true)
            try await store.write { batch in
                for number in 0..<20_000 { batch.put("key/\(number)", "new") }
            }
            try await store.compact()
            var count = 1
            while let line = await scan.nextLine() {
                count += 1
                if !line.hasSuffix("vvvv") { Issue.record("\(line)") }
            }
            #expect(count == 20_000)
            #expect(await scan.end() == 0)
        }
    }

    // MARK: - stats --watch

    @Test("stats --watch prints a line each interval, with the rate of writes, until a signal")
    func statsWatch() async throws {
        try await withStore { store in
            try await store.put("a", "1")
            let watching = try RunningTool("stats", "s", "--watch", "--json", in: sandbox)
            var line = try object(await watching.nextLine())
            #expect(line["keys"] as? Int == 1 && line["writesPerSecond"] is NSNull && line["snapshot"] is NSNull)
            #expect(line["position"] as? String == String(store.position))
            try await store.put("b", "2")
            try await store.compact()
            var rates: [Double] = []
            // On a busy machine there may be lines before the compaction.
            while line["snapshot"] is NSNull {
                line = try object(await watching.nextLine())
                rates.append(try #require(line["writesPerSecond"] as? Double))
            }
            #expect(line["keys"] as? Int == 2 && line["position"] as? String == String(store.position))
            #expect(rates.contains { $0 > 0 && $0 <= 1 }, "\(rates)")
            watching.interrupt()
            #expect(await watching.end() == 130)
        }
    }

    @Test("stats --watch ends with 0 at its limit")
    func statsWatchLimit() async throws {
        try await withStore { store in
            try await store.put("a", "1")
            let lines = try await beside("stats", "s", "--watch", "--limit", "2").split(separator: "\n")
            let rest = " writes/s  position \(store.position)  snapshot none"
            #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("1 key  ") }, "\(lines)")
            #expect(lines.first?.hasSuffix("  -" + rest) == true && lines.last?.hasSuffix("  0" + rest) == true)
        }
    }

    private func object(_ line: String?) throws -> [String: Any] {
        let line = try #require(line)
        return try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
}
