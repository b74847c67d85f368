internal import Foundation
internal import Testing

@testable internal import heartwood_tool

@Suite("load: CSV and TSV")
struct TableTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func load(_ text: String, _ options: String...) async throws -> Tool.Outcome {
        try await Tool.run(["load", "s", "-", "--format"] + options, input: Array(text.utf8), in: sandbox)
    }

    private func scan() async throws -> [String] { try await sandbox.heartwood("scan", "s").lines }

    @Test("the value is an object of all columns, in their order, or one column")
    func values() async throws {
        let text = "id,name,note\n7,Ada,\"a \"\"b\"\", c\"\n08,Bob,\n"
        #expect(try await load(text, "csv", "--key", "id").code == 0)
        let object = #"{"id":"7","name":"Ada","note":"a \"b\", c"}"#
        #expect(try await sandbox.heartwood("get", "s", "7").output == object + "\n")
        #expect(try await sandbox.heartwood("get", "s", "08").output == #"{"id":"08","name":"Bob","note":""}"# + "\n")
        #expect(try await load(text, "csv", "--key", "id", "--value", "note").code == 0)
        #expect(try await scan() == ["08\t", #"7\#ta "b", c"#])
        #expect(try await load(text, "csv", "--key-template", "{name}/{id}", "--value", "id").code == 0)
        #expect(try await scan().suffix(2) == ["Ada/7\t7", "Bob/08\t08"])
    }

    @Test("quotes, line ends, a byte order mark, names with dots, and no line end at the end")
    func syntax() async throws {
        let text =
            "\u{FEFF}\"No\n.\",v\r\n1,\"two\r\nlines\"\r\n\r\n2,12\" wide\r\n\"3\",\"\"\r\n"
            + "4,\"\"\"\"\r\n 5 , x \r\n\"6,7\",,"
        let outcome = try await load(text.dropLast() + "", "csv", "--key", "No\n.", "--value", "v", "--json")
        #expect(outcome.code == 0 && outcome.output.hasPrefix(#"{"records":6,"#), "\(outcome)")
        #expect(
            try await scan() == [" 5 \t x ", "1\ttwo\\r\\nlines", "2\t12\" wide", "3\t", "4\t\"", "6,7\t"])
    }

    @Test("TSV is separated by tabs")
    func tabs() async throws {
        let text = "id\ta,b\n1\tx, y\n2\t\"a\tb\"\n\t\n"
        let outcome = try await load(text, "tsv", "--key", "id", "--value", "a,b", "--skip-bad")
        #expect(outcome.code == 0 && outcome.error.contains("line 4: the key is empty"), "\(outcome)")
        #expect(try await scan() == ["1\tx, y", "2\ta\\tb"])
    }

    @Test("--columns names the columns of input without a line that does")
    func columns() async throws {
        let outcome = try await load("1,x\n2,y\n", "csv", "--key", "id", "--columns", #"id,"a,b""#)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(try await scan() == [#"1\#t{"id":"1","a,b":"x"}"#, #"2\#t{"id":"2","a,b":"y"}"#])
    }

    @Test(
        "bad lines are named by the number of their first line",
        arguments: [
            ("3", "1 field for 2 columns"), ("3,4,5", "3 fields for 2 columns"), ("\"3\"x,4", "at byte 4"),
            ("3,\"4", "the quote that begins field 2 has no end"), (",4", "the key is empty"),
            ("\"3\n4\"\"\n", "has no end"),
        ])
    func badLines(line: String, reason: String) async throws {
        let text = "id,\"v\nw\"\n1,\"a\nb\"\n2,x\n\(line)\n"
        let outcome = try await load(text, "csv", "--key", "id")
        #expect(outcome.code == 65 && outcome.error.hasPrefix("heartwood: standard input, line 6: "), "\(outcome)")
        #expect(outcome.error.contains(reason) && outcome.error.contains("--skip-bad"), "\(outcome.error)")
        #expect(try await scan().count == 2)
        let skipping = try await load(text + "5,y\n", "csv", "--key", "id", "--skip-bad")
        #expect(skipping.code == 0 && skipping.output.contains("1 bad line left out"), "\(skipping)")
    }

    @Test(
        "a bad line of names ends the load, whatever is skipped",
        arguments: [
            ("a,a\n1,2\n", "'a' occurs twice"), ("b,c\n1,2\n", "no column 'a': there are b, c"), ("\"a", "no end"),
        ])
    func badNames(text: String, reason: String) async throws {
        let outcome = try await load(text, "csv", "--key", "a", "--skip-bad")
        #expect(
            outcome.code == 65 && outcome.error.contains("line 1: ") && outcome.error.contains(reason), "\(outcome)")
        #expect(outcome.error.contains("'--columns'"))
    }

    @Test("a line that is too long ends where its fields do")
    func tooLong() async throws {
        let long = String(repeating: "x\n", count: 1 << 20)
        let text = "id,v\n1,a\n2,\"\(long)\"\n3,c\n"
        let outcome = try await load(text, "csv", "--key", "id", "--max-line", "1", "--skip-bad")
        #expect(outcome.code == 0 && outcome.error.contains("line 3: the line is longer than"), "\(outcome)")
        #expect(try await scan().count == 2)
    }

    @Test("the pieces in which the input comes don't matter")
    func pieces() throws {
        let text = Array("\u{FEFF}\"a\n\",b\r\n1,\"x\"\"\n\"\"y\"\n\n2,z\"\n\"3\",\"\n\"".utf8)
        func lines(_ pieces: [ArraySlice<UInt8>]) -> [String] {
            var splitter = LineSplitter(maximumLineBytes: 100, separator: UInt8(ascii: ","))
            var lines: [Line] = []
            for piece in pieces { piece.withUnsafeBytes { splitter.split($0, from: 0..<0, into: &lines) } }
            splitter.finish(into: &lines)
            return lines.map { "\($0.number) \(String(decoding: $0.bytes, as: UTF8.self))" }
        }
        let whole = lines([text[...]])
        #expect(whole == ["1 \"a\n\",b", "3 1,\"x\"\"\n\"\"y\"", "6 2,z\"", "7 \"3\",\"\n\""])
        for cut in text.indices { #expect(lines([text[..<cut], text[cut...]]) == whole, "\(cut)") }
        #expect(lines(text.indices.map { text[$0...$0] }) == whole)
    }

    @Test("any table comes back", arguments: [1, 2] as [UInt64], [",", "\t"])
    func any(seed: UInt64, separator: String) async throws {
        var random = SplitMix64(seed: seed)
        let pieces = ["a", "é", "\"", "\"\"", separator, "\n", "\r\n", "\\", " ", "{", "\u{0}", "1"]
        func field() -> String { (0..<random.next() % 6).map { _ in pieces[Int(random.next() % 12)] }.joined() }
        func quoted(_ field: String) -> String { "\"\(field.replacing("\"", with: "\"\""))\"" }
        let names = ["id"] + (1...3).map { "\($0)" + field() }
        var text = names.map(quoted).joined(separator: separator) + "\n"
        var expected: [[String: String]] = []
        for number in 100..<400 {
            let fields = ["\(number)"] + (1...3).map { _ in field() }
            text += fields.map(quoted).joined(separator: separator) + (random.next() % 2 == 0 ? "\n" : "\r\n")
            expected.append(Dictionary(uniqueKeysWithValues: zip(names, fields)))
        }
        let load = try await load(text, separator == "," ? "csv" : "tsv", "--key", "id")
        #expect(load.code == 0, "\(load)")
        let found = try await sandbox.heartwood("scan", "s", "--json").objects()
        let values = try found.map { object in
            if let value = object["valueJSON"] as? [String: String] { return value }
            let text = try #require(object["value"] as? String)
            return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: String])
        }
        #expect(values == expected)
    }
}
