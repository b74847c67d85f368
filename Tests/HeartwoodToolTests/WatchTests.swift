internal import Foundation
internal import Heartwood
internal import Testing

@Suite("watch", .timeLimit(.minutes(5)))
struct WatchTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// Opens the store in this process, so that the tool follows it from outside.
    private func withStore(_ body: (Store) async throws -> Void) async throws {
        var configuration = Store.Configuration()
        configuration.compaction = .manual
        configuration.logRetention = .none
        try await sandbox.withStore("s", configuration, body)
    }

    private func watch(_ options: String...) async throws -> Tool.Outcome {
        try await Tool.run(["watch", "s"] + options, in: sandbox)
    }

    @Test("prints puts and removals as they come, and the position at a signal", arguments: ["durable", "visible"])
    func asTheyCome(level: String) async throws {
        try await withStore { store in
            try await store.put("before", "x")
            // Starts after a mark, because nothing says when a feed from now on has begun.
            let start = String(store.position)
            let following = try RunningTool("watch", "s", "--after", start, "--level", level, in: sandbox)
            try await store.put("a\tb", "line\n")
            #expect(await following.nextLine() == "put\ta\\tb\tline\\n")
            try await store.remove("before")
            #expect(await following.nextLine() == "remove\tbefore")
            try await store.compact()
            try await store.put([0xFF], "1")
            #expect(await following.nextLine() == "put\t\\xff\t1")
            following.interrupt()
            #expect(await following.end() == 130)
            #expect(try following.error().hasSuffix("heartwood: continue with '--after \(store.position)'\n"))
        }
    }

    @Test("without a start it prints what is written after it has begun")
    func fromNow() async throws {
        try await withStore { store in
            try await store.put("before", "x")
            let following = try RunningTool("watch", "s", in: sandbox)
            let writing = Task {
                for number in 0... {
                    try await store.put("after", "\(number)")
                    try await Task.sleep(for: .milliseconds(20))
                }
            }
            let line = try #require(await following.nextLine())
            let first = try #require(line.wholeMatch(of: /put\tafter\t([0-9]+)/).flatMap { Int($0.1) })
            for number in 1...3 { #expect(await following.nextLine() == "put\tafter\t\(first + number)") }
            writing.cancel()
            following.interrupt()
            #expect(await following.end() == 130)
        }
    }

    @Test("JSON has the position, and a batch is one write")
    func json() async throws {
        try await withStore { store in
            try await store.put("old", "1")
            try await store.write { batch in
                batch.put("a", "2", expires: .at(Timestamp(milliseconds: 4_102_444_800_000)))
                batch.put([0xFF], "3")
                batch.remove("old")
            }
            let outcome = try await watch("--from-start", "--limit", "4", "--json")
            #expect(outcome.code == 0)
            let (id, before) = (store.id, ChangePosition(store: store.id, sequence: 1))
            #expect(
                outcome.lines == [
                    #"{"change":"put","key":"old","value":"1","sequence":1,"position":"\#(before)","last":true}"#,
                    #"{"change":"put","key":"a","value":"2","sequence":2,"position":"\#(before)","last":false,"#
                        + #""expires":4102444800000}"#,
                    #"{"change":"put","key64":"/w==","value":"3","sequence":2,"position":"\#(before)","last":false}"#,
                    #"{"change":"remove","key":"old","sequence":2,"position":"\#(id)-2","last":true}"#,
                ])
            // A limit within a batch: the whole batch comes again.
            let cut = try await watch("--after", "\(before)", "--limit", "2", "--hex")
            #expect(cut.output == "put\t61\t32\nput\tff\t33\n")
            #expect(cut.error.hasSuffix("heartwood: continue with '--after \(before)'\n"), "\(cut.error)")
        }
    }

    @Test("only changes of the range")
    func range() async throws {
        try await withStore { store in
            for key in ["a:1", "b:1", "a:2", "b:2", "c:1"] { try await store.put(key, "v") }
            let prefix = try await watch("--from-start", "--prefix", "b:", "--limit", "2")
            #expect(prefix.output == "put\tb:1\tv\nput\tb:2\tv\n")
            let from = try await watch("--from-start", "--from", "b:2", "--limit", "2")
            #expect(from.output == "put\tb:2\tv\nput\tc:1\tv\n")
            #expect(
                try await watch("--snapshot", "--prefix", "61", "--to", "613a32", "--hex", "--limit", "1").output
                    == "put\t613a31\t76\n")
        }
    }

    @Test("--snapshot has every entry, then everything after it, and a compaction removes nothing of it")
    func snapshot() async throws {
        try await withStore { store in
            for key in ["b", "a", "gone"] { try await store.put(key, "1") }
            try await store.remove("gone")
            try await store.compact()
            try await store.put("c", "2")
            let position = store.position
            let following = try RunningTool("watch", "s", "--snapshot", "--json", in: sandbox)
            var present: [String] = []
            for _ in 0..<3 { present.append(try #require(await following.nextLine())) }
            #expect(present[0].contains(#""key":"a","value":"1","sequence":2,"position":null,"last":false"#))
            #expect(present[1].contains(#""key":"b""#) && present[1].contains(#""position":null,"last":false"#))
            #expect(present[2].contains(#""key":"c""#))
            #expect(present[2].contains(#""position":"\#(position)","last":true"#))
            try await store.remove("a")
            #expect(await following.nextLine()?.hasPrefix(#"{"change":"remove","key":"a""#) == true)
            following.interrupt()
            #expect(await following.end() == 130)
            // A position only after the last entry.
            let cut = try await watch("--snapshot", "--limit", "1")
            #expect(cut.output == "put\tb\t1\n" && !cut.error.contains("continue with"))
            let whole = try await watch("--snapshot", "--limit", "2")
            #expect(whole.error.hasSuffix("heartwood: continue with '--after \(store.position)'\n"), "\(whole.error)")
        }
    }

    @Test("continues where it ended, without a gap or a repetition, from process to process")
    func continues() async throws {
        var keys: [String] = []
        var start = ["--from-start"]
        for round in 0..<3 {
            try await withStore { store in
                for number in 0..<5 { try await store.put("\(round).\(number)", "v") }
            }
            let outcome = try await Tool.run(["watch", "s", "--limit", "4", "--json"] + start, in: sandbox)
            let objects = try outcome.objects()
            keys += objects.compactMap { $0["key"] as? String }
            start = ["--after", try #require(objects.last?["position"] as? String)]
            #expect(outcome.error == "heartwood: continue with '--after \(start[1])'\n")
        }
        let written = (0..<3).flatMap { round in (0..<5).map { "\(round).\($0)" } }
        #expect(keys == Array(written.prefix(12)))
    }

    // MARK: - Positions and errors

    @Test("a position whose log is gone, of another store, or of the future is 1 and names the restart")
    func unavailable() async throws {
        try await withStore { store in
            try await store.put("a", "1")
            let old = store.position
            try await store.put("b", "2")
            try await store.compact()
            try await store.put("c", "3")
            let other = "00112233445566778899aabbccddeeff-1"
            for (start, words, restart) in [
                (["--from-start"], "was removed", 2), (["--after", "\(old)"], "was removed", 2),
                (["--after", other], "another store", 3), (["--after", "\(store.id)-99"], "after the newest write", 3),
            ] {
                let position = ChangePosition(store: store.id, sequence: SequenceNumber(restart))
                let text = try await Tool.run(["watch", "s"] + start, in: sandbox)
                #expect(text.code == 1 && text.output.isEmpty, "\(text)")
                #expect(text.error.contains(words) && text.error.contains("'--after \(position)'"), "\(text.error)")
                let json = try await Tool.run(["watch", "s", "--json"] + start, in: sandbox)
                #expect(json.code == 1 && json.error.contains(#""code":"positionUnavailable""#), "\(json.error)")
                #expect(json.error.contains(#""restart":"\#(position)","exitCode":1}"#), "\(json.error)")
                #expect(try await watch("--after", "\(position)", "--snapshot").code == 64)
            }
            #expect(try await watch("--after", "\(store.id)-2", "--limit", "1").output == "put\tc\t3\n")
        }
    }

    @Test("the position of a store that was just opened, which may be after every number in the files, is one")
    func afterOpening() async throws {
        try await withStore { store in
            try await store.put("a", "1")
            try await store.compact()
        }
        try await withStore { store in
            let following = try RunningTool("watch", "s", "--after", "\(store.position)", "--limit", "1", in: sandbox)
            try await Task.sleep(for: .milliseconds(300))
            try await store.put("b", "2")
            #expect(await following.nextLine() == "put\tb\t2")
            #expect(await following.end() == 0)
        }
    }

    @Test("a store without a write is watched from its first write on", arguments: ["--level=visible", "--snapshot"])
    func empty(option: String) async throws {
        try await withStore { store in
            let following = try RunningTool("watch", "s", option, "--limit", "1", in: sandbox)
            try await Task.sleep(for: .milliseconds(300))
            try await store.put("first", "1")
            #expect(await following.nextLine() == "put\tfirst\t1")
            #expect(await following.end() == 0)
        }
    }
}
