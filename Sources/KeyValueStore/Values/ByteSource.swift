/// A type that can be passed as a key or a value, because it can lend its bytes.
///
/// `[UInt8]`, its slices, `String` and `Substring` (as UTF-8) and their `utf8` views conform. `Data` and `UUID` conform
/// with the product `HeartwoodFoundation`, SwiftNIO's `ByteBuffer` with `HeartwoodNIO`. Make your own type conform if
/// it already holds bytes: a call then takes a few nanoseconds and copies nothing.
public protocol ByteSource {
    /// Calls `body` exactly once with the bytes. They are valid only during the call.
    ///
    /// - Throws: What `body` throws.
    /// - Complexity: O(1) if the bytes are contiguous.
    func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R

    /// The bytes as an array. O(1) without a copy if they already are an array, otherwise O(bytes).
    var byteArray: [UInt8] { get }
}

extension ByteSource {
    /// A copy of the bytes. O(bytes).
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
    /// Lends the UTF-8 code units. A string that is bridged from Objective-C is converted first, which is O(length).
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
    /// Lends the code units. A string that is bridged from Objective-C is converted first, which is O(length).
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

/// Like the standard library's `withContiguousStorageIfAvailable`, but keeps the type of the error.
///
/// Types with a span don't use this: in unspecialised code the `Result` costs a look-up of its metadata.
@inlinable
package func lend<C: Collection<UInt8>, R, E: Error>(
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

/// The same for arrays, by their span.
@inlinable
package func lend<R, E: Error>(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
    try bytes.span.bytes.withUnsafeBytes(body)
}
