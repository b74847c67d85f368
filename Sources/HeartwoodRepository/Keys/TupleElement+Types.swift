public import Foundation

// The other elements that the encoding has a type for, and dates, which are numbers.

extension Bool: TupleElement {
    /// Appends a truth value: one byte. False sorts before true. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(self) }

    /// Reads a truth value. O(1).
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self = try decoder.decodeBool() }
}

extension Float: TupleElement {
    /// Appends a number: five bytes. -0.0 is encoded as 0.0. Every NaN has the same bytes, and sorts after infinity.
    /// O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(self) }

    /// Reads a number. O(1).
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self = try decoder.decodeFloat() }
}

extension Double: TupleElement {
    /// Appends a number: nine bytes. -0.0 is encoded as 0.0. Every NaN has the same bytes, and sorts after infinity.
    /// A `Double` sorts after every `Float`, and has other bytes. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(self) }

    /// Reads a number. O(1).
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self = try decoder.decodeDouble() }
}

extension String: TupleElement {
    /// Appends a text: its UTF-8 in Unicode's normal form C, and two bytes; each U+0000 takes two bytes. Texts that are
    /// equal, such as "é" and "e\u{301}", have the same bytes, unless they have scalars that are newer than Unicode
    /// 17.0. Texts sort by their scalars, not by a language's rules. O(bytes), and O(bytes log bytes) if the text has
    /// to be normalised.
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(self) }

    /// Reads a text. O(bytes).
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self = try decoder.decodeString() }
}

extension UUID: TupleElement {
    /// Appends an identifier: 17 bytes. Identifiers sort like their texts. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(uuid: self) }

    /// Reads an identifier. O(1).
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self = try decoder.decodeUUID() }
}

extension Date: TupleElement {
    /// Appends a date: the seconds since 2001, as a `Double`. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(timeIntervalSinceReferenceDate) }

    /// Reads a date. O(1).
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) {
        self.init(timeIntervalSinceReferenceDate: try decoder.decodeDouble())
    }
}

extension Data: TupleElement {
    /// Appends bytes, and two more; each zero takes two bytes. O(bytes).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { withUnsafeBytes { encoder.append(bytes: $0) } }

    /// Reads bytes. O(bytes).
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self.init(try decoder.decodeBytes()) }
}

extension Array: TupleElement where Element == UInt8 {
    /// Appends bytes, and two more; each zero takes two bytes. O(bytes).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(bytes: self) }

    /// Reads bytes. O(bytes).
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self = try decoder.decodeBytes() }
}
