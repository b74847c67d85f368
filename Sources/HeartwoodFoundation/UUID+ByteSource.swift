public import Foundation
public import Heartwood

extension UUID: ByteSource {
    /// Lends the 16 bytes, in the order in which the text shows them, so that keys sort as their texts do. O(1).
    @inlinable
    public func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try withUnsafeBytes(of: uuid) { bytes in Result { () throws(E) -> R in try body(bytes) } }.get()
    }

    /// The identifier that has these 16 bytes, such as a key or a value that was written as one; nil where there are more
    /// or fewer.
    public init?(byteSource: some ByteSource) {
        let uuid = byteSource.withByteBuffer { bytes in
            bytes.count == MemoryLayout<uuid_t>.size ? bytes.loadUnaligned(as: uuid_t.self) : nil
        }
        guard let uuid else { return nil }
        self.init(uuid: uuid)
    }
}
