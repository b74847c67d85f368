/// Words from a file of results, made fit to be shown.
enum PlainText {
    /// Without what moves a cursor, turns the direction of writing round, or may not stand in XML: each such character
    /// becomes U+FFFD; ends of lines become spaces.
    static func printable(_ words: String) -> String {
        var result = ""
        for scalar in words.unicodeScalars {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: result += " "
            case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFFFE, 0xFFFF:
                result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// At most that many characters, with an ellipsis where some are left out.
    static func cut(_ words: String, to length: Int) -> String {
        words.count > length ? words.prefix(length - 1) + "…" : words
    }
}
