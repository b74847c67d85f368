/// What can be given as a key or a value: something that can lend its bytes.
///
/// `[UInt8]`, its slices, `String` and `Substring` (as UTF-8) and their `utf8` views conform; `Data` and `UUID` do with
/// the product `HeartwoodFoundation`, SwiftNIO's `ByteBuffer` with `HeartwoodNIO`. Conform a type of your own where it
/// already holds bytes; it costs a few nanoseconds and no copy.
public protocol ByteSource {
    /// Calls `body` exactly once, with the bytes, which are valid only during the call.
    ///
    /// - Throws: What `body` throws.
    /// - Complexity: O(1) where the bytes lie in one piece.
    func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R

    /// The bytes as an array; without a copy where they already are one. O(bytes) otherwise.
    var byteArray: [UInt8] { get }
}

extension ByteSource {
    /// The bytes, copied. O(bytes).
    public var byteArray: [UInt8] { withByteBuffer { [UInt8]($0) } }
}

extension Array: ByteSource where Element == UInt8 {
    /// Lends the elements.
    @inlinable
    public func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try span.bytes.withUnsafeBytes(body)
    }
    /// The array itself.
    @inlinable
    public var byteArray: [UInt8] { self }
}

extension ArraySlice: ByteSource where Element == UInt8 {
    /// Lends the elements.
    @inlinable
    public func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try span.bytes.withUnsafeBytes(body)
    }
}

extension ContiguousArray: ByteSource where Element == UInt8 {
    /// Lends the elements.
    @inlinable
    public func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try span.bytes.withUnsafeBytes(body)
    }
}

extension String: ByteSource {
    /// Lends the UTF-8 code units. A string that is bridged from Objective-C is converted first, O(length).
    @inlinable
    public func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try lend(utf8, body)
    }
}

extension Substring: ByteSource {
    /// Lends the UTF-8 code units.
    @inlinable
    public func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try lend(utf8, body)
    }
}

extension String.UTF8View: ByteSource {
    /// Lends the code units. A string that is bridged from Objective-C is converted first, O(length).
    @inlinable
    public func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try lend(self, body)
    }
}

extension Substring.UTF8View: ByteSource {
    /// Lends the code units.
    @inlinable
    public func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try lend(self, body)
    }
}

/// The standard library's `withContiguousStorageIfAvailable` rethrows untyped; this keeps the type of the error. (Where
/// there is a span, it is faster: the `Result` costs a look-up of its metadata in code that isn't specialised.)
@inlinable
func lend<C: Collection<UInt8>, R, E: Error>(
    _ bytes: C, _ body: (UnsafeRawBufferPointer) throws(E) -> R
) throws(E) -> R {
    let result = bytes.withContiguousStorageIfAvailable { buffer in
        Result { () throws(E) -> R in try body(UnsafeRawBufferPointer(buffer)) }
    }
    if let result { return try result.get() }
    let copy = ContiguousArray(bytes)
    return try copy.withUnsafeBytes { buffer in
        Result { () throws(E) -> R in try body(buffer) }
    }.get()
}

/// As above, for what has a span.
@inlinable
func lend<R, E: Error>(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try bytes.span.bytes.withUnsafeBytes(body)
}
