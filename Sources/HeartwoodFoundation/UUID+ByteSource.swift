public import Foundation
public import Heartwood

extension UUID: ByteSource {
    /// Lends the 16 bytes in the order of the text form, so that keys sort like their texts. O(1).
    @inlinable
    public func withByteBuffer<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try withUnsafeBytes(of: uuid) { bytes in Result { () throws(E) -> R in try body(bytes) } }.get()
    }

    /// The identifier with these 16 bytes, such as a key or a value that was written as a `UUID`; nil if there are not
    /// exactly 16 bytes.
    public init?(byteSource: some ByteSource) {
        let uuid = byteSource.withByteBuffer { bytes in
            bytes.count == MemoryLayout<uuid_t>.size ? bytes.loadUnaligned(as: uuid_t.self) : nil
        }
        guard let uuid else { return nil }
        self.init(uuid: uuid)
    }
}
