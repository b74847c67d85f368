/// Text in roff, in ASCII only, so that it is the same in every locale.
enum Roff {
    /// Text that a user types or a program prints: every character is shown as it is, and can be copied.
    static func code(_ text: String) -> String {
        guarded(text.unicodeScalars.map(escaped).joined())
    }

    static func bold(_ text: String) -> String { "\\fB\(code(text))\\fP" }

    static func italic(_ text: String) -> String { "\\fI\(code(text))\\fP" }

    /// Running text. Quoted text is something that a user types; it becomes bold instead of quoted.
    static func prose(_ text: String) -> String {
        var result = ""
        var rest = Substring(text)
        while let quote = nextQuote(in: rest) {
            result += plain(rest[..<quote.lowerBound])
            result += bold(String(rest[quote].dropFirst().dropLast()))
            rest = rest[quote.upperBound...]
        }
        return guarded(result + plain(rest))
    }

    /// The range from a quote that no letter precedes to the next quote that no letter follows. So an apostrophe is no
    /// quote.
    private static func nextQuote(in text: Substring) -> Range<Substring.Index>? {
        var previous: Character?
        for start in text.indices {
            defer { previous = text[start] }
            guard text[start] == "'", !isWord(previous) else { continue }
            var end = text.index(after: start)
            while end < text.endIndex {
                let next = text.index(after: end)
                if text[end] == "'", !isWord(next < text.endIndex ? text[next] : nil) {
                    return start..<next
                }
                end = next
            }
        }
        return nil
    }

    private static func isWord(_ character: Character?) -> Bool {
        character.map { $0.isLetter || $0.isNumber } ?? false
    }

    /// Hyphens between letters, and apostrophes, are those of prose. All other characters are unchanged.
    private static func plain(_ text: Substring) -> String {
        let scalars = Array(text.unicodeScalars)
        return scalars.enumerated().map { index, scalar in
            let isInWord = index > 0 && scalars[index - 1].properties.isAlphabetic
            return isInWord && (scalar == "-" || scalar == "'") ? String(scalar) : escaped(scalar)
        }.joined()
    }

    /// roff would take a line that begins with a dot or a quote as a request.
    private static func guarded(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\\": "\\(rs"
        case "-": "\\-"
        case "'": "\\(aq"
        case "\"": "\\(dq"
        case "`": "\\(ga"
        case "^": "\\(ha"
        case "~": "\\(ti"
        // Not every device has this character.
        case "…": "..."
        case _ where scalar.isASCII: String(scalar)
        default: "\\[u\(hexadecimal(scalar))]"
        }
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
