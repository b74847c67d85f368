import HeartwoodFormat
import Testing

@Suite struct RecordHeaderTests {
    private let salt: UInt32 = 0x0BAD_CAFE
    private let offset: UInt64 = 4144

    private func result(
        _ bytes: [UInt8], salt: UInt32? = nil, offset: UInt64? = nil, flags: RecordHeader.Flags = .known
    ) -> Result<RecordHeader, FormatError> {
        bytes.decoded { (buffer) throws(FormatError) in
            try RecordHeader.decode(buffer, salt: salt ?? self.salt, offset: offset ?? self.offset, flags: flags)
        }
    }

    /// A header with these fields and the right checksum.
    private func raw(
        kind: UInt8 = 1, flags: UInt8 = 0, key: UInt16 = 3, value: UInt32 = 5, distance: UInt64 = 0, expiry: UInt64 = 0
    ) -> [UInt8] {
        var bytes = [kind, flags]
        bytes.append(number: key)
        bytes.append(number: value)
        bytes.append(number: distance)
        bytes.append(number: expiry)
        bytes.append(number: 0x1234_5678 ^ salt ^ UInt32(offset / 8))
        bytes.append(number: CRC32C.checksum(bytes) ^ salt ^ UInt32(offset / 8))
        return bytes
    }

    @Test func everyFieldIsAtItsOffset() throws {
        let header = try result(
            raw(kind: 2, flags: 7, key: 0x0102, value: 0x0304_0506, distance: 0x0708_090A_0B0C_0D0E, expiry: .max - 1)
        ).get()
        #expect(
            header
                == RecordHeader(
                    kind: .putExpiring, flags: [.batchContinues, .compressed, .continuesBatch], keyLength: 0x0102,
                    valueLength: 0x0304_0506, sequenceDistance: 0x0708_090A_0B0C_0D0E, expiry: .max - 1,
                    payloadChecksum: 0x1234_5678))
    }

    @Test func lengthsIncludeThePadding() throws {
        for payload in 1...40 {
            let header = try result(raw(key: 1, value: UInt32(payload - 1))).get()
            #expect(header.payloadLength == payload)
            #expect(header.encodedLength == 32 + (payload + 7) / 8 * 8)
        }
        let largest = RecordHeader(
            kind: .put, keyLength: .max, valueLength: .max, sequenceDistance: 0, expiry: 0, payloadChecksum: 0)
        #expect(largest.encodedLength == 32 + (65_535 + 4_294_967_295 + 7) / 8 * 8)
    }

    @Test func everyFlippedBitIsFound() {
        expectFlippedBitsAreFound(in: raw(), magicBytes: 0) { result($0) }
    }

    @Test func everyShorterLengthIsTruncated() {
        expectShorterLengthsAreTruncated(raw()) { result($0) }
    }

    @Test func isBoundToItsOffsetAndItsFile() {
        expectIsBound(to: offset, salt, distances: [8, 32, 40, 4096, 1 << 30]) { offset, salt in
            result(raw(), salt: salt, offset: offset)
        }
    }

    @Test func unknownRequiredKindsAreUnsupported() {
        for kind in [0] + Array(4...127) as [UInt8] {
            #expect(result(raw(kind: kind)) == .failure(.unsupported(.recordKind(kind))))
        }
    }

    /// In an optional kind, only the lengths, the number and the batch's flags have a meaning.
    @Test func optionalKindsAreAcceptedWithAnyFields() throws {
        for kind in 128...UInt8.max {
            for flags in [.original, .known] as [RecordHeader.Flags] {
                let bytes = raw(kind: kind, flags: 0xFF, key: 0, value: 0, expiry: 7)
                let header = try result(bytes, flags: flags).get()
                #expect(header.kind == .optional(kind))
                #expect(header.kind.rawValue == kind)
                #expect(header.flags.contains([.batchContinues, .continuesBatch]))
                #expect(header.encodedLength == 32)
            }
        }
    }

    @Test func unknownFlagsAreUnsupported() {
        for kind in 1...3 as ClosedRange<UInt8> {
            for bit in 2..<8 as Range<UInt8> {
                let bytes = raw(kind: kind, flags: 1 << bit, expiry: kind == 2 ? 1 : 0)
                let unsupported = Result<RecordHeader, _>.failure(FormatError.unsupported(.recordFlags(1 << bit)))
                #expect(result(bytes, flags: .original) == unsupported)
                if bit > 2 { #expect(result(bytes) == unsupported) }
            }
            #expect(throws: Never.self) {
                try result(raw(kind: kind, flags: 4, value: 0, expiry: kind == 2 ? 1 : 0)).get()
            }
        }
    }

    @Test func fieldsThatNoWriterProducesAreInvalid() {
        for kind in 1...3 as ClosedRange<UInt8> {
            #expect(result(raw(kind: kind, key: 0)) == .failure(.invalidField(.keyLength)))
        }
        #expect(result(raw(kind: 1, expiry: 1)) == .failure(.invalidField(.expiry)))
        #expect(result(raw(kind: 2, expiry: 0)) == .failure(.invalidField(.expiry)))
        #expect(result(raw(kind: 3, value: 0, expiry: 1)) == .failure(.invalidField(.expiry)))
        #expect(result(raw(kind: 3, value: 1)) == .failure(.invalidField(.valueLength)))
        #expect(result(raw(kind: 3, flags: 2, value: 0)) == .failure(.invalidField(.valueLength)))
        for value in 0...4 as ClosedRange<UInt32> {
            #expect(result(raw(flags: 2, value: value)) == .failure(.invalidField(.valueLength)))
        }
        #expect(throws: Never.self) { try result(raw(flags: 2, value: 5)).get() }
    }

    @Test func kindsKeepTheirNumbers() {
        #expect([RecordKind.put, .putExpiring, .delete, .lostBatch].map(\.rawValue) == [1, 2, 3, 128])
    }
}
