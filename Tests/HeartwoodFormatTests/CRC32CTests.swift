import CHeartwood
import HeartwoodFormat
import Testing

@Suite struct CRC32CTests {
    /// RFC 3720, appendix B.4, and the check value of the catalogue of CRC algorithms.
    @Test(
        arguments: [
            ([], 0),
            (Array("123456789".utf8), 0xE306_9283),
            ([UInt8](repeating: 0x00, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            ([UInt8](0..<32), 0x46DD_794E),
            ((0..<32).reversed(), 0x113F_DB5C),
            (readCommand, 0xD996_3A56),
        ] as [([UInt8], UInt32)])
    func publishedVectors(bytes: [UInt8], expected: UInt32) {
        #expect(CRC32C.checksum(bytes) == expected)
        #expect(bytes.withUnsafeBytes { CRC32C.checksum($0) } == expected)
        let span = bytes.span.bytes
        #expect(CRC32C.checksum(span) == expected)
        for implementation in Implementation.available {
            #expect(bytes.withUnsafeBytes { implementation.checksum($0) } == expected, "\(implementation)")
        }
    }

    @Test func zerosAreCountedWithoutBytes() {
        let start = Array("a log".utf8)
        for count in [0, 1, 2, 3, 7, 8, 255, 4_096, 65_537, 1 << 20] {
            let checksum = CRC32C.checksum(start + [UInt8](repeating: 0, count: count))
            #expect(CRC32C.checksum(zeros: UInt64(count), continuing: CRC32C.checksum(start)) == checksum)
        }
        // 2^40 zeros in one step, and in two.
        let half = CRC32C.checksum(zeros: 1 << 39, continuing: 7)
        #expect(CRC32C.checksum(zeros: 1 << 40, continuing: 7) == CRC32C.checksum(zeros: 1 << 39, continuing: half))
    }

    @Test func implementationsAgreeOnEveryShortLength() {
        let bytes = noise(count: 2100 + 8)
        bytes.withUnsafeBytes { bytes in
            for alignment in [0, 1, 3, 4, 7] {
                for count in 0...2100 {
                    compare(UnsafeRawBufferPointer(rebasing: bytes[alignment..<(alignment + count)]))
                }
            }
        }
    }

    @Test(arguments: [8192, 24_575, 24_576, 24_577, 25_344, 65_536, 100_003, 1 << 20])
    func implementationsAgreeOnLongRuns(count: Int) {
        let bytes = noise(count: count + 5)
        bytes.withUnsafeBytes { bytes in
            compare(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            compare(UnsafeRawBufferPointer(rebasing: bytes[5...]))
        }
    }

    @Test func continuesAtEverySplit() {
        let bytes = noise(count: 900)
        let whole = CRC32C.checksum(bytes)
        for split in 0...bytes.count {
            let first = CRC32C.checksum(Array(bytes[..<split]))
            #expect(CRC32C.checksum(Array(bytes[split...]), continuing: first) == whole)
        }
    }

    private func compare(_ bytes: UnsafeRawBufferPointer) {
        for start in [0, 0x1234_5678] as [UInt32] {
            let reference = heartwood_crc32c_portable(start, bytes.baseAddress, bytes.count)
            for implementation in Implementation.available
            where implementation.checksum(bytes, continuing: start) != reference {
                Issue.record("\(implementation) differs at \(bytes.count) bytes, continuing \(start)")
            }
        }
    }
}

/// The implementations of the checksum that this machine can run.
private enum Implementation: CaseIterable {
    case chosen
    case portable
    case serial
    case interleaved

    static var available: [Implementation] {
        heartwood_crc32c_has_hardware() ? allCases : [.chosen, .portable]
    }

    func checksum(_ bytes: UnsafeRawBufferPointer, continuing crc: UInt32 = 0) -> UInt32 {
        switch self {
        case .chosen: heartwood_crc32c(crc, bytes.baseAddress, bytes.count)
        case .portable: heartwood_crc32c_portable(crc, bytes.baseAddress, bytes.count)
        case .serial: heartwood_crc32c_hardware_serial(crc, bytes.baseAddress, bytes.count)
        case .interleaved: heartwood_crc32c_hardware_interleaved(crc, bytes.baseAddress, bytes.count)
        }
    }
}

/// An iSCSI SCSI read (10) command PDU.
private let readCommand: [UInt8] = [
    0x01, 0xC0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x18,
    0x28, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
]

private func noise(count: Int) -> [UInt8] {
    var random = TestRandom(seed: 1)
    return random.bytes(count)
}
