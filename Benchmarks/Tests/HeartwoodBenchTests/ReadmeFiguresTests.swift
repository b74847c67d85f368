import Testing

@testable import heartwood_bench

struct ReadmeFiguresTests {
    private static func document(_ names: [String], newline: String = "\n") -> String {
        let blocks = names.flatMap { ["Before \($0).", "<!-- figures: \($0) -->", "| old |", "<!-- /figures -->", ""] }
        return (["# Title", ""] + blocks + ["The end."]).joined(separator: newline)
    }

    private static let names = ["machine", "summary", "behind", "durable", "writing", "reading", "damage", "heartwood"]

    @Test(arguments: ["\n", "\r\n"])
    func figuresAreTakenOnceAndThenUpToDate(_ newline: String) throws {
        let figures = ReadmeFigures(SampleResults.whole())
        let first = try figures.update(Self.document(Self.names, newline: newline))
        #expect(first.names == Self.names && first.outdated == Self.names && !first.isUpToDate)
        let second = try figures.update(first.text)
        #expect(second.text == first.text && second.isUpToDate && second.names == Self.names)
        #expect(!first.text.contains("| old |"))
        for name in Self.names {
            #expect(first.text.contains("Before \(name).\(newline)<!-- figures: \(name) -->\(newline)"))
        }
        #expect(first.text.hasPrefix("# Title") && first.text.hasSuffix("The end."))
    }

    @Test func otherResultsMakeItOutdated() throws {
        let text = try ReadmeFigures(SampleResults.whole()).update(Self.document(["summary"])).text
        var results = SampleResults.whole()
        for index in results.cells.indices where results.cells[index].row == "fillrandom" {
            for run in results.cells[index].runs.indices { results.cells[index].runs[run].seconds *= 2 }
        }
        #expect(try ReadmeFigures(results).update(text).outdated == ["summary"])
    }

    @Test func theSummaryHasWhatTheReadmeShows() throws {
        let text = try ReadmeFigures(SampleResults.whole()).update(Self.document(["summary"])).text
        for row in [
            "fillsync-1`", "fillsync-64`", "fillrandom`", "fillbatch`", "readrandom`", "readseq`", "recovery-default`",
            "space-amplification`",
        ] {
            #expect(text.contains("| `\(row)"), "\(row)")
        }
        #expect(!text.contains("recovery-log"), "the summary has the opening with default settings")
        #expect(!text.contains("ycsb") && !text.contains("-buffered"))
    }

    @Test func theSummaryTellsWhoIsAheadAndLossesFirst() throws {
        let results = SampleResults.whole()
        let text = try ReadmeFigures(results).update(Self.document(["summary"])).text
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let standings = try lines.map { line in
            try #require(ComparedResults(results).standings.first { line.hasPrefix("| `\($0.comparison.row.id)`") })
        }
        for (line, standing) in zip(lines, standings) { #expect(line.hasSuffix("| \(standing.words) |")) }
        let isBehind = standings.map(\.isBehind)
        #expect(isBehind == isBehind.sorted { $0 && !$1 } && isBehind.contains(true) && isBehind.contains(false))
    }

    @Test func whereHeartwoodIsBehindIsListedAndNothingElse() throws {
        let results = SampleResults.whole()
        let text = try ReadmeFigures(results).update(Self.document(["behind"])).text
        var behind = 0
        for standing in ComparedResults(results).standings {
            behind += standing.isBehind ? 1 : 0
            #expect(
                text.contains("| `\(standing.comparison.row.id)`: ") == standing.isBehind,
                "\(standing.comparison.row.id)")
        }
        #expect(behind > 0)
    }

    @Test func aDocumentWithoutMarksIsAsItWas() throws {
        let text = "a\n\n```\n<!-- other -->\n"
        #expect(try ReadmeFigures(SampleResults.empty()).update(text) == .init(text: text))
    }

    @Test func brokenMarksAreErrors() {
        let figures = ReadmeFigures(SampleResults.whole())
        func failure(_ text: String) -> ReadmeFigures.Failure? {
            do throws(ReadmeFigures.Failure) {
                _ = try figures.update(text)
                return nil
            } catch { return error }
        }
        #expect(failure("x\n<!-- figures: summary -->\n") == .withoutEnd("summary", line: 2))
        #expect(
            failure("<!-- figures: summary -->\n<!-- figures: machine -->\n<!-- /figures -->")
                == .withoutEnd("summary", line: 1))
        #expect(failure("\n<!-- /figures -->") == .withoutBeginning(line: 2))
        #expect(failure("<!-- figures: nothing -->\n<!-- /figures -->") == .unknownName("nothing", line: 1))
    }

    @Test func hostileTitlesStayInTheirCells() throws {
        let figures = ReadmeFigures(SampleResults.hostile())
        let text = try figures.update(Self.document(Self.names)).text
        #expect(try figures.update(text).isUpToDate)
        #expect(!text.contains("<b") && !text.contains("\u{1B}"))
        // Only the marks themselves.
        #expect(
            text.split(separator: "<!-- /figures -->", omittingEmptySubsequences: false).count == Self.names.count + 1)
        let table = try figures.update(Self.document(["durable"])).text
        let bars = table.split(separator: "\n").filter { $0.hasPrefix("|") }
            .map { $0.replacing("\\|", with: "").filter { $0 == "|" }.count }
        #expect(bars.count == 8 && Set(bars).count == 1)
    }
}
