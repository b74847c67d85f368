import HeartwoodFormat
import Testing

@Suite struct FileHeaderTests {
    private let header = FileHeader(
        kind: .log, storeID: StoreID(low: 0x0706_0504_0302_0100, high: 0x0F0E_0D0C_0B0A_0908), salt: 0xA1B2_C3D4,
        firstSequence: 0x0102_0304_0506_0708,
        predecessor: .init(salt: 0x1122_3344, lastSequence: 0x0102_0304_0506_0707, endOffset: 0x9_8765_4328),
        creationTime: 0x0000_018B_CFE5_6800)

    private func result(_ bytes: [UInt8]) -> Result<FileHeader, FormatError> {
        bytes.decoded { (buffer) throws(FormatError) in try FileHeader.decode(buffer) }
    }

    /// The header with a change and the right checksum.
    private func changed(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
        var bytes = header.encoded()
        change(&bytes)
        bytes.replace(number: CRC32C.checksum(Array(bytes[..<4092])), at: 4092)
        return bytes
    }

    @Test func encodesAndDecodes() {
        #expect(result(header.encoded()) == .success(header))
        var first = header
        first.predecessor = nil
        first.kind = .snapshot
        first.version = 2
        #expect(result(first.encoded()) == .success(first))
        #expect(result(first.encoded() + [1, 2, 3]) == .success(first))
    }

    @Test func newFilesHaveTheNewestVersionOfTheirKind() {
        #expect(header.version == 3)
        let snapshot = FileHeader(
            kind: .snapshot, storeID: header.storeID, salt: 1, firstSequence: 1, predecessor: header.predecessor,
            creationTime: 0)
        #expect(snapshot.version == 2)
    }

    @Test func everyVersionOfAKindIsRead() throws {
        for kind in [1, 2] as [UInt8] {
            for version in Array(0...5) + [256, .max] as [UInt16] {
                let bytes = changed { bytes in
                    bytes[10] = kind
                    bytes.replace(number: version, at: 8)
                }
                if (kind == 1) == (version == 1 || version == 3), (kind == 2) == (version == 2) {
                    let found = try result(bytes).get()
                    #expect(found.version == version && found.kind.rawValue == kind && found.encoded() == bytes)
                } else {
                    #expect(result(bytes) == .failure(.unsupported(.version(version))))
                }
            }
        }
    }

    /// Only the records of a log of version 3 say whether they begin a batch.
    @Test func theFlagsOfRecordsAreThoseOfTheVersion() {
        var header = header
        #expect(header.marksBatches && header.recordFlags.rawValue == 7)
        header.version = 1
        #expect(!header.marksBatches && header.recordFlags.rawValue == 3)
        (header.kind, header.version) = (.snapshot, 2)
        #expect(!header.marksBatches && header.recordFlags.rawValue == 3)
    }

    @Test func everyFieldIsAtItsOffset() {
        let bytes = header.encoded()
        #expect(bytes.count == 4096)
        var expected: [UInt8] = [0x48, 0x57, 0x4F, 0x4F, 0x44, 0x0D, 0x0A, 0x1A]
        expected += [0x03, 0x00, 0x01, 0x00, 0xD4, 0xC3, 0xB2, 0xA1]
        expected += Array(0...15)
        expected += [0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01]
        expected += [0x44, 0x33, 0x22, 0x11, 0, 0, 0, 0]
        expected += [0x07, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01]
        expected += [0x28, 0x43, 0x65, 0x87, 0x09, 0, 0, 0]
        expected += [0x00, 0x68, 0xE5, 0xCF, 0x8B, 0x01, 0, 0]
        #expect(Array(bytes[..<72]) == expected)
        #expect(bytes[72..<4092].allSatisfy { $0 == 0 })
        var checksum: [UInt8] = []
        checksum.append(number: CRC32C.checksum(Array(bytes[..<4092])))
        #expect(Array(bytes[4092...]) == checksum)
    }

    @Test func everyFlippedBitIsFound() {
        expectFlippedBitsAreFound(in: header.encoded(), magicBytes: 8) { result($0) }
    }

    @Test func everyShorterLengthIsTruncated() {
        expectShorterLengthsAreTruncated(header.encoded()) { result($0) }
    }

    /// In a newer version, only magic, version and checksum are checked.
    @Test func anotherVersionIsReportedBeforeItsFields() {
        let bytes = changed { bytes in
            for position in 8..<4092 { bytes[position] = 0xEE }
            bytes.replace(number: 4 as UInt16, at: 8)
        }
        #expect(result(bytes) == .failure(.unsupported(.version(4))))
    }

    @Test func unknownKindsAndFlagsAreUnsupported() {
        for kind in UInt8.min...UInt8.max where kind != 1 && kind != 2 {
            #expect(result(changed { $0[10] = kind }) == .failure(.unsupported(.fileKind(kind))))
        }
        for flags in 1...UInt8.max {
            #expect(result(changed { $0[11] = flags }) == .failure(.unsupported(.fileFlags(flags))))
        }
    }

    @Test func fieldsThatNoWriterProducesAreInvalid() {
        #expect(result(changed { $0.replace(number: 0 as UInt32, at: 12) }) == .failure(.invalidField(.salt)))
        for position in Array(44..<48) + Array(72..<4092) {
            let found = result(changed { $0[position] = 1 })
            if found != .failure(.invalidField(.reserved)) { Issue.record("byte \(position): \(found)") }
        }
    }

    @Test func storeIDIsPrintedInTheOrderOfItsBytes() {
        #expect(header.storeID.description == "000102030405060708090a0b0c0d0e0f")
    }
}
