internal import Foundation
internal import Testing

@Suite("compact, and the figures of stats")
struct CompactTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// Loads some records, `times` over.
    private func fill(_ count: Int, times: Int = 1, bytes: Int = 100) async throws {
        let text = String(repeating: "x", count: bytes)
        for time in 0..<times {
            try await sandbox.load((0..<count).map { ("key-\($0)", text + "\(time)") }, batch: 1_000)
        }
    }

    private func files(_ suffix: String) throws -> [String] { try sandbox.names(in: "s", suffix) }

    @Test("a store that is larger afterwards is reported as such")
    func reportsThatItIsLarger() async throws {
        try await fill(1_000, bytes: 10)
        let outcome = try await sandbox.heartwood("compact", "s")
        let sizes = try await sandbox.json("compact", "s")
        #expect(outcome.code == 0 && sizes["compacted"] as? Bool == false)
        #expect(outcome.output.contains("(larger: "), "\(outcome.output)")
        try await fill(1_000, times: 4)
        #expect(try await !sandbox.heartwood("compact", "s").output.contains("larger"))
    }

    @Test("log names the snapshot of a compacted store")
    func logNamesTheSnapshot() async throws {
        try await fill(10)
        #expect(try await sandbox.heartwood("log", "s").error.isEmpty)
        #expect(try await sandbox.heartwood("compact", "s").code == 0)
        let log = try await sandbox.heartwood("log", "s")
        let snapshot = try #require(try files(".snapshot").first)
        #expect(log.code == 0)
        #expect(log.error.contains("'heartwood log s/\(snapshot)' prints the snapshot"), "\(log.error)")
        let records = try await sandbox.heartwood("log", "s/\(snapshot)")
        #expect(records.output.split(separator: "\n").count == 11 && records.error.isEmpty)
    }

    @Test("overwritten records are removed, the rest is kept, and a second compaction frees nothing")
    func summary() async throws {
        try await fill(1_000, times: 3)
        let export = try await sandbox.heartwood("export", "s")
        let first = try await sandbox.json("compact", "s")
        #expect(try await sandbox.heartwood("export", "s").bytes == export.bytes)
        #expect(first["compacted"] as? Bool == true)
        #expect(first["keys"] as? Int == 1_000)
        let (before, after) = (try #require(first["bytesBefore"] as? Int), try #require(first["bytesAfter"] as? Int))
        #expect(after > 100_000 && after < before / 2)
        let snapshot = try #require(first["snapshot"] as? [String: Any])
        #expect(snapshot["sequence"] as? Int == 3)
        // And the header of the segment after it.
        #expect(try #require(snapshot["bytes"] as? Int) + 4096 == after)
        #expect(try #require(snapshot["file"] as? String).hasPrefix("s/"))
        let second = try await sandbox.json("compact", "s")
        // Only the sync mark of the first one's close was written.
        let (gainless, mark) = (try #require(second["bytesAfter"] as? Int), 48)
        #expect(second["bytesBefore"] as? Int == gainless && (after...after + mark).contains(gainless))
    }

    @Test("the space of deleted keys is freed, down to an empty store")
    func deleted() async throws {
        try await fill(500)
        _ = try await sandbox.shell(#""$heartwood" scan s --keys | xargs "$heartwood" delete s"#)
        let outcome = try await sandbox.json("compact", "s")
        #expect(outcome["keys"] as? Int == 0)
        #expect(try #require(outcome["bytesAfter"] as? Int) < 20_000)
        #expect(try await sandbox.heartwood("put", "s", "again", "v").code == 0)
        #expect(try await sandbox.heartwood("scan", "s").output == "again\tv\n")
    }

    @Test("a store without writes, or without writes since the last compaction, has nothing to compact")
    func empty() async throws {
        #expect(try await sandbox.heartwood("load", "s", "-", "--format", "pairs").code == 0)
        #expect(try await sandbox.heartwood("compact", "s").output == "nothing to compact: s holds nothing yet\n")
        #expect(try await sandbox.json("compact", "s")["snapshot"] is NSNull)
        try await fill(10)
        #expect(try await sandbox.heartwood("compact", "s").output.hasPrefix("compacted 10 keys"))
        #expect(
            try await sandbox.heartwood("compact", "s").output
                == "nothing to compact: s is as the last compaction left it\n")
    }

    @Test("SIGTERM stops it with 143, SIGINT with 130, and nothing is lost", arguments: [SIGTERM, SIGINT])
    func stopped(signal: Int32) async throws {
        try await fill(20_000, times: 2, bytes: 1_000)
        let outcome = try await sandbox.shell(
            #"""
            "$heartwood" compact s & tool=$!
            while [ ! -e s/new.snapshot.tmp ] && kill -0 $tool 2>/dev/null; do :; done
            kill -\#(signal) $tool; wait $tool; echo "code $?"
            """#)
        // A fast machine may have finished before the signal.
        if outcome.lines != ["code 0"], !outcome.output.contains("compacted") {
            #expect(outcome.lines == ["code \(128 + signal)"], "\(outcome.error)")
            #expect(outcome.error.contains("heartwood: stopped: s has lost nothing"))
            #expect(try files(".tmp").allSatisfy { $0.hasPrefix("reserve-") })
        }
        #expect(try await sandbox.heartwood("scan", "s", "--keys").lines.count == 20_000)
        #expect(try await sandbox.heartwood("stats", "s", "--json").output.contains(#""tail":"closed""#))
        #expect(try await sandbox.heartwood("compact", "s").code == 0)
        #expect(try await sandbox.heartwood("get", "s", "key-17").output.hasSuffix("1\n"))
    }

    @Test("--keep-log keeps the log, other commands don't delete it, and the next compaction does")
    func keepLog() async throws {
        try await fill(100, times: 2)
        let logs = try files(".log").filter { $0 != "new.log" }
        #expect(try await sandbox.heartwood("compact", "s", "--keep-log").code == 0)
        #expect(try await sandbox.heartwood("get", "s", "key-1").code == 0)
        #expect(try await sandbox.heartwood("put", "s", "one", "more").code == 0)
        #expect(try await sandbox.heartwood("stats", "s").code == 0)
        #expect(Set(try files(".log")).isSuperset(of: logs))
        #expect(try await sandbox.heartwood("compact", "s").code == 0)
        #expect(Set(try files(".log")).isDisjoint(with: logs))
        #expect(try await sandbox.heartwood("scan", "s", "--keys").lines.count == 101)
    }

    @Test("stats shows the snapshot, dead bytes, and what a compaction would free")
    func stats() async throws {
        try await fill(1_000, times: 3)
        let before = try await sandbox.json("stats", "s")
        #expect(before["snapshot"] is NSNull)
        let live = try #require(before["liveBytes"] as? Int)
        let dead = try #require(before["deadBytes"] as? Int)
        #expect(dead > live)
        let gain = try #require(before["reclaimableBytes"] as? Int)
        #expect(gain > dead / 2 && gain <= dead)
        #expect(try #require(before["spaceAmplification"] as? Double) > 2.5)
        let survey = try await sandbox.json("inspect", "s")
        let inspected = try #require((survey["totals"] as? [String: Any])?["compactionGain"] as? Int)
        let table = try await sandbox.heartwood("stats", "s").lines
        #expect(table.contains { $0.hasPrefix("snapshot ") && $0.hasSuffix("none: it was never compacted") })
        #expect(table.contains { $0.hasPrefix("to gain ") && $0.hasSuffix("'heartwood compact'") })

        let compaction = try await sandbox.json("compact", "s")
        let freed = try #require(compaction["bytesBefore"] as? Int) - #require(compaction["bytesAfter"] as? Int)
        for stated in [gain, inspected] {
            #expect(abs(freed - stated) * 25 < freed, "\(stated) bytes were stated, \(freed) freed")
        }
        let after = try await sandbox.json("stats", "s")
        #expect(after["reclaimableBytes"] as? Int == 0)
        #expect(after["keys"] as? Int == 1_000)
        let snapshot = try #require(after["snapshot"] as? [String: Any])
        #expect(snapshot["keys"] as? Int == 1_000)
        #expect(snapshot["bytes"] as? Int == after["snapshotBytes"] as? Int)
        let year = Calendar(identifier: .gregorian).component(.year, from: Date())
        let compacted = try await sandbox.heartwood("stats", "s").lines
        #expect(
            compacted.contains {
                $0.hasPrefix("snapshot ") && $0.contains(": 1,000 keys up to number 3, made \(year)-")
                    && $0.hasSuffix(" UTC")
            })
        #expect(compacted.contains { $0.hasPrefix("to gain ") && $0.hasSuffix("nothing: all of it is compacted") })
        #expect(compacted.contains { $0.hasPrefix("opened ") && $0.contains("the snapshot's 1,000 keys; 0 records") })
    }

    @Test("stats names a damaged snapshot that wasn't needed")
    func skippedFiles() async throws {
        try await fill(100)
        #expect(try await sandbox.heartwood("compact", "s", "--keep-log").code == 0)
        let before = try await sandbox.json("stats", "s")
        let snapshot = try #require(before["snapshot"] as? [String: Any])
        let file = sandbox.directory.appendingPathComponent(try #require(snapshot["file"] as? String))
        var data = try Data(contentsOf: file)
        // The footer, which every opening reads.
        data[data.count - 10] ^= 1
        try data.write(to: file)
        let outcome = try await sandbox.heartwood("stats", "s")
        #expect(outcome.code == 0, "\(outcome.error)")
        #expect(outcome.lines.contains { $0.hasPrefix("damaged ") && $0.contains("nothing is lost") })
        let figures = try await sandbox.json("stats", "s")
        let opening = try #require(figures["opening"] as? [String: Any])
        #expect((opening["skippedFiles"] as? [String])?.count == 1)
        #expect(try await sandbox.heartwood("compact", "s").code == 0)
        #expect(try !(await sandbox.heartwood("stats", "s")).output.contains("damaged"))
    }
}
