import Foundation
import Heartwood
import HeartwoodFormat
import Testing

/// Stores of earlier versions, sound or damaged, must read as recorded.
@Suite struct GoldenTests {
    let directory = TemporaryDirectory()

    /// The version whose stores are to be written again.
    private static let written = ProcessInfo.processInfo.environment["HEARTWOOD_WRITE_GOLDEN"].flatMap(Int.init)
    private static var isWriting: Bool { written != nil }

    @Test(.disabled(if: isWriting, "the stores are being written"), arguments: GoldenStore.all)
    func readsAsRecorded(golden: GoldenStore) async throws {
        // A copy, because an opening locks the store, and a later version may write.
        let copy = try directory.copy(golden.path, to: golden.name)
        let expected = try String(contentsOfFile: golden.expectedPath, encoding: .utf8)
        #expect(await GoldenListing.text(ofStoreAt: copy) == expected)
    }

    /// An opening without writes changes no byte, even if it finds damage.
    @Test(.disabled(if: isWriting, "the stores are being written"), arguments: GoldenStore.all)
    func openingChangesNothing(golden: GoldenStore) async throws {
        let copy = try directory.copy(golden.path, to: golden.name)
        _ = await GoldenListing.text(ofStoreAt: copy)
        for name in TemporaryDirectory.names(in: golden.path) {
            let (file, after) = (golden.path + "/" + name, copy + "/" + name)
            #expect(try TemporaryDirectory.bytes(of: file) == TemporaryDirectory.bytes(of: after))
        }
        #expect(TemporaryDirectory.names(in: copy).filter { $0 != "LOCK" } == TemporaryDirectory.names(in: golden.path))
    }

    @Test(.disabled(if: isWriting, "the stores are being written"), arguments: GoldenStore.versions)
    func everyGoldenStoreIsKnown(version: Int) {
        let stores = GoldenStore.all.filter { $0.version == version }
        let names = Set(stores.map(\.name))
        #expect(names.count == stores.count)
        #expect(
            TemporaryDirectory.names(in: GoldenStore.directory(version))
                == names.flatMap { [$0, $0 + ".expected"] }.sorted())
    }

    /// The bytes of the worked example are still those in `Documentation/FileFormat.md`. The third commit isn't
    /// compared: its value is compressed, and another build of zlib may compress it differently.
    @Test(.disabled(if: isWriting, "the stores are being written"))
    func theExampleIsStillWrittenWithTheSameBytes() async throws {
        let name = "0000000000000001.log"
        let golden = try TemporaryDirectory.bytes(of: GoldenStore.directory(3) + "/example/" + name)
        let thirdCommit = 0x10D8
        let path = directory.path("example")
        try await GoldenStore.writeExample(at: path)
        let found = try TemporaryDirectory.bytes(of: path + "/" + name)
        #expect(found[..<thirdCommit] == golden[..<thirdCommit])
        #expect(found[0x2000...] == golden[0x2000...])
    }

    /// In version 1, a log of single records differs only in its header. This one also lacks a flag, in the one record
    /// that isn't the first of its batch.
    @Test(.disabled(if: isWriting, "the stores are being written"))
    func theExampleDiffersFromVersion1InOneFlag() throws {
        let name = "/example/0000000000000001.log"
        let (old, new) = (
            try TemporaryDirectory.bytes(of: GoldenStore.directory(1) + name),
            try TemporaryDirectory.bytes(of: GoldenStore.directory(3) + name)
        )
        #expect(old.count == new.count)
        // The version and the header's checksum; the flags of the delete and the checksum of its header.
        let changed = [8] + Array(4092..<4096) + [0x10B1] + Array(0x10CC..<0x10D0)
        #expect(old.indices.filter { old[$0] != new[$0] } == changed)
    }

    /// The same for the whole example of a snapshot, which equals that of version 2.
    @Test(.disabled(if: isWriting, "the stores are being written"))
    func theExampleOfASnapshotIsStillWrittenWithTheSameBytes() async throws {
        let path = directory.path("example")
        try await GoldenStore.writeSnapshotExample(at: path)
        let golden = GoldenStore.directory(3) + "/example-of-a-snapshot"
        let snapshot = "/" + StoreFileName.snapshot(4)
        #expect(
            try TemporaryDirectory.bytes(of: golden + snapshot)
                == TemporaryDirectory.bytes(of: GoldenStore.directory(2) + "/example" + snapshot))
        for name in TemporaryDirectory.names(in: golden) {
            #expect(
                try TemporaryDirectory.bytes(of: path + "/" + name)
                    == TemporaryDirectory.bytes(of: golden + "/" + name))
        }
    }

    /// The code for the stores of older versions makes stores of the newest one with the same listing, including the
    /// offsets. One store is left out: its listing has the length of compressed values, which depends on zlib's build.
    @Test(
        .disabled(if: isWriting, "the stores are being written"),
        arguments: GoldenStore.all.filter { $0.testDescription != "v2/compressed" })
    func readsTheSameIfItIsMadeAgain(golden: GoldenStore) async throws {
        let path = directory.path(golden.name)
        try await golden.make(path)
        let expected = try String(contentsOfFile: golden.expectedPath, encoding: .utf8)
        #expect(await GoldenListing.text(ofStoreAt: path) == expected)
    }

    @Test(.enabled(if: isWriting, "set HEARTWOOD_WRITE_GOLDEN=3 to write the golden stores of version 3 again"))
    func writeGoldenStores() async throws {
        let files = FileManager.default
        let version = Self.written!
        try #require(version == GoldenStore.versions.last, "those of older versions stay as these wrote them")
        try? files.removeItem(atPath: GoldenStore.directory(version))
        try files.createDirectory(atPath: GoldenStore.directory(version), withIntermediateDirectories: true)
        for golden in GoldenStore.all where golden.version == version {
            try await golden.make(golden.path)
            try? files.removeItem(atPath: golden.path + "/LOCK")
            try? files.removeItem(atPath: golden.path + "/spare.log.tmp")
            let copy = try directory.copy(golden.path, to: golden.name)
            try await GoldenListing.text(ofStoreAt: copy)
                .write(toFile: golden.expectedPath, atomically: true, encoding: .utf8)
        }
    }
}
