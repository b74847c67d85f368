internal import Foundation

/// Results as one HTML page: template, styles, script and data are in it. The script draws the tables and charts.
///
/// The policy in the template's head forbids every request.
enum ResultsPage {
    /// - Throws: `EncodingError` if a number is not finite.
    static func html(_ results: Results) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let json = String(decoding: try encoder.encode(PageData(results)), as: UTF8.self)
        // In JSON this character occurs only in strings. Without it, no text can end the script or begin a comment.
        let inert = json.replacing("<", with: "\\u003c")
        return text(PackageResources.page_html).replacing("{{css}}", with: text(PackageResources.page_css))
            .replacing("{{js}}", with: text(PackageResources.page_js)).replacing("{{data}}", with: inert)
    }

    /// A file that is compiled into the tool: see Package.swift.
    private static func text(_ resource: [UInt8]) -> String { String(decoding: resource, as: UTF8.self) }
}

/// What the page's script reads: the results, and the words that the terminal and the documents have too.
struct PageData: Sendable, Codable {
    var results: Results
    var standings: [Line]
    /// The titles of figures by their names.
    var figureTitles: [String: String]

    /// Where Heartwood stands in one row.
    struct Line: Sendable, Codable {
        var row: String
        /// `leads`, `leadsAs`, `behind` or `unknown`.
        var outcome: String
        var words: String
        var isClaim: Bool
    }

    init(_ results: Results) {
        let compared = ComparedResults(results)
        self.results = results
        standings = compared.comparisons.map { comparison in
            let standing = Standing(comparison)
            return Line(
                row: comparison.row.id, outcome: standing.outcome.name, words: standing.words,
                isClaim: ComparedResults.isClaim(comparison.row.id))
        }
        figureTitles = Dictionary(uniqueKeysWithValues: Figure.allCases.map { ($0.rawValue, $0.title) })
    }
}
