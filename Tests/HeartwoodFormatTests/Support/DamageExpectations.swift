import HeartwoodFormat
import Testing

// Damage that every structure with a checksum must report. `decode` reads the structure.

/// Expects that a flipped bit is reported: as a wrong magic in the first bytes, by the checksum in all others.
func expectFlippedBitsAreFound<T: Equatable>(
    in bytes: [UInt8], magicBytes: Int = 4, sourceLocation: SourceLocation = #_sourceLocation,
    _ decode: ([UInt8]) -> Result<T, FormatError>
) {
    var bytes = bytes
    for bit in 0..<(bytes.count * 8) {
        bytes.flipBit(bit)
        let (found, expected) = (decode(bytes), bit < magicBytes * 8 ? FormatError.wrongMagic : .checksumMismatch)
        if found != .failure(expected) { Issue.record("bit \(bit): \(found)", sourceLocation: sourceLocation) }
        bytes.flipBit(bit)
    }
}

func expectShorterLengthsAreTruncated<T: Equatable>(
    _ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation, _ decode: ([UInt8]) -> Result<T, FormatError>
) {
    for count in bytes.indices {
        let found = decode(Array(bytes[..<count]))
        if found != .failure(.truncated) { Issue.record("\(count) bytes: \(found)", sourceLocation: sourceLocation) }
    }
}

/// Expects that the structure is refused at every other offset and under every other salt.
func expectIsBound<T: Equatable>(
    to offset: UInt64, _ salt: UInt32, distances: [UInt64], sourceLocation: SourceLocation = #_sourceLocation,
    _ decode: (_ offset: UInt64, _ salt: UInt32) -> Result<T, FormatError>
) {
    for distance in distances {
        #expect(decode(offset + distance, salt) == .failure(.checksumMismatch), sourceLocation: sourceLocation)
        guard distance <= offset else { continue }
        #expect(decode(offset - distance, salt) == .failure(.checksumMismatch), sourceLocation: sourceLocation)
    }
    for bit in 0..<32 as Range<UInt32> {
        #expect(decode(offset, salt ^ (1 << bit)) == .failure(.checksumMismatch), sourceLocation: sourceLocation)
    }
}
