public import Foundation

// The other elements that the encoding has a type for, and dates, which are numbers.

extension Bool: TupleElement {
    /// Appends a truth value. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(self) }

    /// Reads a truth value. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self = try decoder.decodeBool() }
}

extension Float: TupleElement {
    /// Appends a number. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(self) }

    /// Reads a number. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self = try decoder.decodeFloat() }
}

extension Double: TupleElement {
    /// Appends a number. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(self) }

    /// Reads a number. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self = try decoder.decodeDouble() }
}

extension String: TupleElement {
    /// Appends a text. O(bytes).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(self) }

    /// Reads a text. O(bytes).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self = try decoder.decodeString() }
}

extension UUID: TupleElement {
    /// Appends an identifier. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(uuid: self) }

    /// Reads an identifier. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self = try decoder.decodeUUID() }
}

extension Date: TupleElement {
    /// Appends a date: the seconds since 2001, as a `Double`. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(timeIntervalSinceReferenceDate) }

    /// Reads a date. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) {
        self.init(timeIntervalSinceReferenceDate: try decoder.decodeDouble())
    }
}

extension Data: TupleElement {
    /// Appends bytes. O(bytes).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { withUnsafeBytes { encoder.append(bytes: $0) } }

    /// Reads bytes. O(bytes).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there are none.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self.init(try decoder.decodeBytes()) }
}

extension Array: TupleElement where Element == UInt8 {
    /// Appends bytes. O(bytes).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(bytes: self) }

    /// Reads bytes. O(bytes).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there are none.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { self = try decoder.decodeBytes() }
}
