internal import Testing

/// A wrong document must fail, and at the right line.
@Suite("running a document's examples")
struct ConsoleRunTests {
    private func failures(_ text: String) async throws -> [ConsoleRun.Failure] {
        try await ConsoleRun.failures(in: text)
    }

    @Test("a correct document passes: one directory for all, one shell for each block, exit codes, continued lines")
    func right() async throws {
        let found = try await failures(
            #"""
            # Title
            <!-- setup: heartwood put s a 1 --create -->
            ```console
            $ heartwood get s a
            1
            $ heartwood get s b
            heartwood: no key 'b' in s: see the keys with 'heartwood scan --keys'
            $ echo $?
            1
            $ key=a
            ```
            <!-- setup:
            heartwood put s b 2
            heartwood put s c 3 -->
            ```sh
            not run
            ```
            ```console no-run
            $ never run
            by anyone
            ```
            ```console
            $ echo "key is '$key'"
            key is ''
            $ heartwood scan s
            [...]
            $ heartwood scan s \
                --keys --limit 2 |
                cat
            a
            b
            $ printf 'one\ntwo\nthree\n'
            one
            …
            three
            $ test -s cities.jsonl.gz && printf 'no line end'
            no line end
            ```
            """#)
        #expect(found.isEmpty, "\(found)")
    }

    @Test("a wrong line is shown with the right one, and the rest still runs")
    func wrong() async throws {
        let found = try await failures(
            """
            ```console
            $ printf 'one\\ntwo\\nthree\\n'
            one
            2
            three
            $ echo right
            right
            $ echo more than nothing
            $ true
            more than nothing
            ```
            """)
        #expect(found.map(\.line) == [2, 8, 9])
        #expect(found.first?.text == "$ printf 'one\\ntwo\\nthree\\n'\n  - 2: 2\n  + 2: two")
        #expect(found.last?.text == "$ true\n  - 1: more than nothing")
    }

    @Test("a wrong number, a wrong exit code, and a failing set-up fail")
    func numbers() async throws {
        let found = try await failures(
            """
            <!-- setup: false -->
            ```console
            $ echo 'compacted 34,006 keys in 0.17 s'
            compacted 34,007 keys in 0.18 s
            $ false
            $ echo $?
            0
            ```
            """)
        #expect(found.map(\.line) == [1, 3, 6])
    }

    @Test("after the end of the shell every command fails", arguments: ["exit 3", "kill -9 $$", "if"])
    func ended(command: String) async throws {
        let found = try await failures("```console\n$ echo 1\n1\n$ \(command)\n$ echo 2\n2\n```\n")
        #expect(found.last?.line == 5)
        #expect(found.last?.text.contains("was not run") == true)
    }

    @Test("a document without examples fails, and malformed ones are refused")
    func malformed() async throws {
        #expect(try await failures("# Nothing\n").count == 1)
        for text in [
            "```console\n$ true\n", "```console\noutput first\n```\n", "```console\n```\n", "<!-- setup: true\n",
            "```console norun\n$ true\n```\n", "- item\n\n  ```console\n  $ true\n  ```\n",
        ] {
            await #expect(throws: ConsoleDocument.Problem.self, "\(text)") { try await failures(text) }
        }
    }

    @Test(
        "masks cover what differs from run to run",
        arguments: [
            ("loaded 3 records in 0.42 s: 108,069 records/s", "loaded 3 records in <time>: <rate> records/s"),
            ("loaded 3 records in 1:03:05: 9 records/s", "loaded 3 records in <time>: <rate> records/s"),
            ("40.2 KiB verified in 1.10 s (33.0 KiB/s)", "40.2 KiB verified in <time>"),
            (#"{"seconds":0.004,"recordsPerSecond":269}"#, #"{"seconds":<time>,"recordsPerSecond":<rate>}"#),
            (#"{"time":1795332937447,"expires":1795240991680}"#, #"{"time":<date>,"expires":<date>}"#),
            ("up to number 3, made 2026-03-01 12:00:00 UTC", "up to number 3, made <date> UTC"),
            ("1.log  2  2026-03-01 23:59:59 to 00:00:00  at 8,240", "1.log  2  <date>at 8,240"),
            ("written (UTC)                    continues", "written (UTC)continues"),
            ("in use by process 4711:", "in use by process <pid>:"),
            ("index 1.1 MiB of memory", "index <memory> of memory"),
            (#"{"segments":1,"indexBytes":1134592}"#, #"{"segments":1,"indexBytes":<memory>}"#),
        ])
    func masks(line: String, masked: String) {
        #expect(ConsoleMasks.mask(line) == masked)
    }

    @Test(
        "masks leave everything else",
        arguments: [
            "14.4 MiB in 2 segments", "7.2 MiB live, 7.2 MiB dead; 2.00 bytes for each live one",
            #"{"keys":34006,"bytes":8111808,"sequence":68012}"#, "loaded 34,006 records (6.0 MiB)",
            "cities/00000000000109ac.snapshot", "line 3: expected a value at byte 7",
        ])
    func unmasked(line: String) {
        #expect(ConsoleMasks.mask(line) == line)
    }
}
