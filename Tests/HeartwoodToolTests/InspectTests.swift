internal import Foundation
internal import Testing

@Suite("inspect")
struct InspectTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// Loads some records: a segment for each time.
    private func fill(_ count: Int = 100, times: Int = 1, into store: String = "s") async throws {
        for time in 0..<times {
            let pairs = (0..<count).map { ("key-\($0)", "the value of record \($0), round \(time)") }
            try await sandbox.load(pairs, into: store, batch: 20)
        }
    }

    private func path(_ name: String) -> URL { sandbox.directory.appendingPathComponent(name) }

    /// Truncates the newest log within its last commit.
    private func tear(_ store: String = "s") throws {
        let handle = try FileHandle(
            forUpdating: path(store + "/" + (try #require(sandbox.names(in: store, ".log").last))))
        let size = try handle.seekToEnd()
        // Removes the closing sync mark, the gap before it, and some bytes of the last commit that are not zero.
        try handle.seek(toOffset: 0)
        let bytes = [UInt8](try #require(try handle.readToEnd()))
        let content = try #require(bytes[..<(Int(size) - 48)].lastIndex { $0 != 0 })
        try handle.truncate(atOffset: UInt64(content - 20))
        try handle.close()
    }

    // MARK: - Text

    @Test("a clean store: state, files, figures, and nothing to do")
    func clean() async throws {
        try await fill(times: 2)
        let outcome = try await sandbox.heartwood("inspect", "s")
        #expect(outcome.code == 0, "\(outcome.error)")
        #expect(outcome.error.isEmpty)
        for words in [
            "state       clean, closed in order", "opening     would succeed", "keys        100, of 200 records",
            "Files\n", "Chain\n", "closed at ", "Bytes of all files\n", "put  200  100.0 %", "by 'heartwood compact'",
        ] {
            #expect(outcome.output.contains(words), "\(words) in \(outcome.output)")
        }
        #expect(!outcome.output.contains("Findings") && !outcome.output.contains("What to do"))
        #expect(!outcome.output.contains("\u{1B}"))
        #expect(outcome.lines.allSatisfy { $0.count <= 120 })
    }

    @Test("a torn tail is 1, and loses nothing that was synced")
    func torn() async throws {
        try await fill()
        try tear()
        let outcome = try await sandbox.heartwood("inspect", "s")
        #expect(outcome.code == 1)
        #expect(outcome.output.contains("state       torn by a crash"))
        #expect(outcome.output.contains("opening     would succeed"))
        #expect(outcome.output.contains("  torn  00000"))
        #expect(outcome.output.contains("What to do"))
        #expect(outcome.error.isEmpty)
        #expect(try await sandbox.heartwood("stats", "s").code == 0)
    }

    @Test("damage is 2, with location, cause, lost numbers, and what to do")
    func corrupt() async throws {
        try await fill(times: 2)
        try sandbox.damage("the value of record 50, round 0", in: "s")
        let outcome = try await sandbox.heartwood("inspect", "s")
        #expect(outcome.code == 2)
        #expect(outcome.output.contains("state       corrupt"))
        #expect(outcome.output.contains("opening     would be refused: the log is damaged"))
        #expect(outcome.output.contains("  corrupt  0000000000000001.log at "))
        #expect(outcome.output.contains("the checksum does not match"))
        #expect(outcome.output.contains("is lost"))
        #expect(outcome.output.contains("Copy it first"))
        #expect(try await sandbox.heartwood("stats", "s").code == 2)
    }

    @Test("a single file is judged without its neighbours")
    func singleFile() async throws {
        try await fill(times: 3)
        _ = try await sandbox.heartwood("compact", "s")
        try await fill()
        for name in try sandbox.names(in: "s", ".log") + sandbox.names(in: "s", ".snapshot") {
            let outcome = try await sandbox.heartwood("inspect", "s/\(name)")
            #expect(outcome.code == 0, "\(outcome.output)")
            #expect(outcome.lines.first?.split(separator: " ") == ["file", "s/\(name)"])
            #expect(!outcome.output.contains("opening "))
        }
    }

    @Test("a path without a store is 73")
    func nothing() async throws {
        try FileManager.default.createDirectory(at: path("empty"), withIntermediateDirectories: false)
        try sandbox.write("hello", to: "text")
        for name in ["nowhere", "empty", "text"] {
            let outcome = try await sandbox.heartwood("inspect", name)
            #expect(outcome.code == 73 && outcome.output.isEmpty, "\(name)")
            #expect(outcome.error.hasPrefix("heartwood: ") && outcome.error.contains(name))
            #expect(outcome.error.filter(\.isNewline).count == 1)
        }
        _ = try await sandbox.heartwood("load", "new", "-", "--format", "pairs")
        let new = try await sandbox.heartwood("inspect", "new")
        #expect(new.code == 0, "\(new.error)")
    }

    @Test("a newer version is 76")
    func newer() async throws {
        try await fill()
        // A newer version in a header with a valid checksum.
        var bytes = [UInt8](try Data(contentsOf: path("s/0000000000000001.log")))
        bytes[8] = 99
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes[..<4092] {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
        }
        crc ^= 0xFFFF_FFFF
        for index in 0..<4 { bytes[4092 + index] = UInt8(truncatingIfNeeded: crc >> UInt32(8 * index)) }
        try Data(bytes).write(to: path("s/0000000000000001.log"))
        let outcome = try await sandbox.heartwood("inspect", "s")
        #expect(outcome.code == 76, "\(outcome.output)")
        #expect(outcome.output.contains("newer version"))
        #expect(try await sandbox.heartwood("inspect", "s/0000000000000001.log").code == 76)
    }

    @Test("while a process has the store open and writes to it")
    func live() async throws {
        let holder = try sandbox.holder()
        for number in 1...20 {
            try holder.write("{\"id\":\(number)}\n")
            #expect(await holder.nextLine() == String(number))
            let found = try await sandbox.json("inspect", "s")
            #expect(found["end"] as? String == "unclosed")
            #expect(found["holder"] as? Int32 == holder.processIdentifier)
            #expect((found["totals"] as? [String: Any])?["keys"] as? Int == number)
        }
        let text = try await sandbox.heartwood("inspect", "s").output
        #expect(text.contains("not closed: in use"))
        #expect(text.contains("names process \(holder.processIdentifier)"))
        #expect(await holder.end() == 0)
    }

    @Test("keys that are not text, or long, stay in their line")
    func hostileKeys() async throws {
        _ = try await sandbox.heartwood("put", "s", "line\nend\u{1B}[31m", "v", "--create")
        _ = try await sandbox.heartwood("put", "s", String(repeating: "k", count: 5_000), "v")
        let outcome = try await sandbox.heartwood("inspect", "s")
        #expect(outcome.output.contains(#"line\nend\x1b[31m"#))
        #expect(outcome.output.contains("kkk…"))
        #expect(!outcome.output.contains("\u{1B}"))
    }
}
