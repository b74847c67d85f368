import HeartwoodFormat

/// A segment in memory. Traps on requests that are larger than the scanner promises.
struct MemoryBytes: SegmentBytes {
    typealias Failure = Never

    var bytes: [UInt8]
    /// How many bytes a request may ask for.
    var largestRequest = SegmentScanner<MemoryBytes>.windowBytes

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var count: UInt64 { UInt64(bytes.count) }

    mutating func withBytes<R>(at offset: UInt64, count: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        precondition(count >= 0 && count <= largestRequest, "a request for \(count) bytes")
        let start = Int(min(offset, self.count))
        let end = min(start + count, bytes.count)
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }
}

extension Array<UInt8> {
    /// What a decoder makes of the bytes.
    func decoded<R>(_ body: (UnsafeRawBufferPointer) throws(FormatError) -> R) -> Result<R, FormatError> {
        withUnsafeBytes { buffer in
            Result { () throws(FormatError) -> R in try body(buffer) }
        }
    }

    func decoding<R>(_ body: (UnsafeRawBufferPointer) throws(FormatError) -> R) throws(FormatError) -> R {
        try decoded(body).get()
    }

    mutating func flipBit(_ bit: Int) { self[bit / 8] ^= 1 << (bit % 8) }
}
