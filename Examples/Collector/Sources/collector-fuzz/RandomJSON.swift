import HeartwoodTesting

/// Random JSON, and damages to it.
enum RandomJSON {
    static func document(_ random: inout SeededRandom) -> [UInt8] {
        var bytes: [UInt8] = []
        value(&bytes, depth: 0, &random)
        return bytes
    }

    private static func value(_ bytes: inout [UInt8], depth: Int, _ random: inout SeededRandom) {
        space(&bytes, &random)
        switch Int.random(in: 0..<(depth < 5 ? 10 : 6), using: &random) {
        case 0: bytes += Array(["true", "false", "null"].randomElement(using: &random)!.utf8)
        case 1, 2: number(&bytes, &random)
        case 3, 4, 5: string(&bytes, &random)
        case 6, 7: list("[", "]", &bytes, &random) { value(&$0, depth: depth + 1, &$1) }
        default:
            list("{", "}", &bytes, &random) { bytes, random in
                space(&bytes, &random)
                string(&bytes, &random)
                space(&bytes, &random)
                bytes.append(UInt8(ascii: ":"))
                value(&bytes, depth: depth + 1, &random)
            }
        }
        space(&bytes, &random)
    }

    private static func list(
        _ open: String, _ close: String, _ bytes: inout [UInt8], _ random: inout SeededRandom,
        _ element: (inout [UInt8], inout SeededRandom) -> Void
    ) {
        bytes += open.utf8
        for index in 0..<Int.random(in: 0...4, using: &random) {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            element(&bytes, &random)
        }
        bytes += close.utf8
    }

    private static func number(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        let whole = Int.random(in: 0...9_999, using: &random)
        let sign = Bool.random(using: &random) ? "-" : ""
        let fraction = Bool.random(using: &random) ? ".\(Int.random(in: 0...999, using: &random))" : ""
        let exponent = Bool.random(using: &random) ? ["e1", "E+2", "e-3"].randomElement(using: &random)! : ""
        bytes += "\(sign)\(whole)\(fraction)\(exponent)".utf8
    }

    private static func string(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        bytes.append(UInt8(ascii: "\""))
        let parts = [
            "a", "type", "é", "€", "𝄞", #"\n"#, #"\""#, #"\\"#, #"\u00e9"#, #"\ud834\udd1e"#, " ", "/", #"\/"#,
        ]
        for _ in 0..<Int.random(in: 0...5, using: &random) { bytes += parts.randomElement(using: &random)!.utf8 }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func space(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        if Int.random(in: 0..<4, using: &random) == 0 {
            bytes.append([0x20, 0x0A, 0x0D, 0x09].randomElement(using: &random)!)
        }
    }

    /// Changes, removes or adds a byte, or cuts the end off.
    static func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard !bytes.isEmpty else { return }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        let other = Array(#"{}[]",:\u0d8e+-.1tfn /"#.utf8 + [0x0A, 0x80, 0xC3, 0xE2, 0xFF]).randomElement(
            using: &random)!
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = other
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(other, at: place)
        default: bytes.removeLast(bytes.count - place)
        }
    }

    /// Where Foundation doesn't judge by the RFC: it guesses the encoding of bytes that aren't UTF-8, accepts a comma
    /// before the end of a list, and refuses numbers that a `Double` can't have.
    static func isJudgedOtherwise(_ bytes: [UInt8]) -> Bool {
        guard let text = String(validating: bytes, as: UTF8.self) else { return true }
        return text.contains(/,\s*[\]}]|[eE][+-]?\d{3}|\d{300}/)
    }
}
