import Foundation
import Testing

@testable import heartwood_bench

struct ResultsTableTests {
    @Test(arguments: SampleResults.all.map(\.name))
    func noLineIsWiderThanATerminal(_ name: String) throws {
        let results = try #require(SampleResults.all.first { $0.name == name }?.results)
        let text = ResultsTable(results).text
        for line in text.split(separator: "\n") { #expect(line.count <= ResultsTable.width, "\(line)") }
        #expect(!text.contains("\u{1B}"))
        #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"))
    }

    /// `heartwood-bench page` writes it.
    @Test func thePublishedTableIsThatOfThePublishedResults() throws {
        let table = SampleResults.directory.appendingPathComponent("full.txt")
        #expect(try String(contentsOf: table, encoding: .utf8) == ResultsTable(#require(SampleResults.published)).text)
    }

    @Test func everyRowAndEveryEngineIsShown() {
        let results = SampleResults.whole()
        let lines = ResultsTable(results).text.split(separator: "\n").map(String.init)
        for row in results.rows { #expect(lines.contains { $0.hasPrefix(row.id + " ") }, "\(row.id)") }
        for engine in results.engines { #expect(lines.contains { $0.contains(engine.title) }, "\(engine.title)") }
    }

    @Test func aLineHasMedianSpreadAndRatio() throws {
        var results = SampleResults.whole(peers: true)
        results.rows = results.rows.filter { $0.id == "fillrandom" }
        results.cells = [("heartwood", [100_000, 120_000, 110_000]), ("lmdb", [55_000]), ("leveldb", [220_000])].map {
            engine, rates in
            CellResult(
                row: "fillrandom", engine: engine,
                runs: rates.map { .init(operations: $0, seconds: 1, bytes: 1) })
        }
        let lines = ResultsTable(results).text.split(separator: "\n").map(String.init)
        let line = try #require(lines.first { $0.hasPrefix("fillrandom") })
        for part in ["process death", "110k (100k–120k)", "55.0k 0.50×", "220k 2.00×"] { #expect(line.contains(part)) }
    }

    @Test func colourIsForTerminalsThatSupportIt() {
        func hasColour(_ environment: [String: String], _ isTerminal: Bool) -> Bool {
            Style(environment: environment, isTerminal: isTerminal).isEnabled
        }
        #expect(hasColour(["TERM": "xterm"], true) && hasColour(["TERM": "xterm", "NO_COLOR": ""], true))
        #expect(!hasColour(["TERM": "xterm", "NO_COLOR": "1"], true) && !hasColour(["TERM": "dumb"], true))
        #expect(!hasColour([:], true) && !hasColour(["TERM": "xterm"], false))
        let style = Style(environment: ["TERM": "xterm"], isTerminal: true)
        let coloured = ResultsTable(SampleResults.whole(), style: style).text
        #expect(coloured.contains("\u{1B}[33m"))
        #expect(coloured.replacing(/\u{1B}\[\d+m/, with: "") == ResultsTable(SampleResults.whole()).text)
    }

    @Test func longWordsAreBroken() {
        let lines = ResultsTable.wrapped(String(repeating: "x", count: 300) + " y", first: "name ", indent: 5)
        #expect(lines.allSatisfy { $0.count <= ResultsTable.width } && lines.count == 3)
        #expect(lines.joined().filter { $0 == "x" }.count == 300 && lines.last?.hasSuffix(" y") == true)
    }
}
