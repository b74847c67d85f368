/// The first byte of an encoded element: its type. The codes are those of FoundationDB's tuple encoding.
@usableFromInline
package enum TupleCode {
    @usableFromInline package static let null: UInt8 = 0x00
    @usableFromInline package static let bytes: UInt8 = 0x01
    @usableFromInline package static let string: UInt8 = 0x02
    @usableFromInline package static let nested: UInt8 = 0x05
    /// The code of a number is this one plus the number of its bytes, or minus it if the number is negative.
    @usableFromInline package static let zero: UInt8 = 0x14
    /// A number with a byte for its length. Python writes 2^64 - 1 like this, and larger numbers.
    @usableFromInline package static let largeInteger: UInt8 = 0x1D
    @usableFromInline package static let float: UInt8 = 0x20
    @usableFromInline package static let double: UInt8 = 0x21
    @usableFromInline package static let `false`: UInt8 = 0x26
    @usableFromInline package static let `true`: UInt8 = 0x27
    @usableFromInline package static let uuid: UInt8 = 0x30

    /// After a zero: the zero is part of a text or of bytes, or is a nil in a nested tuple.
    @usableFromInline package static let escape: UInt8 = 0xFF
    /// Ends a text, bytes, and a nested tuple.
    @usableFromInline package static let terminator: UInt8 = 0x00
}
