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
        ("hostile", SampleResults.hostile()), ("alone", SampleResults.whole(peers: false, runs: 1)),
        ("empty", SampleResults.empty()),
    ]

    private static func sample(_ name: String) throws -> Results {
        try #require(samples.first { $0.name == name }?.results)
    }

    @Test(arguments: samples.map(\.name))
    func dataCannotEndItsScript(_ name: String) throws {
        let results = try Self.sample(name)
        let html = try ResultsPage.html(results)
        #expect(!html.contains("{{") && !html.contains("<!--"))
        #expect(html.split(separator: "</script", omittingEmptySubsequences: false).count == 3)
        let start = try #require(html.range(of: #"<script type="application/json" id="data">"#)?.upperBound)
        let end = try #require(html.range(of: "</script>", range: start..<html.endIndex)?.lowerBound)
        let json = html[start..<end]
        #expect(!json.contains("<"))
        let data = try JSONDecoder().decode(PageData.self, from: Data(json.utf8))
        #expect(try ResultsFile.encode(data.results) == ResultsFile.encode(results))
        #expect(data.standings.map(\.row) == results.rows.map(\.id))
    }

    @Test func thePageAsksForNothingFromOutside() throws {
        let html = try ResultsPage.html(SampleResults.whole())
        for word in ["https://", "src=", "url(", "@import", "innerHTML", "fetch("] {
            #expect(!html.contains(word), "\(word)")
        }
        // The name space of SVG.
        #expect(html.split(separator: "http://").count == 2 && html.contains("default-src 'none'"))
    }

    @Test(.enabled(if: DrawnPage.node != nil, "Node.js is not installed"), arguments: samples.map(\.name))
    func theScriptDrawsEveryFigureAsText(_ name: String) throws {
        let results = try Self.sample(name)
        let page = try DrawnPage(ResultsPage.html(results))
        #expect(page.ids.count == Set(page.ids).count, "an id occurs twice")
        #expect(page.targets.subtracting(page.ids).isEmpty, "links lead nowhere")
        #expect(page.addresses.isEmpty && !page.ids.contains("injected"))
        for comparison in ComparedResults(results).comparisons where !comparison.entries.isEmpty {
            let row = comparison.row
            let text = try #require(page.texts[Self.anchor(row.id)], "\(row.id)")
            #expect(text.contains(PlainText.printable(row.title)) && text.contains(PlainText.printable(row.id)))
            for entry in comparison.entries {
                #expect(text.contains(PlainText.printable(entry.engine.title)), "\(row.id), \(entry.engine.id)")
                guard row.measure == .damage else {
                    #expect(text.contains(FigureText.text(entry.figures.median, of: row)), "\(row.id)")
                    continue
                }
                let damage = try #require(DamageResult.sum(entry.runs))
                for count in [damage.refused, damage.lost, damage.changes] {
                    #expect(text.contains(Numbers.grouped(count)), "\(row.id), \(entry.engine.id)")
                }
            }
        }
        for cell in results.cells {
            guard let failure = cell.failure else { continue }
            #expect(page.texts["missing"]?.contains(PlainText.printable(failure)) == true)
        }
        for engine in results.engines {
            let section = engine.missing == nil ? "settings" : "missing"
            #expect(page.texts[section]?.contains(PlainText.printable(engine.title)) == true, "\(engine.id)")
        }
        let standings = ComparedResults(results).standings
        for standing in standings {
            #expect(page.texts["summary"]?.contains(PlainText.printable(standing.words)) == true)
        }
        #expect(page.ids.contains("glance") == !standings.isEmpty)
        #expect(page.ids.contains("missing"))
    }

    private static func anchor(_ row: String) -> String {
        let safe = row.unicodeScalars.map { scalar -> Character in
            scalar.isASCII && (Character(scalar).isLetter || Character(scalar).isNumber || scalar == "-")
                ? Character(scalar) : "_"
        }
        return "row-" + String(safe)
    }

    @Test func titlesOfGroupsAreThoseOfTheTemplate() {
        let template = String(decoding: PackageResources.page_html, as: UTF8.self)
        for (id, title) in GroupText.titles {
            #expect(template.contains("<section id=\"group-\(id)\"><h2>\(title)</h2>"), "\(id)")
        }
    }

    @Test func coloursOfEnginesStandOutFromTheGround() throws {
        let css = String(decoding: PackageResources.page_css, as: UTF8.self)
        let colours = css.matches(of: #/--(c|card): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)/#)
        let card = try #require(colours.first { $0.1 == "card" })
        #expect(colours.count > 10)
        for colour in colours where colour.1 == "c" {
            #expect(Self.contrast(colour.2, card.2) >= 3, "\(colour.2)")
            #expect(Self.contrast(colour.3, card.3) >= 3, "\(colour.3)")
        }
    }

    /// As WCAG defines it.
    private static func contrast(_ first: Substring, _ second: Substring) -> Double {
        let (one, other) = (luminance(first), luminance(second))
        return (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }

    private static func luminance(_ colour: Substring) -> Double {
        let number = Int(colour.dropFirst(), radix: 16) ?? 0
        let parts = [number >> 16 & 255, number >> 8 & 255, number & 255].map { part -> Double in
            let share = Double(part) / 255
            return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    /// Writes the pages of all samples if the environment names a directory: for `check-page`.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["HEARTWOOD_PAGES"] != nil))
    func samplesAreWritten() throws {
        let path = try #require(ProcessInfo.processInfo.environment["HEARTWOOD_PAGES"])
        for (name, results) in Self.samples {
            let file = URL(fileURLWithPath: path).appendingPathComponent("\(name).html")
            try Data(ResultsPage.html(results).utf8).write(to: file)
        }
    }
}

/// What a page has after its script has run: in Node.js, with the DOM of `page-dom.js`.
private final class DrawnPage: NSObject, XMLParserDelegate {
    private(set) var ids: [String] = []
    /// Where links within the page lead.
    private(set) var targets: Set<String> = []
    /// What the page would ask the network for.
    private(set) var addresses: [String] = []
    /// The text of each element that has an id.
    private(set) var texts: [String: String] = [:]
    /// The ids of the elements that are open; nil if one has none.
    private var open: [String?] = []

    /// The path of Node.js.
    static var node: String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { "\($0)/node" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    init(_ html: String) throws {
        super.init()
        let page = NSTemporaryDirectory() + "page-\(UUID().uuidString).html"
        defer { try? FileManager.default.removeItem(atPath: page) }
        try Data(html.utf8).write(to: URL(fileURLWithPath: page))
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("page-dom.js")
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: try #require(Self.node))
        process.arguments = [script.path, page]
        process.standardOutput = output
        try process.run()
        let xml = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let parser = XMLParser(data: xml)
        parser.delegate = self
        try #require(parser.parse(), "\(String(describing: parser.parserError)) in line \(parser.lineNumber)")
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
    ) {
        open.append(attributes["id"])
        if let id = attributes["id"] { ids.append(id) }
        for key in ["href", "src"] {
            guard let target = attributes[key] else { continue }
            if target.hasPrefix("#") { targets.insert(String(target.dropFirst())) } else { addresses.append(target) }
        }
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        for id in open.compactMap(\.self) { texts[id, default: ""] += text }
    }
}
