import Foundation
import Testing

@testable import heartwood_bench

#if canImport(FoundationXML)
import FoundationXML
#endif

struct PageTests {
    /// The samples with their names.
    static let samples: [(name: String, results: Results)] = [
        ("whole", SampleResults.whole()), ("interrupted", SampleResults.interrupted()),
        ("hostile", SampleResults.hostile()), ("alone", SampleResults.whole(seed: 5, peers: false, runs: 1)),
        ("empty", SampleResults.empty()),
    ]

    @Test(arguments: samples.map(\.name))
    func itIsWellFormedWithoutAnythingFromOutside(_ name: String) throws {
        let results = try #require(Self.samples.first { $0.name == name }?.results)
        let html = ResultsPage.html(results)
        let reader = PageReader()
        let parser = XMLParser(data: Data(html.utf8))
        parser.delegate = reader
        #expect(parser.parse(), "\(name): \(String(describing: parser.parserError)) in line \(parser.lineNumber)")
        #expect(!reader.ids.contains("injected"))
        #expect(reader.ids.count == Set(reader.ids).count, "an id stands twice")
        #expect(reader.targets.subtracting(reader.ids).isEmpty, "links lead nowhere")
        #expect(reader.addresses.isEmpty)
        #expect(!html.contains("http://") && !html.contains("https://") && !html.contains("url("))
        // A script in a title would be a second one.
        #expect(reader.count["script"] == 1 && reader.count["style"] == 1)
    }

    @Test func everyRowAndEveryEngineIsNamed() throws {
        let results = SampleResults.whole()
        let html = ResultsPage.html(results)
        for row in results.rows {
            #expect(html.contains("id=\"row-\(row.id)\""), "\(row.id)")
            #expect(html.contains("<code>\(row.id)</code> \(row.title)"), "\(row.id)")
        }
        for engine in results.engines { #expect(html.contains(">\(engine.title)<"), "\(engine.title)") }
        for cell in results.cells {
            if let failure = cell.failure { #expect(html.contains(failure)) }
        }
        #expect(html.contains("set HEARTWOOD_GRDB=1"))
    }

    @Test func whatIsNotComparedIsNotDrawnTogether() throws {
        let compared = ComparedResults(SampleResults.whole())
        for group in compared.groups {
            for (promise, comparisons) in group.byPromise {
                #expect(comparisons.allSatisfy { $0.row.promise == promise })
            }
            #expect(group.byPromise.map(\.comparisons.count).reduce(0, +) == group.comparisons.count)
        }
    }

    @Test func titlesAreEscapedOnce() {
        var results = SampleResults.whole(peers: false, runs: 1)
        results.rows[0].title = "a < b & \"c\""
        let html = ResultsPage.html(results)
        #expect(html.contains("a &lt; b &amp; &quot;c&quot;"))
        #expect(!html.contains("&amp;lt;"))
    }

    @Test func markupEscapesWhatIsPutIntoIt() {
        let evil = "<&>\"'\u{1B}\u{202E}\n"
        let inner: Markup = "<i>\(evil)</i>"
        #expect(inner.text == "<i>&lt;&amp;&gt;&quot;&#39;\u{FFFD}\u{FFFD} </i>")
        let outer: Markup = "<b x=\"\(1.5)\" y=\"\(-0.004)\" z=\"\(-2.05)\">\(inner)\([inner, "x"])</b>"
        #expect(outer.text == "<b x=\"1.5\" y=\"0\" z=\"-2.05\">\(inner.text)\(inner.text)x</b>")
    }

    @Test(arguments: [(PageStyle.lightEngines, PageStyle.lightCard), (PageStyle.darkEngines, PageStyle.darkCard)])
    func coloursOfEnginesStandOutFromTheGround(_ colours: [String: String], _ ground: String) {
        #expect(Set(PageStyle.lightEngines.keys) == Set(PageStyle.darkEngines.keys))
        for (engine, colour) in colours {
            #expect(Self.contrast(colour, ground) >= 3, "\(engine) on \(ground)")
        }
    }

    /// As WCAG has it.
    private static func contrast(_ first: String, _ second: String) -> Double {
        let (one, other) = (luminance(first), luminance(second))
        return (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }

    private static func luminance(_ colour: String) -> Double {
        let number = Int(colour.dropFirst(), radix: 16) ?? 0
        let parts = [number >> 16 & 255, number >> 8 & 255, number & 255].map { part -> Double in
            let share = Double(part) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    /// Writes the pages of all samples where the environment names a directory: for `check-page`.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["HEARTWOOD_PAGES"] != nil))
    func samplesAreWritten() throws {
        let path = try #require(ProcessInfo.processInfo.environment["HEARTWOOD_PAGES"])
        for (name, results) in Self.samples {
            let file = URL(fileURLWithPath: path).appendingPathComponent("\(name).html")
            try Data(ResultsPage.html(results).utf8).write(to: file)
        }
    }
}

/// Collects what a page has.
private final class PageReader: NSObject, XMLParserDelegate {
    var ids: [String] = []
    var targets: Set<String> = []
    /// What the page would ask the network for.
    var addresses: [String] = []
    var count: [String: Int] = [:]

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        count[name, default: 0] += 1
        if let id = attributes["id"] { ids.append(id) }
        for key in ["href", "src"] {
            guard let target = attributes[key] else { continue }
            if target.hasPrefix("#") { targets.insert(String(target.dropFirst())) } else { addresses.append(target) }
        }
    }
}
