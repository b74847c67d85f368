import HeartwoodFormat
import Testing

/// Records that are encoded before their position is known and bound to it afterwards, compared with the bytes of the
/// test writer.
@Suite struct EncodedBatchTests {
    private let salt: UInt32 = 0x7777_1234

    private func bound(_ batch: EncodedBatch, at offset: Int, distance: UInt64) -> [UInt8] {
        var bytes = batch.bytes
        var inserted = 0
        for external in batch.externals {
            bytes.insert(contentsOf: external.value, at: external.position + inserted)
            inserted += external.value.count
        }
        var position = 0
        bytes.withUnsafeMutableBytes { buffer in
            for _ in 0..<batch.recordCount {
                let header = buffer.baseAddress! + position
                let length = RecordHeader(unverified: UnsafeRawBufferPointer(start: header, count: 32)).encodedLength
                RecordHeader.bind(
                    header, sequenceDistance: distance,
                    tag: ChecksumTag(salt: salt, offset: UInt64(offset + position)))
                position += length
            }
        }
        #expect(position == bytes.count)
        return bytes
    }

    private func expected(_ operations: [TestLog.Operation], at offset: Int, distance: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        for (position, operation) in operations.enumerated() {
            bytes += TestLog.record(
                operation, continues: position < operations.count - 1, continued: position > 0, distance: distance,
                salt: salt, at: offset + bytes.count)
        }
        return bytes
    }

    private func append(_ operation: TestLog.Operation, to batch: inout EncodedBatch, external: Bool) {
        let kind: RecordKind = [1: .put, 2: .putExpiring, 3: .delete][operation.kind] ?? .optional(operation.kind)
        let accepted = operation.key.count + operation.value.count
        operation.key.withUnsafeBytes { key in
            if external {
                batch.append(
                    kind, flags: .init(rawValue: operation.flags), key: key, external: operation.value,
                    expiry: operation.expiry, acceptedBytes: accepted)
            } else {
                operation.value.withUnsafeBytes { value in
                    batch.append(
                        kind, flags: .init(rawValue: operation.flags), key: key, value: value,
                        expiry: operation.expiry, acceptedBytes: accepted)
                }
            }
        }
    }

    /// Flag 1 says that another record of the batch follows, flag 4 that one precedes.
    @Test func flagsSayWhetherTheBatchContinues() {
        for (count, flags) in [(1, [0]), (2, [1, 4]), (4, [1, 5, 5, 4])] as [(Int, [UInt8])] {
            for external in [false, true] {
                var batch = EncodedBatch()
                for number in 0..<count {
                    let kind: UInt8 = number == 2 ? 200 : 1
                    append(
                        .init(kind: kind, flags: 2, key: [UInt8(number)], value: [7, 7, 7, 7, 7]), to: &batch,
                        external: external)
                }
                let bytes = bound(batch, at: 4144, distance: 0)
                #expect((0..<count).map { bytes[$0 * 40 + 1] } == flags.map { $0 | 2 })
            }
        }
    }

    /// A snapshot's records form no batches.
    @Test func aMovedRecordBelongsToNoBatch() throws {
        for flags in 0...7 as ClosedRange<UInt8> {
            let header = RecordHeader(
                kind: .put, flags: .init(rawValue: flags), keyLength: 1, valueLength: 5, sequenceDistance: 9,
                expiry: 0, payloadChecksum: 0x1234_5678)
            var bytes = [UInt8](repeating: 0xFF, count: 32)
            bytes.withUnsafeMutableBytes {
                header.encode(
                    to: $0.baseAddress!, sequenceDistance: 8, tag: ChecksumTag(salt: salt, offset: 4096))
            }
            let found = try bytes.decoding { (buffer) throws(FormatError) in
                try RecordHeader.decode(buffer, salt: salt, offset: 4096, flags: .original)
            }
            var expected = header
            expected.flags = .init(rawValue: flags & 2)
            expected.sequenceDistance = 8
            #expect(found == expected)
        }
    }

    @Test func theEmptyBatchIsEmpty() {
        let batch = EncodedBatch()
        #expect(batch.encodedLength == 0)
        #expect(batch.recordCount == 0)
    }

    @Test func randomBatchesAreEncodedAsDocumented() {
        var random = TestRandom(seed: 11)
        for _ in 0..<300 {
            var operations: [TestLog.Operation] = []
            var batch = EncodedBatch()
            var accepted = 0
            for _ in 0...random.below(6) {
                let kind = [1, 2, 3, 200][random.below(4)] as UInt8
                let operation = TestLog.Operation(
                    kind: kind, key: random.bytes(1 + random.below(30)),
                    value: kind == 3 ? [] : random.bytes(random.below(100)), expiry: kind == 2 ? random.next() | 1 : 0)
                append(operation, to: &batch, external: random.below(3) == 0)
                operations.append(operation)
                accepted += operation.key.count + operation.value.count
            }
            let offset = 4096 + 8 * random.below(1 << 20)
            let distance = random.next() >> 8
            #expect(
                bound(batch, at: offset, distance: distance) == expected(operations, at: offset, distance: distance))
            #expect(batch.recordCount == operations.count)
            #expect(batch.acceptedBytes == accepted)
        }
    }

    @Test func theLongestKeyReadsTheSame() throws {
        let operation = TestLog.Operation(key: [UInt8](repeating: 7, count: 65_535), value: [1])
        var batch = EncodedBatch()
        append(operation, to: &batch, external: false)
        let bytes = bound(batch, at: 4096, distance: 3)
        let header = try bytes.decoding { (buffer) throws(FormatError) in
            try RecordHeader.decode(buffer, salt: salt, offset: 4096, flags: .known)
        }
        #expect(header.keyLength == 65_535)
        #expect(header.sequenceDistance == 3)
        #expect(header.encodedLength == bytes.count)
    }

    @Test func tagsWrapAt32GiB() {
        let tag = ChecksumTag(salt: 1, offset: 4096)
        #expect(tag == ChecksumTag(salt: 1, offset: 4096 + 1 << 35))
        #expect(tag != ChecksumTag(salt: 1, offset: 4096 + 1 << 34))
        #expect(tag.apply(tag.apply(0x1234_5678)) == 0x1234_5678)
    }
}
