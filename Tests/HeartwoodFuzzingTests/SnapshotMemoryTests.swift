#if os(Linux)
import Heartwood
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodFuzzing
import Testing

/// Snapshots that claim to be far larger than they are, or that are holes, are read by a process that can't have the
/// memory that they ask for.
@Suite struct SnapshotMemoryTests {
    private static let margin = 24 << 20
    private static let salt: UInt32 = 0x0BAD_5EED

    /// A snapshot of this size with a sound header and this footer, all else a hole but for `keys`; and the log behind
    /// it.
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
        let behind = try fileSystem.openFile("/store/" + StoreFileName.log(6), for: .create)
        try write(log.encoded(), behind, at: 0)
        let snapshot = try fileSystem.openFile("/store/" + StoreFileName.snapshot(5), for: .create)
        try snapshot.truncate(to: size)
        try write(header.encoded(), snapshot, at: 0)
        try write(keys, snapshot, at: footer.keySectionOffset)
        try write(footer.encoded(salt: salt, offset: size - 64), snapshot, at: size - 64)
        return fileSystem
    }

    private static func open(_ fileSystem: InMemoryFileSystem) throws -> Store {
        var configuration = OpeningOutcome.configuration
        configuration.fileSystem = fileSystem
        try limitMemory(to: margin)
        return try Store(openingAt: "/store", configuration: configuration)
    }

    private static func expectRefused(_ fileSystem: InMemoryFileSystem) throws {
        do {
            _ = try open(fileSystem)
            preconditionFailure("a hole was opened")
        } catch {
            precondition((error as? StoreError)?.code == .corruption, "\(error)")
        }
    }

    /// Room for all records was made by what the footer says of them.
    @Test func giantFootersAllocatedAddressesForAllTheirRecords() async {
        await #expect(processExitsWith: .success) {
            for size in [1 << 30, 1 << 40, 1 << 53, 1 << 54 + 1 << 40, 1 << 55, 1 << 60, 1 << 62] as [UInt64] {
                let places = [4096, size / 2, size - 64 - 4096, 1 << 54, 1 << 54 + 8] as [UInt64]
                for keys in places where keys < size - 64 {
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

    /// Two terabytes of records that aren't there: the keys are, and an opening reads no more.
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
