/// The identity of a store: 16 random bytes, the same in each of its files.
public struct StoreID: Sendable, Hashable, CustomStringConvertible {
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
}

/// Sixteen hexadecimal digits.
package func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}
