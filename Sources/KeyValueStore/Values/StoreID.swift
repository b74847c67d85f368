/// The identity of a store: 16 random bytes, the same in each of its files.
public struct StoreID: Sendable, Hashable, LosslessStringConvertible {
    /// The first eight bytes, as a little-endian number.
    public let low: UInt64
    /// The last eight bytes, as a little-endian number.
    public let high: UInt64

    /// Creates an identity from two random numbers.
    public init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// 32 hexadecimal digits, in the order of the bytes in the file.
    public var description: String {
        hexadecimal(low.byteSwapped) + hexadecimal(high.byteSwapped)
    }

    /// Parses 32 hexadecimal digits, as the description gives them. Nil for any other text.
    public init?(_ description: String) {
        let digits = description.utf8
        let isDigit = { (byte: UInt8) in
            (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) || (0x41...0x46).contains(byte)
        }
        guard digits.count == 32, digits.allSatisfy(isDigit), let low = UInt64(description.prefix(16), radix: 16),
            let high = UInt64(description.suffix(16), radix: 16)
        else { return nil }
        self.init(low: low.byteSwapped, high: high.byteSwapped)
    }
}

/// Sixteen hexadecimal digits.
package func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
