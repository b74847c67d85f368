/// Unsigned LEB128: seven bits a byte, the lowest first; the highest bit says that another byte follows.
package enum Varint {
    @inline(__always)
    package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        if value < 0x80 { bytes.append(UInt8(value)) } else { appendLong(value, to: &bytes) }
    }

    @inline(never)
    private static func appendLong(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    package static func read(_ bytes: RawSpan, _ offset: inout Int) throws(StoreError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.byteCount, shift < 63 {
            let byte = bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw .notARecord
    }
}

extension StoreError {
    static let notARecord = StoreError(
        .corruption,
        "a value is not a record of a repository: another program has written to its key; restore it, or remove the "
            + "key and give the indexes of the repository another revision")
}
