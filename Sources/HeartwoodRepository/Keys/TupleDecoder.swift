/// Reads the elements of a key, one after the other.
///
/// Every sequence of bytes ends in elements or in a thrown error. A call that throws leaves the decoder as it was.
///
/// ```swift
/// var decoder = TupleDecoder(key.dropFirst(prefix.count))
/// let city = try decoder.decode(String.self)
/// let inhabitants = try decoder.decode(Int.self)
/// try decoder.finish()
/// ```
public struct TupleDecoder: Sendable {
    @usableFromInline let bytes: ArraySlice<UInt8>
    /// Where the next element begins: an index of `bytes`, or its end.
    @usableFromInline var position: Int
    /// How many nested tuples the next element is in.
    @usableFromInline var depth = 0

    /// How many nested tuples may be in each other: each one is a call on the stack.
    @usableFromInline static var maximumDepth: Int { 128 }

    /// Reads these bytes. O(1).
    @inlinable
    public init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    /// Reads these bytes. O(1).
    @inlinable
    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Whether no element follows, in the key or in the nested tuple that is being read. O(1).
    @inlinable public var isAtEnd: Bool {
        guard position < bytes.endIndex else { return true }
        return depth > 0 && bytes[position] == TupleCode.terminator && !isEscape(at: position + 1)
    }

    /// The bytes that weren't read yet. O(1).
    package var rest: ArraySlice<UInt8> { bytes[position...] }

    /// Checks that no element follows. O(1).
    ///
    /// - Throws: `StoreError` with the code `corruption` if one does.
    @inlinable
    public func finish() throws(StoreError) {
        guard isAtEnd else { throw Self.mismatch("more elements than expected") }
    }

    /// Reads nil, if the next element is nil, and returns whether it was; otherwise it reads nothing.
    @inlinable
    package mutating func decodeNil() -> Bool {
        guard !isAtEnd, bytes[position] == TupleCode.null else { return false }
        position += depth > 0 ? 2 : 1
        return true
    }

    @inlinable
    package mutating func decodeInt64() throws(StoreError) -> Int64 {
        let (isNegative, bits, end) = try integer()
        let value = Int64(truncatingIfNeeded: bits)
        guard (value < 0) == isNegative else { throw Self.outOfRange("Int64") }
        position = end
        return value
    }

    @inlinable
    package mutating func decodeUInt64() throws(StoreError) -> UInt64 {
        let (isNegative, bits, end) = try integer()
        guard !isNegative else { throw Self.outOfRange("UInt64") }
        position = end
        return bits
    }

    /// Reads a nested tuple. `body` must read all its elements; `isAtEnd` is true after the last one.
    ///
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws; and `StoreError` with the code `corruption` if the next element isn't a tuple, if
    ///   it has more elements or no end, or if it is in 128 other tuples.
    /// - Complexity: O(1), and what `body` takes.
    @inlinable
    public mutating func decodeNested<Result>(
        _ body: (inout TupleDecoder) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let code = try code()
        guard code == TupleCode.nested else { throw mismatch(code, "a tuple") }
        guard depth < Self.maximumDepth else { throw Self.mismatch("more than \(Self.maximumDepth) nested tuples") }
        var inner = self
        inner.position += 1
        inner.depth += 1
        let result = try body(&inner)
        try inner.finish()
        guard inner.position < bytes.endIndex else { throw Self.truncated() }
        position = inner.position + 1
        return result
    }

    /// Reads any element. O(bytes of the element).
    ///
    /// - Throws: `StoreError` with the code `corruption` if the next element isn't of this type.
    @inlinable
    public mutating func decode<Element: TupleElement>(
        _ type: Element.Type = Element.self
    ) throws(StoreError) -> Element {
        var next = self
        let element = try Element(from: &next)
        self = next
        return element
    }
}
