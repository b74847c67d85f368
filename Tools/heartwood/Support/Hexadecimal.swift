/// Bytes as hexadecimal digits, two for each byte.
enum Hexadecimal {
    /// Appends the digits of `bytes`, in lower case.
    static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        for byte in bytes {
            text.append(hexadecimalDigit(byte >> 4))
            text.append(hexadecimalDigit(byte & 15))
        }
    }

    /// The bytes that digits of either case stand for; nil if a character is no digit, or if their number is odd.
    static func decode(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map(number)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The number of a digit of either case; nil for another character.
    static func number(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// The hexadecimal digit of a number under 16, in lower case.
func hexadecimalDigit(_ number: UInt8) -> UInt8 {
    number < 10 ? UInt8(ascii: "0") + number : UInt8(ascii: "a") + number - 10
}
