#if os(Linux)
import Heartwood
import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodFuzzing
import Testing

/// A process with little memory reads snapshots that are holes, or that claim to be far larger than they are.
@Suite struct SnapshotMemoryTests {
    private static let margin = 24 << 20
    private static let salt: UInt32 = 0x0BAD_5EED

    /// A snapshot of this size with a valid header, this footer, `keys`, and holes between them; and the log after it.
    private static func fileSystem(
        size: UInt64, _ footer: SnapshotFooter, keys: [UInt8] = []
    ) throws -> InMemoryFileSystem {
        let id = StoreID(low: 1, high: 2)
        let end = FileHeader.Predecessor(salt: 9, lastSequence: 5, endOffset: 8192)
        let header = FileHeader(
            kind: .snapshot, storeID: id, salt: salt, firstSequence: 1, predecessor: end, creationTime: 0)
        let log = FileHeader(
            kind: .log, storeID: id, salt: 7, firstSequence: 6, predecessor: end, creationTime: 0)
        let fileSystem = InMemoryFileSystem()
        try fileSystem.createDirectory("/store")
        func write(_ bytes: [UInt8], _ file: any File, at offset: UInt64) throws {
            try bytes.withUnsafeBytes { try file.writeFully($0, at: offset) }
        }
        try fileSystem.create("/store/" + StoreFileName.log(6), log.encoded())
        let snapshot = try fileSystem.openFile("/store/" + StoreFileName.snapshot(5), for: .create)
        try snapshot.truncate(to: size)
        try write(header.encoded(), snapshot, at: 0)
        try write(keys, snapshot, at: footer.keySectionOffset)
        try write(footer.encoded(salt: salt, offset: size - 64), snapshot, at: size - 64)
        return fileSystem
    }

    private static func open(_ fileSystem: InMemoryFileSystem) throws -> Store {
        try limitMemory(to: margin)
        return try Store(openingAt: "/store", configuration: OpeningOutcome.configuration(fileSystem))
    }

    private static func expectRefused(_ fileSystem: InMemoryFileSystem) throws {
        do {
            _ = try open(fileSystem)
            preconditionFailure("a hole was opened")
        } catch {
            precondition((error as? StoreError)?.code == .corruption, "\(error)")
        }
    }

    /// An opening must not allocate memory for the number of records in the footer.
    @Test func giantFootersAllocateNothing() async {
        await #expect(processExitsWith: .success) {
            for size in [1 << 30, 1 << 40, 1 << 53, 1 << 54 + 1 << 40, 1 << 55, 1 << 60, 1 << 62] as [UInt64] {
                let offsets = [4096, size / 2, size - 64 - 4096, 1 << 54, 1 << 54 + 8] as [UInt64]
                for keys in offsets where keys < size - 64 {
                    let records = max(1, min((keys - 4096) / 40, (size - 64 - keys) / 4))
                    for count in [1, records] {
                        let footer = SnapshotFooter(
                            recordCount: count, keySectionOffset: keys,
                            blockCount: max(1, min(count, (size - 64 - keys) / 32)),
                            keyBytes: keys - 4096, expiringCount: count)
                        try Self.expectRefused(Self.fileSystem(size: size, footer))
                    }
                }
            }
        }
    }

    /// The keys are there, but the records are a hole of 2 TB. An opening reads the keys only.
    @Test func recordsThatAreAHoleTakeNoMemory() async {
        await #expect(processExitsWith: .success) {
            var encoder = KeyBlockEncoder()
            var record: UInt64 = 4096
            for number in 0..<1_000 as Range<UInt16> {
                withUnsafeBytes(of: number.bigEndian) {
                    encoder.add($0, offset: record, length: 2_147_479_552, expiry: 0)
                }
                record += 2_147_479_552
            }
            var block: [UInt8] = []
            encoder.finish(salt: Self.salt, offset: record) { block = [UInt8]($0) }
            let footer = SnapshotFooter(
                recordCount: 1_000, keySectionOffset: record, blockCount: 1, keyBytes: 2_000, expiringCount: 0)
            let size = record + UInt64(block.count) + 64
            let store = try Self.open(try Self.fileSystem(size: size, footer, keys: block))
            precondition(store.statistics.keys == 1_000)
            let isThere = try store.contains([3, 1] as [UInt8])
            precondition(isThere)
        }
    }
}
#endif
