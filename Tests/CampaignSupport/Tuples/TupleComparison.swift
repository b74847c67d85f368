internal import HeartwoodRepository
internal import KeyValueStore

/// Compares the encoding of tuples with that of another implementation, line by line.
///
/// A line has a sign, the tuple as the other implementation encodes it, in hexadecimal, and the elements, separated by
/// spaces. The sign says how the tuple compares with that of the line before: `<`, `=`, `>`, or `-` on the first line.
/// The elements are:
///
///     n                  nil
///     t f                true, false
///     i-42               an integer
///     d0123456789abcdef  the bits of a Double
///     g01234567          the bits of a Float
///     s6162              a text, as UTF-8
///     b00ff              bytes
///     u0011…             an identifier, 16 bytes
///     ( … )              the elements of a nested tuple
///
/// `d`, `g` and `s` may have two forms with a colon between them: what is encoded, and what it is decoded as.
package struct TupleComparison {
    /// How many lines were compared.
    package private(set) var tuples = 0
    /// How many elements they had, those of nested tuples included.
    package private(set) var elements = 0
    /// How many bytes they were encoded to.
    package private(set) var bytes = 0

    private var previous: [UInt8]?

    package init() {}

    /// Compares one line.
    ///
    /// - Throws: `Violation` where the two differ, and `StoreError` where the bytes can't be read.
    package mutating func check(_ line: String) throws {
        let fields = line.split(separator: " ")
        guard fields.count >= 2, fields[0].utf8.count == 1, let expected = TupleLine.bytes(fields[1]) else {
            throw Violation("not a line of tuples: \(line)")
        }
        var parser = TupleLine(tokens: fields[2...].filter { !$0.isEmpty })
        let values = try parser.values()

        var encoder = TupleEncoder()
        for value in values { encoder.append(value) }
        try expect(encoder.bytes == expected, "encoded as \(TupleLine.hexadecimal(encoder.bytes)): \(line)")

        var (decoder, skipper) = (TupleDecoder(expected), TupleDecoder(expected))
        var decoded: [TupleValue] = []
        var skipped: [UInt8] = []
        while !decoder.isAtEnd {
            decoded.append(try decoder.decode())
            skipped += try skipper.skip()
        }
        let tokens = decoded.flatMap(TupleLine.tokens)
        try expect(
            tokens == parser.decodedTokens && skipped == expected,
            "decoded as \(tokens.joined(separator: " ")): \(line)")

        if let previous {
            let order = KeyOrder.compare(encoder.bytes, previous)
            try expect(
                fields[0] == (order < 0 ? "<" : order > 0 ? ">" : "="),
                "another order after \(TupleLine.hexadecimal(previous)): \(line)")
        }
        previous = encoder.bytes
        tuples += 1
        elements += tokens.count { $0 != ")" }
        bytes += expected.count
    }
}
