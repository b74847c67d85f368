public import Foundation

// The other elements that the encoding has a type for, and dates, which are numbers.

extension Bool: TupleElement {
    /// Appends a truth value: one byte. False sorts before true. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) {
        encoder.storage.append(self ? TupleCode.true : TupleCode.false)
    }

    /// Reads a truth value. O(1).
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) {
        let code = try decoder.code()
        guard code == TupleCode.false || code == TupleCode.true else { throw decoder.mismatch(code, "a truth value") }
        decoder.position += 1
        self = code == TupleCode.true
    }
}

extension Float: TupleElement {
    /// Appends a number: five bytes. -0.0 is encoded as 0.0. Every NaN has the same bytes, and sorts after infinity.
    /// O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) {
        let bits = isNaN ? Float.nan.bitPattern : self == 0 ? 0 : bitPattern
        let sign: UInt32 = 1 << 31
        encoder.append(TupleCode.float, UInt64(bits & sign == 0 ? bits | sign : ~bits), count: 4)
    }

    /// Reads a number. O(1).
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) {
        let code = try decoder.code()
        guard code == TupleCode.float else { throw decoder.mismatch(code, "a Float") }
        let bits = UInt32(truncatingIfNeeded: try decoder.bigEndian(at: decoder.position + 1, count: 4))
        decoder.position += 5
        let sign: UInt32 = 1 << 31
        self.init(bitPattern: bits & sign == 0 ? ~bits : bits ^ sign)
    }
}

extension Double: TupleElement {
    /// Appends a number: nine bytes. -0.0 is encoded as 0.0. Every NaN has the same bytes, and sorts after infinity.
    /// A `Double` sorts after every `Float`, and has other bytes. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) {
        let bits = isNaN ? Double.nan.bitPattern : self == 0 ? 0 : bitPattern
        let sign: UInt64 = 1 << 63
        encoder.append(TupleCode.double, bits & sign == 0 ? bits | sign : ~bits, count: 8)
    }

    /// Reads a number. O(1).
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) {
        let code = try decoder.code()
        guard code == TupleCode.double else { throw decoder.mismatch(code, "a Double") }
        let bits = try decoder.bigEndian(at: decoder.position + 1, count: 8)
        decoder.position += 9
        let sign: UInt64 = 1 << 63
        self.init(bitPattern: bits & sign == 0 ? ~bits : bits ^ sign)
    }
}

extension String: TupleElement {
    /// Appends a text: its UTF-8 in Unicode's normal form C, and two bytes; each U+0000 takes two bytes. Texts that are
    /// equal, such as "é" and "e\u{301}", have the same bytes, unless they have scalars that are newer than Unicode
    /// 17.0. Texts sort by their scalars, not by a language's rules. O(bytes), and O(bytes log bytes) if the text has
    /// to be normalised.
    public func encode(to encoder: inout TupleEncoder) {
        encoder.appendStringPrefix(self)
        encoder.storage.append(TupleCode.terminator)
    }

    /// Reads a text. O(bytes).
    public init(from decoder: inout TupleDecoder) throws(StoreError) {
        let (content, end) = try decoder.content(of: TupleCode.string, "text")
        // Three times as fast as `String(validating:as:)`. What isn't UTF-8 is replaced, and so has other bytes.
        var text = String(decoding: content, as: UTF8.self)
        let isValid = content.withUnsafeBytes { content in
            text.withUTF8 { KeyOrder.compare(UnsafeRawBufferPointer($0), content) == 0 }
        }
        guard isValid else { throw TupleDecoder.mismatch("text that isn't UTF-8") }
        decoder.position = end
        self = text
    }
}

extension UUID: TupleElement {
    /// Appends an identifier: 17 bytes. Identifiers sort like their texts. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) {
        encoder.storage.append(TupleCode.uuid)
        withUnsafeBytes(of: uuid) { encoder.storage.append(contentsOf: $0) }
    }

    /// Reads an identifier. O(1).
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) {
        let code = try decoder.code()
        guard code == TupleCode.uuid else { throw decoder.mismatch(code, "a UUID") }
        let high = try decoder.bigEndian(at: decoder.position + 1, count: 8)
        let low = try decoder.bigEndian(at: decoder.position + 9, count: 8)
        decoder.position += 17
        self = withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension Date: TupleElement {
    /// Appends a date: the seconds since 2001, as a `Double`. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { timeIntervalSinceReferenceDate.encode(to: &encoder) }

    /// Reads a date. O(1).
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) {
        self.init(timeIntervalSinceReferenceDate: try Double(from: &decoder))
    }
}

extension Data: TupleElement {
    /// Appends bytes, and two more; each zero takes two bytes. O(bytes).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { withUnsafeBytes { encoder.append(bytes: $0) } }

    /// Reads bytes. O(bytes).
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self.init(try [UInt8](from: &decoder)) }
}

extension Array: TupleElement where Element == UInt8 {
    /// Appends bytes, and two more; each zero takes two bytes. O(bytes).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { withUnsafeBytes { encoder.append(bytes: $0) } }

    /// Reads bytes. O(bytes).
    public init(from decoder: inout TupleDecoder) throws(StoreError) {
        let (content, end) = try decoder.content(of: TupleCode.bytes, "bytes")
        decoder.position = end
        self = Array(content)
    }
}
