import HeartwoodTesting

/// A value that is described by two numbers, so that a model needn't keep its bytes.
///
/// A quarter of the values repeat a short pattern and a quarter use few letters, so that they compress. The rest is
/// noise.
package struct ValuePattern: Sendable, Hashable {
    package var identity: UInt64
    package var length: Int

    package init(identity: UInt64, length: Int) {
        self.identity = identity
        self.length = length
    }

    /// The bytes. O(length).
    package var bytes: [UInt8] {
        [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            var at = 0
            while at + 8 <= length {
                raw.storeBytes(of: word(at / 8).littleEndian, toByteOffset: at, as: UInt64.self)
                at += 8
            }
            var last = word(at / 8)
            while at < length {
                raw[at] = UInt8(truncatingIfNeeded: last)
                last >>= 8
                at += 1
            }
            count = length
        }
    }

    /// Whether these are the bytes. O(length).
    package func matches(_ bytes: [UInt8]) -> Bool { bytes.count == length && bytes == self.bytes }

    private func word(_ number: Int) -> UInt64 {
        switch identity & 3 {
        case 0: SeededRandom.mix(identity &+ UInt64(number & 1))
        case 1: SeededRandom.mix(identity &+ UInt64(number) << 8) & 0x0303_0303_0303_0303 | 0x6060_6060_6060_6060
        default: SeededRandom.mix(identity &+ UInt64(number) << 8)
        }
    }
}
