internal import Foundation
internal import Testing

@testable internal import heartwood_tool

@Suite("load: input, order, acknowledgement")
struct LoadTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func numbered(_ range: Range<Int>) -> String {
        range.map { "{\"id\":\($0),\"text\":\"record number \($0)\"}\n" }.joined()
    }

    private func load(_ store: String, _ bytes: [UInt8], _ options: String...) async throws -> Tool.Outcome {
        try await Tool.run(
            ["load", store, "-", "--format", "jsonl", "--key", "id"] + options, input: bytes, in: sandbox)
    }

    @Test(
        "every way of loading gives the same store",
        arguments: [
            [], ["--batch", "7"], ["--batch", "1000000"], ["--concurrency", "1"], ["--concurrency", "1000"],
            ["--durability", "written"], ["--durability", "buffered"],
            ["--durability", "buffered", "--batch", "100", "--concurrency", "16"],
        ])
    func ways(options: [String]) async throws {
        let outcome = try await Tool.run(
            ["load", "s", "-", "--format", "jsonl", "--key", "id", "--json"] + options,
            input: Array(numbered(0..<3000).utf8), in: sandbox)
        #expect(outcome.code == 0)
        #expect(outcome.output.hasPrefix(#"{"records":3000,"#))
        let scan = try await sandbox.heartwood("scan", "s")
        let expected = (0..<3000).map { "\($0)\t{\"id\":\($0),\"text\":\"record number \($0)\"}" }.sorted()
        #expect(scan.lines.sorted() == expected)
    }

    @Test("if a key occurs twice, the later line wins", arguments: [["--batch", "1"], ["--batch", "10"]])
    func order(options: [String]) async throws {
        // Few keys and many writers: without an order, some would overtake each other.
        let lines = (0..<20_000).map { "{\"id\":\($0 % 7),\"n\":\($0)}\n" }.joined()
        let outcome = try await Tool.run(
            ["load", "s", "-", "--format", "jsonl", "--key", "id", "--durability", "written"] + options,
            input: Array(lines.utf8), in: sandbox)
        #expect(outcome.code == 0)
        let expected = (0..<7).map { key in
            let last = (19_993..<20_000).first { $0 % 7 == key }!
            return "\(key)\t{\"id\":\(key),\"n\":\(last)}"
        }
        #expect(try await sandbox.heartwood("scan", "s").lines == expected)
    }

    @Test("with --concurrency 1 the writes have the order of the input")
    func inputOrder() async throws {
        // Repeated keys: a later record of a key waits for the earlier one, and must not be overtaken meanwhile.
        let keys = (0..<300).map { String($0 * $0 % 11) }
        let lines = keys.map { "{\"id\":\"\($0)\"}\n" }.joined()
        #expect(try await load("s", Array(lines.utf8), "--concurrency", "1", "--durability", "buffered").code == 0)
        let records = try await sandbox.heartwood("log", "s", "--json").objects()
        #expect(records.map { $0["key"] as? String } == keys)
        #expect(records.map { $0["sequence"] as? Int } == Array(1...300))
    }

    @Test("gzip is recognised, in one member or many, with padding after them")
    func gzip() async throws {
        let first = try await sandbox.gzip(numbered(0..<5000))
        let second = try await sandbox.gzip(numbered(5000..<9000))
        let outcome = try await load("s", first + second + [0, 0, 0, 0], "--json", "--batch", "100")
        #expect(outcome.code == 0)
        #expect(outcome.output.hasPrefix(#"{"records":9000,"#))
        #expect(try await sandbox.heartwood("scan", "s", "--keys").lines.count == 9000)
    }

    @Test("a member may end in the middle of a line")
    func gzipSplitLine() async throws {
        let first = try await sandbox.gzip("{\"id\":1}\n{\"id\"")
        let second = try await sandbox.gzip(":2}\n")
        #expect(try await load("s", first + second).code == 0)
        #expect(try await sandbox.heartwood("scan", "s", "--keys").lines == ["1", "2"])
    }

    @Test("gzip with much output from little input")
    func gzipRatio() async throws {
        let long = "{\"id\":1,\"x\":\"" + String(repeating: "a", count: 3_000_000) + "\"}"
        #expect(try await load("s", try await sandbox.gzip(long)).code == 0)
        #expect(try await sandbox.heartwood("get", "s", "1").output == long + "\n")
    }

    @Test("damaged gzip is bad data; the lines before it are loaded")
    func damagedGzip() async throws {
        let whole = try await sandbox.gzip(numbered(0..<50_000))
        let cut = try await load("cut", Array(whole.dropLast(20_000)), "--batch", "100")
        #expect(cut.code == 65)
        #expect(cut.error.contains("ends too early (at byte \(Numbers.grouped(whole.count - 20_000)))"))
        #expect(try await sandbox.heartwood("scan", "cut", "--keys").lines.count > 1000)

        // The last eight bytes are checksum and length.
        var flipped = whole
        flipped[whole.count - 6] ^= 1
        let damaged = try await load("damaged", flipped, "--batch", "100")
        #expect(damaged.code == 65)
        #expect(damaged.error.contains("the gzip stream is damaged"))

        let garbage = try await load("garbage", whole + [0, 0, 7], "--batch", "100")
        #expect(garbage.code == 65)
        #expect(garbage.error.contains("after the end (at byte \(Numbers.grouped(whole.count + 2)))"))
        #expect(try await sandbox.heartwood("scan", "garbage", "--keys").lines.count == 50_000)
    }

    @Test("--acknowledge prints every key, and the summary goes to standard error")
    func acknowledge() async throws {
        let outcome = try await load("s", Array(numbered(0..<500).utf8), "--acknowledge")
        #expect(outcome.code == 0)
        #expect(outcome.lines.sorted() == (0..<500).map(String.init).sorted())
        #expect(outcome.error.hasPrefix("loaded 500 records"))
    }

    @Test("keys are acknowledged while the input continues, and escaped")
    func acknowledgeAtOnce() async throws {
        let tool = try sandbox.holder()
        for number in 0..<5 {
            try tool.write("{\"id\":\"key\\t\(number)\"}\n")
            #expect(await tool.nextLine() == "key\\t\(number)")
        }
        #expect(await tool.end() == 0)
    }

    @Test("what was acknowledged survives SIGKILL", arguments: ["synced", "written"])
    func killed(durability: String) async throws {
        let tool = try sandbox.holder("--durability", durability)
        try tool.write(numbered(0..<1000))
        var acknowledged: Set<String> = []
        while acknowledged.count < 500, let key = await tool.nextLine() { acknowledged.insert(key) }
        tool.kill()
        while let key = await tool.nextLine() { acknowledged.insert(key) }
        #expect(await tool.end() == -9)
        let found = try await sandbox.heartwood("scan", "s")
        #expect(found.code == 0)
        let entries = Set(found.lines)
        for key in acknowledged {
            #expect(entries.contains("\(key)\t{\"id\":\(key),\"text\":\"record number \(key)\"}"))
        }
    }

    @Test("SIGINT finishes what was read, and ends with 130")
    func interrupted() async throws {
        let tool = try sandbox.holder()
        try tool.write("{\"id\":1}\n{\"id\":2}\n{\"id\":")
        _ = await tool.nextLine()
        _ = await tool.nextLine()
        tool.interrupt()
        #expect(await tool.nextLine() == nil)
        #expect(await tool.end() == 130)
        #expect(try await sandbox.heartwood("scan", "s", "--keys").lines == ["1", "2"])
        #expect(try await sandbox.heartwood("stats", "s", "--json").output.contains(#""tail":"closed""#))
    }

    @Test("without a reader of the acknowledgements the load stops and says so")
    func acknowledgementsUnread() async throws {
        try sandbox.write(numbered(0..<50_000), to: "input")
        let outcome = try await sandbox.shell(
            #""$heartwood" load s input --format jsonl --key id --acknowledge | head -n 3; echo "${PIPESTATUS[0]}""#)
        #expect(outcome.lines.count == 4)
        #expect(outcome.lines.last == "74")
        #expect(outcome.error.contains("the acknowledgements are no longer read"))
    }
}

@Suite("load: a store that is removed meanwhile")
struct RemovedStoreTests {
    @Test("what is written to deleted files is not acknowledged, and the exit code is 74")
    func removed() async throws {
        let sandbox = try Sandbox()
        let tool = try RunningTool("load", "s", "-", "--format", "pairs", "--batch", "10", in: sandbox)
        func write(_ range: Range<Int>) throws {
            try tool.write(range.map { #"{"key":"k\#($0)","value":"v"}"# + "\n" }.joined())
        }
        try write(0..<100)
        // The first segment exists when something is loaded.
        let segment = sandbox.path("s/0000000000000001.log")
        for _ in 0..<30_000 where !FileManager.default.fileExists(atPath: segment) {
            try await Task.sleep(for: .milliseconds(10))
        }
        try FileManager.default.removeItem(at: sandbox.directory.appendingPathComponent("s"))
        // The tool may end before it has read all of it.
        signal(SIGPIPE, SIG_IGN)
        try? write(100..<2_100)
        #expect(await tool.end() == 74)
    }
}
