import Foundation
import HeartwoodFileSystem
import HeartwoodFiles
import HeartwoodFormat
import Testing

@testable import Heartwood

/// Stores whose logs have several versions of the format: the old files stay unchanged, and new files have the newest
/// version.
@Suite struct MixedVersionTests {
    let directory = TemporaryDirectory()

    private func contents(of store: Store) throws -> [[UInt8]: [UInt8]] {
        var contents: [[UInt8]: [UInt8]] = [:]
        for entry in try store.scan().entries() {
            contents[entry.key] = entry.value
        }
        return contents
    }

    private func headers(_ path: String) throws -> [FileHeader] {
        try TemporaryDirectory.segments(of: path).map { file in
            try TemporaryDirectory.bytes(of: file).withUnsafeBytes { try FileHeader.decode($0) }
        }
    }

    private func writeBatch(to store: Store, _ value: String) async throws {
        try await store.write { batch in
            batch.put("mixed 1", value)
            batch.put("mixed 2", value)
            batch.remove("mixed 1")
            batch.put("mixed 3", value)
        }
    }

    private static let older = GoldenStore.all.filter { golden in
        ["v1/plain", "v1/segments", "v1/reopened", "v1/unclosed", "v1/torn-record", "v2/log-behind"]
            .contains(golden.testDescription)
    }

    @Test(arguments: older)
    func aStoreOfAnOlderVersionContinuesInTheNewest(golden: GoldenStore) async throws {
        let path = try directory.copy(golden.path, to: golden.name)
        let files = try TemporaryDirectory.segments(of: path).map { ($0, try TemporaryDirectory.bytes(of: $0)) }
        #expect(!files.isEmpty)
        #expect(try headers(path).allSatisfy { $0.version == 1 })
        var expected: [[UInt8]: [UInt8]] = [:]
        for opening in 1...2 as ClosedRange<UInt64> {
            try await GoldenStore.open(path, reopening: opening) { store in
                let before = try contents(of: store)
                if opening > 1 { #expect(before == expected) }
                try await writeBatch(to: store, "opening \(opening)")
                expected = try contents(of: store)
                #expect(expected.count == before.count + (opening == 1 ? 2 : 0))
            }
        }
        #expect(try headers(path).map(\.version) == files.map { _ in 1 } + [3, 3])
        for (file, bytes) in files { #expect(try TemporaryDirectory.bytes(of: file) == bytes) }
        try await GoldenStore.open(path, reopening: 3) { store in
            let found = try contents(of: store)
            #expect(found == expected)
        }
    }

    /// It has the records of both logs; none is marked as part of a batch.
    @Test(arguments: older)
    func aSnapshotOfBothVersionsHasVersion2(golden: GoldenStore) async throws {
        let path = try directory.copy(golden.path, to: golden.name)
        var expected: [[UInt8]: [UInt8]] = [:]
        try await GoldenStore.open(path, reopening: 1) { store in
            try await writeBatch(to: store, "before the snapshot")
            _ = try await store.compact()
            expected = try contents(of: store)
        }
        let name = try #require(TemporaryDirectory.names(in: path).last { $0.hasSuffix(".snapshot") })
        let bytes = try TemporaryDirectory.bytes(of: path + "/" + name)
        let header = try bytes.withUnsafeBytes { try FileHeader.decode($0) }
        #expect(header.version == 2)
        let file = SegmentEditor(bytes: bytes)
        var (at, records) = (4096, 0)
        while at < file.keySection {
            #expect(bytes[at + 1] & ~2 == 0, "flags \(bytes[at + 1]) at \(at)")
            at += file.recordLength(at)
            records += 1
        }
        #expect(at == file.keySection && records == expected.count)
        try await GoldenStore.open(path, reopening: 2) { store in
            let found = try contents(of: store)
            #expect(found == expected)
        }
    }

    /// The batch flags have no meaning in a snapshot, so a reader refuses the record.
    @Test(arguments: [4, 5, 8] as [UInt8])
    func aSnapshotRecordWithABatchFlagIsRefused(flags: UInt8) async throws {
        let path = directory.path("store")
        try await GoldenStore.open(path) { store in
            for number in 0..<3 { try await store.put("key \(number)", "value") }
            _ = try await store.compact()
        }
        let name = path + "/" + StoreFileName.snapshot(3)
        var file = SegmentEditor(bytes: try TemporaryDirectory.bytes(of: name))
        file.bytes[4097] = flags
        file.repair(4096, count: 28, tag: 512 ^ file.salt)
        try TemporaryDirectory.write(file.bytes, to: name)
        try await GoldenStore.open(path, reopening: 1) { store in
            let error = await expectError(.unsupportedFormat) { _ = try store.get("key 0") }
            #expect(error?.offset == 4096)
            #expect(error?.cause as? FormatError == .unsupported(.recordFlags(flags)))
            #expect(try store.get("key 1") == Array("value".utf8))
            try await store.put("key 3", "a write to compact")
            await expectError(.unsupportedFormat) { try await store.compact() }
        }
    }

    /// The check of a snapshot before its rename refuses the flags too.
    @Test func theCheckOfASnapshotRefusesABatchFlag() async throws {
        let path = directory.path("store")
        try await GoldenStore.open(path) { store in
            try await store.put("key", "value")
            _ = try await store.compact()
        }
        let name = path + "/" + StoreFileName.snapshot(1)
        for (flags, isSound) in [(0, true), (1, false), (4, false)] as [(UInt8, Bool)] {
            var editor = SegmentEditor(bytes: try TemporaryDirectory.bytes(of: name))
            editor.bytes[4097] = flags
            editor.repair(4096, count: 28, tag: 512 ^ editor.salt)
            try TemporaryDirectory.write(editor.bytes, to: name)
            var check = try SnapshotCheck(SnapshotFile(name, sequence: 1, in: POSIXFileSystem()))
            if isSound {
                let isWhole = try check.run { _ in true }
                #expect(isWhole)
            } else {
                let error = await expectError(.corruption) { _ = try check.run { _ in true } }
                #expect(error?.offset == 4096)
            }
        }
    }
}
