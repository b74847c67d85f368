/// A value that can be a part of an ordered key: of an id or an index.
///
/// Conforming types: integers up to 64 bits, `Bool`, `Float`, `Double`, `String`, `Date`, `UUID`, `Data`, `[UInt8]`,
/// ``KeyTuple``, ``TupleValue``, and optionals of these. An enumeration or another type with a raw value needs no code:
///
/// ```swift
/// enum Status: String, TupleElement { case open, closed }
/// ```
///
/// Write exactly one element for each value: values of several parts are a nested tuple. Equal values must have the
/// same bytes.
///
/// ```swift
/// struct Version: TupleElement {
///     var major, minor: Int
///
///     func encode(to encoder: inout TupleEncoder) {
///         encoder.appendNested { tuple in
///             tuple.append(major)
///             tuple.append(minor)
///         }
///     }
///
///     init(from decoder: inout TupleDecoder) throws(StoreError) {
///         (major, minor) = try decoder.decodeNested { tuple throws(StoreError) in
///             (try tuple.decode(Int.self), try tuple.decode(Int.self))
///         }
///     }
/// }
/// ```
public protocol TupleElement: Sendable {
    /// Appends the value to a key.
    func encode(to encoder: inout TupleEncoder)

    /// Reads a value from a key.
    ///
    /// - Throws: `StoreError` with the code `corruption` if the next element isn't such a value.
    init(from decoder: inout TupleDecoder) throws(StoreError)
}

extension TupleElement where Self: RawRepresentable, RawValue: TupleElement {
    /// Appends the raw value.
    @inlinable
    public func encode(to encoder: inout TupleEncoder) { rawValue.encode(to: &encoder) }

    /// Reads a raw value.
    ///
    /// - Throws: `StoreError` with the code `corruption` if the next element isn't one, or no value has it.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) {
        var next = decoder
        guard let value = Self(rawValue: try RawValue(from: &next)) else {
            throw TupleDecoder.mismatch("a raw value that \(Self.self) doesn't have")
        }
        decoder = next
        self = value
    }
}

extension Optional: TupleElement where Wrapped: TupleElement {
    /// Appends the value, or nil, which sorts before all values: one byte, or two in a nested tuple. The two nils of an
    /// optional of an optional have the same bytes.
    @inlinable
    public func encode(to encoder: inout TupleEncoder) {
        switch self {
        case .none: encoder.appendNil()
        case .some(let value): value.encode(to: &encoder)
        }
    }

    /// Reads a value or nil.
    ///
    /// - Throws: `StoreError` with the code `corruption` if the next element is neither.
    @inlinable
    public init(from decoder: inout TupleDecoder) throws(StoreError) {
        self = decoder.decodeNil() ? nil : try Wrapped(from: &decoder)
    }
}
