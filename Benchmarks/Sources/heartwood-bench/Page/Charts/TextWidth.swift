/// How wide a text of a chart is, roughly: Swift can't ask the browser. Rather too wide than too narrow.
enum TextWidth {
    /// In pixels, in letters of that size.
    static func of(_ text: String, size: Double) -> Double { text.reduce(0) { $0 + share($1) } * size }

    /// As much of a text as has room, with an ellipsis where that isn't all.
    static func fitted(_ text: String, size: Double, width: Double) -> String {
        guard of(text, size: size) > width else { return text }
        var (result, rest) = ("", width - of("…", size: size))
        for character in text {
            rest -= share(character) * size
            guard rest >= 0 else { break }
            result.append(character)
        }
        return result + "…"
    }

    /// Of the size of the letters; those of a wide font.
    private static func share(_ character: Character) -> Double {
        switch character {
        case "i", "j", "l", "I", ".", ",", ":", ";", "'", "|", "!", "(", ")", "[", "]", " ", "\u{202F}": 0.4
        case "m", "w", "M", "W", "@", "%", "…", "\u{FFFD}": 1.02
        case _ where character.isASCII: character.isUppercase || "&<>=+".contains(character) ? 0.84 : 0.65
        default: 1.02
        }
    }
}
