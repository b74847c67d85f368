internal import Foundation
internal import Testing

/// The command as a user runs it. Nothing here depends on how fast anything is.
@Suite("bench")
struct BenchTests {
    private static let names = [
        "raw", "fillsync-1", "fillsync-64", "fillsync-1024", "fillrandom-written", "fillbatch", "fillrandom-buffered",
        "readrandom-pread", "readrandom-mapped", "readseq", "recovery",
    ]

    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try FileManager.default.createDirectory(
            atPath: sandbox.path("disk"), withIntermediateDirectories: false)
    }

    private func names() throws -> [String] { try sandbox.names(in: "disk") }

    private func bench(_ options: [String] = []) async throws -> Tool.Outcome {
        try await Tool.run(["bench", "disk", "--seconds", "0.05", "--records", "2000"] + options, in: sandbox)
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test("measures every figure, leaves nothing, and touches no other file", arguments: [false, true])
    func text(isQuiet: Bool) async throws {
        try sandbox.write("mine", to: "disk/file")
        let outcome = try await bench(isQuiet ? ["--quiet"] : [])
        #expect(outcome.code == 0, "\(outcome.error)")
        // Warnings of memory, or of a disk that doesn't sync, are allowed; nothing else without a terminal.
        #expect(outcome.error.split(separator: "\n").allSatisfy { $0.hasPrefix("heartwood: warning: ") }, "\(outcome)")
        #expect(outcome.lines.count == Self.names.count + (isQuiet ? 2 : 3))
        #expect(outcome.lines.first?.contains("values of 100, 2,000 records, 0.05 s a figure") == true)
        #expect(outcome.lines.last?.hasSuffix("everything was read back and compared") == !isQuiet)
        #expect(try names() == ["file"])
        #expect(try await sandbox.shell("cat disk/file").output == "mine")
    }

    @Test(
        "JSON has all figures, each above zero",
        arguments: [["--json"], ["--json", "--quiet", "--value-size", "5000"]])
    func json(options: [String]) async throws {
        let outcome = try await bench(options)
        #expect(outcome.code == 0, "\(outcome.error)")
        let report = try object(outcome.output)
        #expect(report["complete"] as? Bool == true)
        #expect(report["records"] as? Int == 2_000)
        #expect(report["valueBytes"] as? Int == (options.count > 1 ? 5_000 : 100))
        let figures = try #require(report["figures"] as? [[String: Any]])
        #expect(figures.map { $0["name"] as? String } == Self.names)
        for figure in figures {
            let name = try #require(figure["name"] as? String)
            for value in ["perSecond", "count"] {
                #expect(try #require(figure[value] as? Double) > 0, "\(name) \(value)")
            }
            let isTimed = name == "raw" || name.hasPrefix("fillsync")
            #expect((figure["timesRaw"] != nil) == name.hasPrefix("fillsync"), "\(name)")
            guard isTimed else { continue }
            let latency = try #require(figure["latencyNanoseconds"] as? [String: Int], "\(name)")
            let values = ["p50", "p99", "p999", "max"].compactMap { latency[$0] }
            #expect(values.count == 4 && values[0] > 0 && values == values.sorted(), "\(name)")
        }
        #expect(try names().isEmpty)
    }

    @Test("a missing directory is 73")
    func refusals() async throws {
        try sandbox.write("", to: "file")
        for (name, words) in [
            ("nothing", "no such directory"), ("file", "not a directory"), ("file/in", "no such directory"),
        ] {
            let outcome = try await sandbox.heartwood("bench", name)
            #expect(outcome.code == 73, "\(outcome.error)")
            #expect(outcome.error.hasPrefix("heartwood: ") && outcome.error.contains(words))
            #expect(outcome.error.filter(\.isNewline).count == 1)
        }
        #expect(!sandbox.exists("nothing"))
        #expect(try names().isEmpty)
    }

    @Test("too little disk space is 74, and nothing is started")
    func space() async throws {
        let outcome = try await sandbox.heartwood(
            "bench", "disk", "--records", "100000000", "--value-size", "262144", "--seconds", "600")
        #expect(outcome.code == 74, "\(outcome.error)")
        #expect(outcome.error.contains(" of free space") && outcome.error.contains("TiB"))
        #expect(try names().isEmpty)
    }

    @Test("a directory without write permission is 77", .enabled(if: getuid() != 0, "root may do everything"))
    func permission() async throws {
        #expect(try await sandbox.shell("chmod 500 disk").code == 0)
        let outcome = try await bench()
        #expect(outcome.code == 77, "\(outcome.error)")
        #expect(try await sandbox.shell("chmod 700 disk").code == 0)
        #expect(try names().isEmpty)
    }

    @Test("stopped by a signal it prints what it has, ends with 130, and leaves nothing")
    func interrupt() async throws {
        let tool = try RunningTool(
            "bench", "disk", "--seconds", "60", "--records", "2000", "--json", in: sandbox)
        // Wait until it has something to clean up. It can't finish before: each figure takes a minute.
        for _ in 0..<10_000 where try names().isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        tool.interrupt()
        let report = try object(try #require(await tool.nextLine()))
        #expect(report["complete"] as? Bool == false)
        #expect(try #require(report["figures"] as? [Any]).count < 11)
        #expect(await tool.end() == 130)
        #expect(try names().isEmpty)
    }

    @Test("stopped later it prints the figures that were done")
    func terminated() async throws {
        let outcome = try await sandbox.shell(
            #"""
            "$heartwood" bench disk --seconds 2 --records 2000 > out 2> err & tool=$!
            until ls disk/heartwood-bench-*/fillsync >/dev/null 2>&1; do kill -0 $tool || break; sleep 0.02; done
            kill -TERM $tool; wait $tool; echo "code $?"; cat out err; ls -A disk
            """#)
        #expect(outcome.lines.first == "code 143", "\(outcome.output)")
        #expect(outcome.lines.count { $0.hasPrefix("  raw append and sync ") } == 1)
        #expect(
            outcome.lines.contains { $0.wholeMatch(of: /heartwood: stopped: [0-9]+ figures? of 11 measured/) != nil })
        #expect(try names().isEmpty)
    }
}
