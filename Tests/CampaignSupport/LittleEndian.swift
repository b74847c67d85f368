/// A number as eight bytes, the least significant first.
package func littleEndianBytes(of number: UInt64) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
}

/// The number in the first eight bytes; nil if there are fewer.
package func littleEndianNumber(in bytes: [UInt8]) -> UInt64? {
    guard bytes.count >= 8 else { return nil }
    return bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
}
