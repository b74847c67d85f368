internal import HeartwoodTesting
internal import HeartwoodFormat

/// The apparent offsets of the parts of a snapshot. Any bytes have a layout.
struct SnapshotLayout {
    /// The end of the records.
    var keySection: Int
    var footer: Int
    var records: [Range<Int>] = []
    var blocks: [Int] = []

    /// nil: the bytes are too short for a snapshot.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 4096 + 64 else { return nil }
        footer = bytes.count - 64
        let claimed = bytes.number(at: footer + 16, bytes: 8)
        keySection = claimed >= 4096 && claimed <= UInt64(footer) ? Int(claimed) : footer
        var at = 4096
        while at + 32 <= keySection, records.count < 100 {
            let payload = bytes.number(at: at + 2, bytes: 2) + bytes.number(at: at + 4, bytes: 4)
            let end = at + 32 + Int((payload + 7) / 8 * 8)
            guard end <= keySection else { break }
            records.append(at..<end)
            at = end
        }
        at = keySection
        while at + 32 <= footer, blocks.count < 20 {
            blocks.append(at)
            at += 32 + Int(bytes.number(at: at + 16, bytes: 4))
        }
    }
}

/// Changes the parts of a snapshot: header, records, blocks of keys, footer.
enum SnapshotMutation {
    static func run(_ bytes: inout [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) {
        for _ in 0...random.below(3) { change(&bytes, &random, blind) }
        if !random.oneIn(16) { repair(&bytes, rebuilding: random.oneIn(2)) }
        // Sometimes one more change, without a repair of the checksum.
        if random.oneIn(8), !bytes.isEmpty { bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
    }

    private static func change(_ bytes: inout [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) {
        guard let layout = SnapshotLayout(bytes) else { return }
        let footer = layout.footer
        switch random.below(14) {
        case 0: Mutation.changeFileHeader(&bytes, &random, blind)
        case 1: Mutation.changeFooter(&bytes, at: footer, fileOffset: UInt64(footer), &random, blind)
        case 2: bytes.removeLast(random.pick([1, 8, 64, 200]))
        case 3: bytes.insert(contentsOf: [UInt8](repeating: 0, count: random.pick([1, 8, 64])), at: footer)
        case 4, 5:
            guard let block = layout.blocks.first else { return }
            Mutation.changeBlockHeader(&bytes, at: block, &random, blind)
        case 6, 7:
            guard let block = layout.blocks.last, block + 32 < footer else { return }
            Mutation.change((block + 32)..<footer, of: &bytes, blind)
        default:
            guard !layout.records.isEmpty else { return }
            changeRecord(random.pick(layout.records), of: &bytes, &random, blind)
        }
    }

    private static func changeRecord(
        _ record: Range<Int>, of bytes: inout [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation
    ) {
        switch random.below(4) {
        case 0: Mutation.changeRecordHeader(&bytes, at: record.lowerBound, &random, blind)
        case 1:
            bytes[record.lowerBound + 32 + random.below(max(1, record.count - 32)) % 8] ^= 1 << UInt8(random.below(8))
        case 2:
            bytes.removeSubrange(record)
            move(&bytes, by: -record.count)
        default:
            var copy = Array(bytes[record])
            if copy.count > 32 { copy[32] = UInt8(random.below(256)) }
            bytes.insert(contentsOf: copy, at: record.upperBound)
            move(&bytes, by: copy.count)
        }
    }

    /// Moves the offset of the key section in the footer.
    private static func move(_ bytes: inout [UInt8], by distance: Int) {
        guard bytes.count >= 4096 + 64 else { return }
        let field = bytes.count - 64 + 16
        bytes.setNumber(bytes.number(at: field, bytes: 8) &+ UInt64(bitPattern: Int64(distance)), at: field, bytes: 8)
    }

    /// Makes the checksums right.
    ///
    /// - Parameter rebuilding: Replaces the key section and the footer by new ones for the current records.
    static func repair(_ bytes: inout [UInt8], rebuilding: Bool) {
        guard let layout = SnapshotLayout(bytes) else { return }
        if rebuilding { rebuild(&bytes, layout) }
        guard let layout = SnapshotLayout(bytes) else { return }
        Repair.fileHeader(&bytes)
        let salt = UInt32(bytes.number(at: 12, bytes: 4))
        for record in layout.records { Repair.record(&bytes, record, salt) }
        for block in layout.blocks where block + 32 <= layout.footer {
            Repair.keyBlock(&bytes, at: block, salt: salt, fileOffset: UInt64(block))
        }
        Repair.seal(&bytes, at: layout.footer, count: 60, salt: salt, fileOffset: UInt64(layout.footer))
    }

    private static func rebuild(_ bytes: inout [UInt8], _ layout: SnapshotLayout) {
        var records: [[UInt8]: [UInt8]] = [:]
        for range in layout.records {
            let record = Array(bytes[range])
            let length = Int(record.number(at: 2, bytes: 2))
            if length > 0, 32 + length <= record.count { records[Array(record[32..<(32 + length)])] = record }
        }
        let keys = records.keys.sorted { $0.lexicographicallyPrecedes($1) }
        let salt = UInt32(bytes.number(at: 12, bytes: 4))
        bytes.removeLast(bytes.count - 4096)
        var encoder = KeyBlockEncoder()
        var expiring: UInt64 = 0
        for key in keys {
            let record = records[key]!
            let expiry = record.number(at: 16, bytes: 8)
            if expiry != 0 { expiring += 1 }
            key.withUnsafeBytes {
                encoder.add($0, offset: UInt64(bytes.count), length: record.count, expiry: expiry)
            }
            bytes += record
        }
        let keySection = bytes.count
        if !encoder.isEmpty {
            encoder.finish(salt: salt, offset: UInt64(bytes.count)) { bytes += $0 }
        }
        let footer = SnapshotFooter(
            recordCount: UInt64(keys.count), keySectionOffset: UInt64(keySection), blockCount: keys.isEmpty ? 0 : 1,
            keyBytes: UInt64(keys.reduce(0) { $0 + $1.count }), expiringCount: expiring)
        bytes += footer.encoded(salt: salt, offset: UInt64(bytes.count))
    }
}
