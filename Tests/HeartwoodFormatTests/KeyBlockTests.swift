import HeartwoodFormat
import Testing

/// Blocks of keys: a reader gets what was written, or an error.
@Suite struct KeyBlockTests {
    private let salt: UInt32 = 0xDEAD_BEEF
    private let offset: UInt64 = 0x12_3456_7000

    private func result(
        _ bytes: [UInt8], salt: UInt32? = nil, at offset: UInt64? = nil, limit: UInt64 = 1 << 40
    ) -> Result<[TestEntry], FormatError> {
        TestKeyBlock.result(bytes, salt: salt ?? self.salt, at: offset ?? self.offset, limit: limit)
    }

    /// Blocks of these entries, one after the other from `offset` on.
    private func blocks(_ entries: [TestEntry]) -> [[UInt8]] {
        var blocks: [[UInt8]] = []
        var encoder = KeyBlockEncoder()
        var (end, record) = (offset, 4096 as UInt64)
        func finish() {
            encoder.finish(salt: salt, offset: end) { blocks.append([UInt8]($0)) }
            end += UInt64(blocks.last!.count)
        }
        for entry in entries {
            entry.key.withUnsafeBytes {
                encoder.add($0, offset: record, length: entry.length, expiry: entry.expiry)
            }
            record += UInt64(entry.length)
            if encoder.isFull { finish() }
        }
        if !encoder.isEmpty { finish() }
        return blocks
    }

    private func expectReadsTheSame(_ entries: [TestEntry], blocks expected: ClosedRange<Int>) throws {
        let blocks = blocks(entries)
        #expect(expected.contains(blocks.count), "\(blocks.count) blocks")
        let batch = KeyBatch()
        var position = offset
        for block in blocks {
            #expect(block.count % 8 == 0)
            try TestKeyBlock.decode(block, into: batch, salt: salt, at: position)
            position += UInt64(block.count)
        }
        let isSame = TestKeyBlock.entries(of: batch) == entries
        #expect(isSame)
        #expect(batch.byteCount == entries.reduce(0) { $0 + $1.key.count })
        #expect(batch.expiringCount == entries.count { $0.expiry != 0 })
        var record = 4096 as UInt64
        for index in 0..<batch.count {
            #expect(batch.entry(index).offset == record)
            record += UInt64(batch.entry(index).length)
        }
    }

    /// Entries of these keys, in order, with record lengths that are large enough.
    private func entries(_ keys: [[UInt8]], _ random: inout TestRandom) -> [TestEntry] {
        Set(keys).sorted { $0.lexicographicallyPrecedes($1) }.map { key in
            TestEntry(
                key: key, length: 32 + alignedUp(key.count) + 8 * random.below(1 << random.below(20)),
                expiry: random.below(3) == 0 ? random.next() | 1 : 0)
        }
    }

    private func small() -> (bytes: [UInt8], entries: [TestEntry]) {
        let entries = [
            TestEntry(key: Array("apple".utf8), length: 48), TestEntry(key: Array("apply".utf8), length: 4096),
            TestEntry(key: Array("apply2".utf8), length: 40, expiry: 4_102_444_800_000),
            TestEntry(key: Array("b".utf8), length: 40),
        ]
        return (blocks(entries)[0], entries)
    }

