// The elements that the encoding has as integers.

extension TupleElement where Self: FixedWidthInteger {
    /// Appends an integer: one byte, and as many as the number needs. The same number has the same bytes, whatever the
    /// type. O(1).
    @inlinable
    public func encode(to encoder: inout TupleEncoder) {
        if Self.isSigned {
            encoder.append(Int64(truncatingIfNeeded: self))
        } else {
            encoder.append(UInt64(truncatingIfNeeded: self))
        }
    }

    /// Reads an integer. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if there is none, or if it is outside the type's range.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) {
        var next = decoder
        let value = Self.isSigned ? Self(exactly: try next.decodeInt64()) : Self(exactly: try next.decodeUInt64())
        guard let value else { throw TupleDecoder.outOfRange("\(Self.self)") }
        decoder = next
        self = value
    }
}

extension Int: TupleElement {}
extension Int8: TupleElement {}
extension Int16: TupleElement {}
extension Int32: TupleElement {}
extension Int64: TupleElement {}
extension UInt: TupleElement {}
extension UInt8: TupleElement {}
extension UInt16: TupleElement {}
extension UInt32: TupleElement {}
extension UInt64: TupleElement {}
