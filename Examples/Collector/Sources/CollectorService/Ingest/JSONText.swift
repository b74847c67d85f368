/// Decodes a string that a ``JSONScanner`` has accepted.
enum JSONText {
    /// The UTF-8 of a string, without escapes.
    static func decode(_ text: JSONScanner.Text, in bytes: borrowing Span<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.content.count)
        var position = text.content.lowerBound
        while position < text.content.upperBound {
            guard bytes[position] == UInt8(ascii: "\\") else {
                decoded.append(bytes[position])
                position += 1
                continue
            }
            switch bytes[position + 1] {
            case UInt8(ascii: "u"): append(scalar(bytes, &position), to: &decoded)
            case let escape:
                decoded.append(byte(of: escape))
                position += 2
            }
        }
        return decoded
    }

    private static func byte(of escape: UInt8) -> UInt8 {
        switch escape {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: escape
        }
    }

    private static func scalar(_ bytes: borrowing Span<UInt8>, _ position: inout Int) -> UInt32 {
        let first = unit(bytes, at: position)
        position += 6
        guard first & 0xFC00 == 0xD800 else { return first }
        let second = unit(bytes, at: position)
        position += 6
        return 0x1_0000 + (first & 0x3FF) << 10 + second & 0x3FF
    }

    private static func unit(_ bytes: borrowing Span<UInt8>, at position: Int) -> UInt32 {
        var unit: UInt32 = 0
        for index in (position + 2)..<(position + 6) {
            unit = unit << 4 | UInt32(HexDigits.value(of: bytes[index]) ?? 0)
        }
        return unit
    }

    private static func append(_ value: UInt32, to bytes: inout [UInt8]) {
        guard let scalar = Unicode.Scalar(value) else { return }
        bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    /// Appends a text as a JSON string, with quotes.
    static func append(_ text: some StringProtocol, to buffer: inout [UInt8]) {
        buffer.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): buffer.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0..<0x20:
                buffer.append(contentsOf: "\\u00".utf8)
                buffer.append(contentsOf: [HexDigits.digit(byte >> 4), HexDigits.digit(byte & 0xF)])
            default: buffer.append(byte)
            }
        }
        buffer.append(UInt8(ascii: "\""))
    }
}
