/// What can be said about an element from its bytes.
package enum EncodedElement {
    /// Nil, outside a nested tuple.
    package static let null: [UInt8] = [TupleCode.null]
    /// The `Double` infinity. Of the encoded `Double`s, only NaN sorts after it.
    package static let doubleInfinity = bytes { $0.append(Double.infinity) }
    /// The `Float` infinity. Of the encoded `Float`s, only NaN sorts after it.
    package static let floatInfinity = bytes { $0.append(Float.infinity) }

    /// Whether this is nil, in a nested tuple or not. O(1).
    @inlinable
    package static func isNull(_ encoded: some Collection<UInt8>) -> Bool { encoded.first == TupleCode.null }

    /// Whether this is a `Double` or a `Float` that isn't a number, of either sign. O(1).
    package static func isNaN(_ encoded: some Collection<UInt8>) -> Bool {
        guard encoded.first == TupleCode.double || encoded.first == TupleCode.float else { return false }
        var decoder = TupleDecoder(Array(encoded.prefix(9)))
        if let value = try? Double(from: &decoder) { return value.isNaN }
        return (try? Float(from: &decoder))?.isNaN ?? false
    }

    /// The keys of `prefix` and then a text that begins with `text`, whatever follows. O(bytes).
    ///
    /// What counts are the scalars of the normalised texts: `"e"` isn't the beginning of `"é"`, however that is
    /// written, and `"x"` is the beginning of `"x\u{301}"`.
    package static func stringPrefixRange(_ text: String, after prefix: [UInt8]) -> KeyRange {
        var encoder = TupleEncoder(prefix: prefix)
        encoder.appendStringPrefix(text)
        return .prefix(encoder.bytes)
    }

    /// Two uppercase digits for each byte.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func bytes(_ body: (inout TupleEncoder) -> Void) -> [UInt8] {
        var encoder = TupleEncoder()
        body(&encoder)
        return encoder.bytes
    }
}
