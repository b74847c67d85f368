import HeartwoodFormat
import Testing

@Suite struct CommitHeaderTests {
    private let salt: UInt32 = 0xDEAD_BEEF
    private let offset: UInt64 = 0x12_3456_7000
    private let header = CommitHeader(
        bodyLength: 0x0102_0308, firstSequence: 0x1112_1314_1516_1718, syncedMark: 0x12_3456_6FF8,
        time: 0x018B_CFE5_6800, recordCount: 0x0003_0201)

    private func result(
        _ bytes: [UInt8], salt: UInt32? = nil, offset: UInt64? = nil
    ) -> Result<CommitHeader, FormatError> {
        bytes.decoded { (buffer) throws(FormatError) in
            try CommitHeader.decode(buffer, salt: salt ?? self.salt, offset: offset ?? self.offset)
        }
    }

    private func encoded(
        flags: UInt32 = 0, bodyLength: UInt64 = 40, syncedMark: UInt64 = 4096, recordCount: UInt32 = 1
    ) -> [UInt8] {
        TestLog.commitHeader(
            flags: flags, bodyLength: bodyLength, firstSequence: 9, syncedMark: syncedMark, time: 5,
            recordCount: recordCount, salt: salt, at: Int(offset))
    }

    @Test func encodesAndDecodes() {
        #expect(result(header.encoded(salt: salt, offset: offset)) == .success(header))
        for flags in [.mark, [.mark, .closing]] as [CommitHeader.Flags] {
            let mark = CommitHeader(
                flags: flags, bodyLength: 0, firstSequence: .max, syncedMark: offset, time: .max, recordCount: 0)
            #expect(result(mark.encoded(salt: salt, offset: offset)) == .success(mark))
        }
    }

    @Test func everyFieldIsAtItsOffset() {
        var expected: [UInt8] = [0x48, 0x57, 0x43, 0x4D, 0, 0, 0, 0]
        expected += [0x08, 0x03, 0x02, 0x01, 0, 0, 0, 0]
        expected += [0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11]
        expected += [0xF8, 0x6F, 0x56, 0x34, 0x12, 0, 0, 0]
        expected += [0x00, 0x68, 0xE5, 0xCF, 0x8B, 0x01, 0, 0]
        expected += [0x01, 0x02, 0x03, 0x00]
        // The offset divided by 8 has 34 bits, of which 32 count.
        expected.append(number: CRC32C.checksum(expected) ^ salt ^ 0x468A_CE00)
        #expect(header.encoded(salt: salt, offset: offset) == expected)
    }

    @Test func everyFlippedBitIsFound() {
        expectFlippedBitsAreFound(in: header.encoded(salt: salt, offset: offset)) { result($0) }
    }

    @Test func everyShorterLengthIsTruncated() {
        expectShorterLengthsAreTruncated(header.encoded(salt: salt, offset: offset)) { result($0) }
    }

    @Test func isBoundToItsOffsetAndItsFile() {
        let bytes = header.encoded(salt: salt, offset: offset)
        expectIsBound(to: offset, salt, distances: [8, 16, 48, 4096, 1 << 20]) { offset, salt in
            result(bytes, salt: salt, offset: offset)
        }
    }

    @Test func unknownFlagsAreUnsupported() {
        for bit in 2..<32 as Range<UInt32> {
            #expect(result(encoded(flags: 1 << bit)) == .failure(.unsupported(.commitFlags(1 << bit))))
            // On a mark too: the meaning of the flag is not known.
            let mark = encoded(flags: 1 | 1 << bit, bodyLength: 0, recordCount: 0)
            #expect(result(mark) == .failure(.unsupported(.commitFlags(1 | 1 << bit))))
        }
    }

    @Test func fieldsThatNoWriterProducesAreInvalid() {
        #expect(result(encoded(syncedMark: offset + 8)) == .failure(.invalidField(.syncedMark)))
        #expect(result(encoded(syncedMark: .max)) == .failure(.invalidField(.syncedMark)))
        for remainder in 1...7 as ClosedRange<UInt64> {
            #expect(result(encoded(bodyLength: 40 + remainder)) == .failure(.invalidField(.bodyLength)))
        }
        let hostile: [(flags: UInt32, bodyLength: UInt64, recordCount: UInt32)] = [
            (0, 0, 0), (0, 0, 1), (0, 40, 0), (0, 24, 1), (0, 56, 2), (0, 40, .max), (1, 40, 1), (1, 40, 0), (1, 0, 1),
            (2, 0, 0), (2, 40, 1), (3, 40, 1),
        ]
        for (flags, bodyLength, recordCount) in hostile {
            let found = result(encoded(flags: flags, bodyLength: bodyLength, recordCount: recordCount))
            #expect(found == .failure(.invalidField(.recordCount)), "\(flags) \(bodyLength) \(recordCount)")
        }
    }

    @Test func theLargestLengthsAreAccepted() throws {
        let header = try result(encoded(bodyLength: .max - 7, recordCount: .max)).get()
        #expect(header.bodyLength == UInt64.max - 7)
        #expect(header.recordCount == .max)
    }
}
