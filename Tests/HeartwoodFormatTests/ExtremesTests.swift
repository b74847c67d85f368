import HeartwoodFormat
import Testing

/// The ends of every field that a writer fills: what is encoded is decoded again.
@Suite struct ExtremesTests {
    private let salt: UInt32 = .max
    private let offset = (UInt64.max - 4_095) / 8 * 8

    @Test func fileHeaders() throws {
        let (first, last) = (FormatConstants.sequences.lowerBound, FormatConstants.sequences.upperBound - 1)
        let predecessors = [
            nil, FileHeader.Predecessor(salt: 1, lastSequence: 0, endOffset: 0),
            FileHeader.Predecessor(salt: .max, lastSequence: last, endOffset: .max),
        ]
        for kind in [FileHeader.Kind.log, .snapshot] {
            for sequence in [first, last] {
                for number in [0, .max] as [UInt64] {
                    for predecessor in predecessors {
                        let header = FileHeader(
                            kind: kind, storeID: StoreID(low: number, high: ~number), salt: UInt32(number >> 32) | 1,
                            firstSequence: sequence, predecessor: predecessor, creationTime: number)
                        let bytes = header.encoded()
                        #expect(
                            try bytes.decoding { (bytes) throws(FormatError) in try FileHeader.decode(bytes) } == header
                        )
                        #expect(StoreID("\(header.storeID)") == header.storeID)
                    }
                }
            }
        }
    }

    @Test func records() throws {
        let keys = [1, 65_535].map { [UInt8](repeating: 0xFF, count: $0) }
        for key in keys {
            for value in [0, 1, 5_000].map({ [UInt8](repeating: 0, count: $0) }) {
                for (kind, expiry) in [(RecordKind.put, 0), (.putExpiring, 1), (.putExpiring, UInt64.max)] {
                    for distance in [0, 1 << 62, .max] as [UInt64] {
                        let header = try encoded(kind, key, value, expiry, distance)
                        #expect(header.kind == kind && header.expiry == expiry && header.sequenceDistance == distance)
                        #expect(Int(header.keyLength) == key.count && Int(header.valueLength) == value.count)
                    }
                }
            }
        }
    }

    private func encoded(
        _ kind: RecordKind, _ key: [UInt8], _ value: [UInt8], _ expiry: UInt64, _ distance: UInt64
    ) throws -> RecordHeader {
        try key.withUnsafeBytes { key in
            try value.withUnsafeBytes { value in
                let record = SingleRecord(kind, key: key, value: value, expiry: expiry)
                var bytes = [UInt8](repeating: 1, count: record.encodedLength)
                bytes.withUnsafeMutableBytes {
                    record.encode(
                        to: $0.baseAddress!, sequenceDistance: distance, tag: ChecksumTag(salt: salt, offset: offset))
                }
                return try bytes.decoding { (bytes) throws(FormatError) in
                    try RecordHeader.decode(bytes, salt: salt, offset: offset, flags: .known)
                }
            }
        }
    }

    @Test func keysOfSnapshots() throws {
        let keys = [[0], [UInt8](repeating: 0, count: 65_535), [0xFF], [UInt8](repeating: 0xFF, count: 65_535)]
        let lengths = [40, 32 + 65_536, FormatConstants.maximumBatchBytes / 8 * 8, 32 + 65_536]
        var encoder = KeyBlockEncoder()
        var record = UInt64(FormatConstants.fileHeaderSize)
        let batch = KeyBatch()
        for (number, key) in keys.enumerated() {
            key.withUnsafeBytes {
                encoder.add($0, offset: record, length: lengths[number], expiry: [0, 1, .max, 0][number])
            }
            record += UInt64(lengths[number])
            guard encoder.isFull || number == keys.count - 1 else { continue }
            var block: [UInt8] = []
            encoder.finish(salt: salt, offset: offset) { block = [UInt8]($0) }
            try TestKeyBlock.decode(block, into: batch, salt: salt, at: offset)
        }
        let found = TestKeyBlock.entries(of: batch)
        #expect(found.map(\.key) == keys && found.map(\.length) == lengths && found.map(\.expiry) == [0, 1, .max, 0])
    }

    @Test func names() {
        for number in [0, 1, 1 << 63, .max] as [UInt64] {
            #expect(StoreFileName(StoreFileName.log(number)) == .log(firstSequence: number))
            #expect(StoreFileName(StoreFileName.snapshot(number)) == .snapshot(sequence: number))
        }
        for count in [0, 1, 5_000] {
            let names = (0..<count).map { StoreFileName.log(.max - UInt64($0)) }
            let exchange = RepairGuard(aside: "damaged-\(UInt64.max)", partial: "e\u{301}", newNames: names)
            #expect(RepairGuard(exchange.text) == exchange)
        }
    }
}