    // MARK: - What is written

    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func keysOfAllLengthsReadTheSame(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        var keys = [[], random.bytes(65_534)].map { $0 + [7] as [UInt8] }
        for _ in 0..<400 { keys.append(random.bytes(1 + random.below(1 << random.below(13)))) }
        try expectReadsTheSame(entries(keys, &random), blocks: 2...40)
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func keysThatShareTheirBeginningReadTheSame(seed: UInt64) throws {
        var random = TestRandom(seed: seed)
        var keys: [[UInt8]] = [[0], [0, 0], [0, 0, 0], [255], [255, 255]]
        for _ in 0..<3_000 {
            // A part of an existing key, and something new.
            let key = keys[random.below(keys.count)]
            keys.append(Array(key.prefix(random.below(key.count + 1))) + random.bytes(1 + random.below(6)))
        }
        try expectReadsTheSame(entries(keys, &random), blocks: 1...4)
    }

    @Test func theLongestKeysThatShareAllButTheEndReadTheSame() throws {
        var random = TestRandom(seed: 3)
        let long = random.bytes(65_534)
        let keys = (0..<5).map { long + [UInt8($0)] } + [long]
        // Each is a block of its own, with nothing to share.
        try expectReadsTheSame(entries(keys, &random), blocks: 6...6)
        let shorter = keys.map { Array($0.dropFirst(100)) }
        try expectReadsTheSame(entries(shorter, &random), blocks: 1...1)
    }

    /// A small block that describes very many bytes of keys is read in parts, each of a bounded size.
    @Test func keysThatShareVeryMuchAreReadInParts() throws {
        let long = [UInt8](repeating: 7, count: 60_000)
        let entries = (0..<75).map { TestEntry(key: long + [UInt8($0)], length: 60_040) }
        let blocks = blocks(entries)
        #expect(blocks.count == 1 && blocks[0].count < 61_000)
        let batch = KeyBatch()
        var (found, cursor, parts) = ([TestEntry](), KeyBatch.Cursor?.none, 0)
        try blocks[0].decoding { (buffer) throws(FormatError) in
            let header = try KeyBlock.decodeHeader(buffer, salt: salt, offset: offset)
            repeat {
                batch.removeAll()
                cursor = try batch.decode(buffer.slice(32, header.length), header, limit: 1 << 40, from: cursor)
                let isBounded = batch.byteCount < 4 << 20 + 65_535
                #expect(isBounded)
                found += TestKeyBlock.entries(of: batch)
                parts += 1
            } while cursor != nil
        }
        let isSame = found == entries
        #expect(isSame && parts == 2)
    }

    @Test func theLargestBlockThereCanBeIsRead() throws {
        var random = TestRandom(seed: 4)
        // A block that is almost full, then the largest entry.
        let first = TestEntry(key: [1] + random.bytes(65_517), length: 2_147_479_552, expiry: .max)
        let second = TestEntry(key: [2] + random.bytes(65_534), length: 2_147_479_552, expiry: .max)
        let blocks = blocks([first, second])
        #expect(blocks.count == 1)
        let isSame = result(blocks[0]) == .success([first, second])
        #expect(isSame)
    }

    @Test func everyFieldIsAtItsOffset() {
        var expected: [UInt8] = [0x48, 0x57, 0x4B, 0x42, 4, 0, 0, 0]
        expected += [0x00, 0x10, 0, 0, 0, 0, 0, 0]
        expected += [0x20, 0, 0, 0, 0, 0, 0, 0]
        let entries: [UInt8] =
            [0, 5, 12, 0x61, 0x70, 0x70, 0x6C, 0x65] + [4, 1, 0x80, 8, 0x79]
            + [5, 1, 11, 0, 0xD8, 0xC3, 0x2C, 0xBB, 3, 0, 0, 0x32] + [0, 1, 10, 0x62] + [0, 0, 0]
        // The offset divided by 8 has 34 bits, of which 32 count.
        let tag = salt ^ 0x468A_CE00
        expected.append(number: CRC32C.checksum(entries) ^ tag)
        expected.append(number: CRC32C.checksum(expected) ^ tag)
        #expect(small().bytes == expected + entries)
    }

    @Test func agreesWithTheTestWriter() {
        let (bytes, entries) = small()
        let made =
            TestKeyBlock.entry(shared: 0, entries[0].key, length: 48)
            + TestKeyBlock.entry(shared: 4, [0x79], length: 4096)
            + TestKeyBlock.entry(shared: 5, [0x32], length: 40, expiry: 4_102_444_800_000)
            + TestKeyBlock.entry(shared: 0, [0x62], length: 40)
        #expect(TestKeyBlock.block(made, count: 4, salt: salt, at: offset) == bytes)
        #expect(result(bytes) == .success(entries))
    }

    // MARK: - What is damaged

    @Test func everyFlippedBitIsFound() {
        expectFlippedBitsAreFound(in: small().bytes) { result($0) }
    }

    @Test func everyShorterLengthIsTruncated() {
        expectShorterLengthsAreTruncated(small().bytes) { result($0) }
    }

    @Test func isBoundToItsOffsetAndItsFile() {
        let bytes = small().bytes
        expectIsBound(to: offset, salt, distances: [8, 16, 32, 4096, 1 << 20]) { offset, salt in
            result(bytes, salt: salt, at: offset)
        }
    }

    /// A refused block leaves the earlier entries of the batch unchanged.
    @Test func aRefusedBlockAddsNothing() throws {
        let (bytes, entries) = small()
        let batch = KeyBatch()
        try TestKeyBlock.decode(bytes, into: batch, salt: salt, at: offset)
        let good = TestKeyBlock.entry(shared: 0, [9], length: 40, expiry: 5)
        let hostile = TestKeyBlock.block(
            good + TestKeyBlock.entry(shared: 0, [9], length: 40), count: 2, salt: salt, at: offset)
        #expect(throws: FormatError.invalidField(.keyOrder)) {
            try TestKeyBlock.decode(hostile, into: batch, salt: salt, at: offset)
        }
        #expect(TestKeyBlock.entries(of: batch) == entries)
        #expect(batch.expiringCount == 1 && batch.byteCount == 17)
    }
}
