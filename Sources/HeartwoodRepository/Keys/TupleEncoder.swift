/// Encodes elements to the bytes of a key, one after the other.
///
/// Keys are in the order of their elements: by the first, then by the second, and so on. Elements of different types
/// are in the order nil, bytes, text, nested tuples, integers, `Float`, `Double`, false, true, UUID. The encoding is
/// that of FoundationDB's tuple layer.
///
/// ```swift
/// var encoder = TupleEncoder(prefix: [0x10])
/// encoder.append("Berlin")
/// encoder.append(3_769_495)
/// try await store.put(encoder.bytes, value)
/// ```
public struct TupleEncoder: Sendable {
    /// The prefix and the elements up to now. O(1).
    @inlinable public var bytes: [UInt8] { storage }

    @usableFromInline var storage: [UInt8]
    @usableFromInline var isNested = false

    /// Most keys fit in this many bytes after their prefix, so that they need one allocation.
    @usableFromInline static var reserve: Int { 32 }

    /// Starts with `prefix`, which is put as it is before the elements. O(bytes of the prefix).
    @inlinable
    public init(prefix: [UInt8] = []) {
        storage = []
        storage.reserveCapacity(prefix.count + Self.reserve)
        storage.append(contentsOf: prefix)
    }

    /// One byte, or two in a nested tuple.
    @inlinable
    package mutating func appendNil() {
        storage.append(TupleCode.null)
        if isNested { storage.append(TupleCode.escape) }
    }

    @inlinable
    package mutating func append(_ value: Int64) {
        let count = Self.byteCount(value.magnitude)
        if value < 0 {
            // One's complement: the longer the number, the lower the code; the larger its magnitude, the lower its
            // bytes.
            append(TupleCode.zero - UInt8(truncatingIfNeeded: count), ~value.magnitude, count: count)
        } else {
            append(TupleCode.zero + UInt8(truncatingIfNeeded: count), value.magnitude, count: count)
        }
    }

    @inlinable
    package mutating func append(_ value: UInt64) {
        let count = Self.byteCount(value)
        append(TupleCode.zero + UInt8(truncatingIfNeeded: count), value, count: count)
    }

    /// Appends a tuple as one element: two bytes, and those of its elements. It sorts by its elements; a tuple that is
    /// the beginning of another comes first. ``TupleDecoder`` reads at most 128 tuples in each other.
    ///
    /// ```swift
    /// encoder.appendNested { tuple in
    ///     tuple.append("Berlin")
    ///     tuple.append(10_115)
    /// }
    /// ```
    ///
    /// - Complexity: O(1), and what `body` takes.
    @inlinable
    public mutating func appendNested(_ body: (inout TupleEncoder) -> Void) {
        let outer = isNested
        storage.append(TupleCode.nested)
        isNested = true
        body(&self)
        isNested = outer
        storage.append(TupleCode.terminator)
    }

    /// Appends any element. O(bytes of the element).
    @inlinable
    public mutating func append(_ element: some TupleElement) { element.encode(to: &self) }
}

extension TupleEncoder {
    /// The bytes that a number needs; 0 for 0.
    @inlinable
    @inline(__always)
    static func byteCount(_ magnitude: UInt64) -> Int { (64 - magnitude.leadingZeroBitCount + 7) / 8 }

    /// Appends the code and the last `count` bytes of a number, most significant first. `count` is 0 to 8.
    @inlinable
    @inline(__always)
    mutating func append(_ code: UInt8, _ number: UInt64, count: Int) {
        // One call for code and number: each one checks whether the array is unique and large enough.
        let shifted = count == 0 ? 0 : number << UInt64(64 - 8 * count)
        withUnsafeBytes(of: (UInt64(code) << 56 | shifted >> 8).bigEndian) { head in
            storage.append(contentsOf: UnsafeRawBufferPointer(rebasing: head[..<min(8, count + 1)]))
        }
        if count == 8 { storage.append(UInt8(truncatingIfNeeded: number)) }
    }

    @usableFromInline
    mutating func append(bytes: UnsafeRawBufferPointer) {
        storage.append(TupleCode.bytes)
        appendEscaped(bytes)
        storage.append(TupleCode.terminator)
    }

    /// Removes prefix and elements. The memory is kept.
    mutating func removeAll() { storage.removeAll(keepingCapacity: true) }

    /// Appends the beginning of a text: an encoded text without its terminator.
    mutating func appendStringPrefix(_ text: String) {
        storage.append(TupleCode.string)
        var text = text
        let isNormal = text.withUTF8 { utf8 in
            // A byte from 0xCC on begins a scalar from U+0300 on. The ones below never change.
            guard utf8.allSatisfy({ $0 < 0xCC }) else { return false }
            appendEscaped(UnsafeRawBufferPointer(utf8))
            return true
        }
        if !isNormal {
            var normalised = NormalizedText.of(text)
            normalised.withUTF8 { appendEscaped(UnsafeRawBufferPointer($0)) }
        }
    }

    /// Appends bytes without code and terminator.
    private mutating func appendEscaped(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.contains(0) else {
            storage.append(contentsOf: bytes)
            return
        }
        for byte in bytes {
            storage.append(byte)
            if byte == 0 { storage.append(TupleCode.escape) }
        }
    }
}
