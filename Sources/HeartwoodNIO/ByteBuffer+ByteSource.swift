// The package trait "NIO" enables this code. Without it the module is empty, and SwiftNIO is not fetched.
#if NIO
public import Heartwood
public import NIOCore

extension ByteBuffer: ByteSource {
    /// Lends the readable bytes. The reader index does not change. O(1).
    @inlinable
    public func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try withUnsafeReadableBytes { bytes in Result { () throws(E) -> R in try body(bytes) } }.get()
    }
}

extension ByteBufferView: ByteSource {
    /// Lends the view's bytes. O(1).
    @inlinable
    public func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try withUnsafeBytes { bytes in Result { () throws(E) -> R in try body(bytes) } }.get()
    }
}
#endif
