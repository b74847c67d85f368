import HeartwoodFormat
import Testing

@Suite struct SnapshotFooterTests {
    private let salt: UInt32 = 0xDEAD_BEEF
    private let offset: UInt64 = 0x12_3456_7000
    private let footer = SnapshotFooter(
        recordCount: 0x0001_0203, keySectionOffset: 0x12_0000_1000, blockCount: 0x0102, keyBytes: 0x0403_0201,
        expiringCount: 0x0102_03 - 1)

    private func result(
        _ bytes: [UInt8], salt: UInt32? = nil, offset: UInt64? = nil
    ) -> Result<SnapshotFooter, FormatError> {
        bytes.decoded { (buffer) throws(FormatError) in
            try SnapshotFooter.decode(buffer, salt: salt ?? self.salt, offset: offset ?? self.offset)
        }
    }

    /// The footer with a change and the right checksum.
    private func changed(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes = footer.encoded(salt: salt, offset: offset)
        change(&bytes)
        let tag = salt ^ UInt32(truncatingIfNeeded: offset / 8)
        bytes.replace(number: CRC32C.checksum(Array(bytes[..<60])) ^ tag, at: 60)
        return bytes
    }

    @Test func encodesAndDecodes() {
        #expect(result(footer.encoded(salt: salt, offset: offset)) == .success(footer))
        let empty = SnapshotFooter(
            recordCount: 0, keySectionOffset: 4096, blockCount: 0, keyBytes: 0, expiringCount: 0)
        #expect(result(empty.encoded(salt: salt, offset: 4096), offset: 4096) == .success(empty))
        var random = TestRandom(seed: 5)
        for _ in 0..<500 {
            let records = 1 + random.next() >> (20 + UInt64(random.below(44)))
            let keySection = 4096 + records * 40 + 8 * (random.next() >> 24)
            guard keySection <= FormatConstants.maximumSnapshotBytes else { continue }
            let footer = SnapshotFooter(
                recordCount: records, keySectionOffset: keySection, blockCount: 1 + random.next() % records,
                keyBytes: records * 8, expiringCount: random.next() % (records + 1))
            let offset = keySection + 40 * records
            #expect(result(footer.encoded(salt: salt, offset: offset), offset: offset) == .success(footer))
        }
    }

    @Test func everyFieldIsAtItsOffset() {
        var expected: [UInt8] = [0x48, 0x57, 0x53, 0x46, 0, 0, 0, 0]
        expected += [0x03, 0x02, 0x01, 0, 0, 0, 0, 0]
        expected += [0x00, 0x10, 0, 0, 0x12, 0, 0, 0]
        expected += [0x02, 0x01, 0, 0, 0, 0, 0, 0]
        expected += [0x01, 0x02, 0x03, 0x04, 0, 0, 0, 0]
        expected += [0x02, 0x02, 0x01, 0, 0, 0, 0, 0]
        expected += [UInt8](repeating: 0, count: 12)
        // The offset divided by 8 has 34 bits, of which 32 count.
        expected.append(number: CRC32C.checksum(expected) ^ salt ^ 0x468A_CE00)
        #expect(footer.encoded(salt: salt, offset: offset) == expected)
    }

    @Test func everyFlippedBitIsFound() {
        expectFlippedBitsAreFound(in: footer.encoded(salt: salt, offset: offset)) { result($0) }
    }

    @Test func everyShorterLengthIsTruncated() {
        expectShorterLengthsAreTruncated(footer.encoded(salt: salt, offset: offset)) { result($0) }
    }

    @Test func isBoundToItsOffsetAndItsFile() {
        let bytes = footer.encoded(salt: salt, offset: offset)
        expectIsBound(to: offset, salt, distances: [8, 16, 64, 4096, 1 << 20]) { offset, salt in
            result(bytes, salt: salt, offset: offset)
        }
    }

    @Test func flagsAreUnsupported() {
        for bit in 0..<32 as Range<UInt32> {
            let bytes = changed { $0.replace(number: 1 << bit, at: 4) }
            #expect(result(bytes) == .failure(.unsupported(.snapshotFlags(1 << bit))))
        }
    }

    @Test func reservedBytesThatAreNotZero() {
        for byte in 48..<60 {
            #expect(result(changed { $0[byte] = 1 }) == .failure(.invalidField(.reserved)))
        }
    }

    /// A reader that allocates memory by the counts allocates no more than the size of the file.
    @Test func countsThatDoNotFitTheFile() {
        func expectRefused(_ number: UInt64, at byte: Int, sourceLocation: SourceLocation = #_sourceLocation) {
            let found = result(changed { $0.replace(number: number, at: byte) })
            #expect(found == .failure(.invalidField(.snapshotLength)), "\(number)", sourceLocation: sourceLocation)
        }
        let records = footer.keySectionOffset - 4096
        let keys = offset - footer.keySectionOffset
        for number in [0, records / 40 + 1, keys / 4 + 1, .max, footer.expiringCount - 1, footer.blockCount - 1] {
            expectRefused(number, at: 8)
        }
        for number in [0, 8, 4088, footer.keySectionOffset + 4, offset + 8, .max, .max - 7] as [UInt64] {
            expectRefused(number, at: 16)
        }
        for number in [0, keys / 32 + 1, footer.recordCount + 1, .max] { expectRefused(number, at: 24) }
        for number in [records + 1, .max] { expectRefused(number, at: 32) }
        for number in [footer.recordCount + 1, .max] { expectRefused(number, at: 40) }
    }

    @Test func aFooterAtAnImpossibleOffset() {
        for offset in [0, 8, 4088, 4097, 4100] as [UInt64] {
            let empty = SnapshotFooter(
                recordCount: 0, keySectionOffset: min(offset, 4096), blockCount: 0, keyBytes: 0, expiringCount: 0)
            let bytes = empty.encoded(salt: salt, offset: offset)
            #expect(result(bytes, offset: offset) == .failure(.invalidField(.snapshotLength)), "\(offset)")
        }
    }

    /// More records than an opening can number.
    @Test func moreRecordsThanCanBeNumberedAreRefused() {
        let footer = SnapshotFooter(
            recordCount: 1 << 30, keySectionOffset: 1 << 54 + 8, blockCount: 1 << 20, keyBytes: 1 << 33,
            expiringCount: 0)
        let offset: UInt64 = 1 << 55
        #expect(
            result(footer.encoded(salt: salt, offset: offset), offset: offset)
                == .failure(.invalidField(.snapshotLength)))
    }
}
