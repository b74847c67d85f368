// The elements that the encoding has as integers.

extension TupleElement where Self: FixedWidthInteger {
    /// Reads an integer, and checks its range.
    @inlinable
    @inline(__always)
    init(checked decoder: inout TupleDecoder) throws(StoreError) {
        var next = decoder
        let value = Self.isSigned ? Self(exactly: try next.decodeInt64()) : Self(exactly: try next.decodeUInt64())
        guard let value else { throw TupleDecoder.outOfRange("\(Self.self)") }
        decoder = next
        self = value
    }
}

extension Int: TupleElement {
    /// Appends an integer. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(Int64(self)) }

    /// Reads an integer. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none, or if it is outside the type's range.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { try self.init(checked: &decoder) }
}

extension Int8: TupleElement {
    /// Appends an integer. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(Int64(self)) }

    /// Reads an integer. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none, or if it is outside the type's range.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { try self.init(checked: &decoder) }
}

extension Int16: TupleElement {
    /// Appends an integer. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(Int64(self)) }

    /// Reads an integer. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none, or if it is outside the type's range.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { try self.init(checked: &decoder) }
}

extension Int32: TupleElement {
    /// Appends an integer. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(Int64(self)) }

    /// Reads an integer. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none, or if it is outside the type's range.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { try self.init(checked: &decoder) }
}

extension Int64: TupleElement {
    /// Appends an integer. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(self) }

    /// Reads an integer. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none, or if it is outside the type's range.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { try self.init(checked: &decoder) }
}

extension UInt: TupleElement {
    /// Appends an integer. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(UInt64(self)) }

    /// Reads an integer. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none, or if it is outside the type's range.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { try self.init(checked: &decoder) }
}

extension UInt8: TupleElement {
    /// Appends an integer. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(UInt64(self)) }

    /// Reads an integer. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none, or if it is outside the type's range.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { try self.init(checked: &decoder) }
}

extension UInt16: TupleElement {
    /// Appends an integer. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(UInt64(self)) }

    /// Reads an integer. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none, or if it is outside the type's range.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { try self.init(checked: &decoder) }
}

extension UInt32: TupleElement {
    /// Appends an integer. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(UInt64(self)) }

    /// Reads an integer. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none, or if it is outside the type's range.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { try self.init(checked: &decoder) }
}

extension UInt64: TupleElement {
    /// Appends an integer. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { encoder.append(self) }

    /// Reads an integer. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none, or if it is outside the type's range.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) { try self.init(checked: &decoder) }
}
