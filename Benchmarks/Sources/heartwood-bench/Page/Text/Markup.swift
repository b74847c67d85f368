/// Text that is markup: what is written in the sources stands as it is, and what is put into it is escaped.
///
/// Whatever comes from a file of results passes through an interpolation, so that no title can become an element. The
/// page is HTML that is well-formed XML as well.
struct Markup: Sendable, ExpressibleByStringInterpolation {
    private(set) var text: String

    init(stringLiteral text: String) { self.text = text }
    init(stringInterpolation interpolation: Interpolation) { text = interpolation.text }
    /// For what is in the sources but not in a literal: styles and scripts.
    init(verbatim text: String) { self.text = text }

    static let empty: Markup = ""

    static func += (left: inout Markup, right: Markup) { left.text += right.text }

    /// Puts escaped text, and markup as it is, between the parts that stand in the sources.
    struct Interpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + interpolationCount * 16)
        }

        mutating func appendLiteral(_ literal: String) { text += literal }
        mutating func appendInterpolation(_ markup: Markup) { text += markup.text }
        mutating func appendInterpolation(_ parts: [Markup]) { for part in parts { text += part.text } }
        mutating func appendInterpolation(_ number: Int) { text += String(number) }
        /// A coordinate or a percentage, with two digits after the point at most.
        mutating func appendInterpolation(_ coordinate: Double) { text += Markup.coordinate(coordinate) }
        mutating func appendInterpolation(_ words: String) { text += Markup.escaped(words) }
    }

    private static func coordinate(_ value: Double) -> String {
        guard value.isFinite, value.magnitude < 1e9 else { return "0" }
        let hundredths = Int((value * 100).rounded())
        let (whole, part) = (hundredths.magnitude / 100, hundredths.magnitude % 100)
        let sign = hundredths < 0 ? "-" : ""
        if part == 0 { return "\(sign)\(whole)" }
        return part % 10 == 0 ? "\(sign)\(whole).\(part / 10)" : "\(sign)\(whole).\(part < 10 ? "0" : "")\(part)"
    }

    private static func escaped(_ words: String) -> String {
        var result = ""
        for scalar in PlainText.printable(words).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Sequence<Markup> {
    /// All of them, one after the other.
    func joined() -> Markup { reduce(into: Markup.empty) { $0 += $1 } }
}
