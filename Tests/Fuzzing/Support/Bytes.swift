internal import HeartwoodFormat

/// Little-endian numbers in bytes, without the library's own loads, which are under test.
extension Array<UInt8> {
    func number(at offset: Int, bytes count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(self[offset + $1]) << (8 * UInt64($1)) }
    }

    mutating func setNumber(_ number: UInt64, at offset: Int, bytes count: Int) {
        for byte in 0..<count { self[offset + byte] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(byte))) }
    }

    /// The checksum of a part, combined with the tag of its location if it has one.
    func checksum(_ range: Range<Int>, salt: UInt32 = 0, offset: UInt64 = 0) -> UInt32 {
        let crc = withUnsafeBytes { CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[range])) }
        return crc ^ salt ^ UInt32(truncatingIfNeeded: offset / 8)
    }

    /// Whether all bytes of a part are zero.
    func isZero(_ range: Range<Int>) -> Bool {
        withUnsafeBytes { bytes in
            var at = range.lowerBound
            while at + 8 <= range.upperBound, bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) == 0 { at += 8 }
            return bytes[at..<range.upperBound].allSatisfy { $0 == 0 }
        }
    }
}

/// Inputs with folded runs of zeros. The header of a file is mostly zeros, and a fuzzer that changes a byte should
/// change one that matters.
///
/// A zero byte is followed by two bytes with the number of zeros less one; all other bytes are literal. Any bytes can
/// be unfolded.
package enum FoldedZeros {
    /// The unfolded bytes, up to a limit.
    package static func unfold(_ folded: UnsafeRawBufferPointer, limit: Int = 32 << 10) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let bytes = UnsafeMutableRawBufferPointer(buffer)
            var at = 0
            while at < folded.count, count < limit {
                let rest = UnsafeRawBufferPointer(rebasing: folded[at...])
                let plain = min(rest.firstIndex(of: 0) ?? rest.count, limit - count)
                UnsafeMutableRawBufferPointer(rebasing: bytes[count..<(count + plain)])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<plain]))
                count += plain
                at += plain + 3
                guard plain < rest.count, count < limit else { break }
                let low = plain + 1 < rest.count ? Int(rest[plain + 1]) : 0
                let high = plain + 2 < rest.count ? Int(rest[plain + 2]) : 0
                let zeros = min(low + high << 8 + 1, limit - count)
                (bytes.baseAddress! + count).initializeMemory(as: UInt8.self, repeating: 0, count: zeros)
                count += zeros
            }
        }
    }

    /// The shortest folded form.
    package static func fold(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { bytes in
            var folded: [UInt8] = []
            folded.reserveCapacity(2048)
            var at = 0
            while at < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[at...])
                let plain = rest.firstIndex(of: 0) ?? rest.count
                folded.append(contentsOf: UnsafeRawBufferPointer(rebasing: rest[..<plain]))
                at += plain
                guard at < bytes.count else { break }
                let zeros = zeros(in: bytes, from: at)
                folded.append(0)
                folded.append(UInt8((zeros - 1) & 0xFF))
                folded.append(UInt8((zeros - 1) >> 8))
                at += zeros
            }
            return folded
        }
    }

    /// The length of a run of zeros, at most 65,536. Reads eight bytes at a time, because runs are long.
    private static func zeros(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var at = start
        let end = min(bytes.count, start + 65_536)
        while at + 8 <= end, bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self) == 0 { at += 8 }
        while at < end, bytes[at] == 0 { at += 1 }
        return at - start
    }
}
