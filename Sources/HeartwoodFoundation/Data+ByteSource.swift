public import Foundation
public import Heartwood

extension Data: ByteSource {
    /// Lends the bytes. O(1), or O(bytes) if they are not contiguous, as in some bridged `NSData`.
    @inlinable
    public func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try withUnsafeBytes { bytes in Result { () throws(E) -> R in try body(bytes) } }.get()
    }
}
