/// Makes words from a file of results printable.
enum PlainText {
    /// Replaces each character that moves a cursor, changes the direction of text or is not allowed in XML by U+FFFD,
    /// and ends of lines by spaces.
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

    /// At most that many characters, with an ellipsis if some are left out.
    static func cut(_ words: String, to length: Int) -> String {
        words.count > length ? words.prefix(length - 1) + "…" : words
    }
}
