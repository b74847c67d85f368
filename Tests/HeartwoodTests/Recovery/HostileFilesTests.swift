import Foundation
import HeartwoodFileSystem
import HeartwoodFormat
import Testing

@testable import Heartwood

/// Files that no writer of this version makes: each is refused with the right error code, and none ends the process.
@Suite struct HostileFilesTests {
    let directory = TemporaryDirectory()

    private func open(_ image: FileImage) throws -> Store {
        try Store(openingAt: "/store", configuration: Store.Configuration(in: image.fileSystem()))
    }

    /// A store of one segment: a header, and other bytes.
    private func image(firstSequence first: UInt64, _ rest: [UInt8] = []) -> FileImage {
        let header = FileHeader(
            kind: .log, storeID: StoreID(low: 1, high: 2), salt: 3, firstSequence: first, predecessor: nil,
            creationTime: 0)
        return FileImage().changed { $0[StoreFileName.log(first)] = header.encoded() + rest }
    }

    @Test(arguments: [0, 1 << 63, UInt64.max - 1, .max] as [UInt64])
    func aHeaderWithAnImpossibleFirstNumberIsRefused(_ first: UInt64) async throws {
        await expectError(.corruption) { _ = try open(image(firstSequence: first)) }
    }

    /// Its next write would be in a segment whose number no opening accepts.
    @Test func aStoreWithoutNumbersLeftIsRefused() async throws {
        let first = FormatConstants.sequences.upperBound - 2
        let error = await expectError(.corruption) { _ = try open(image(firstSequence: first)) }
        #expect(error?.file?.hasSuffix(StoreFileName.log(first)) == true)
    }

    /// By this mark, more than half of all numbers would be lost. No store reaches its number, so it proves nothing.
    @Test func aMarkWithAnImpossibleNumberIsNoEvidence() async throws {
        let mark = CommitHeader(
            flags: .mark, bodyLength: 0, firstSequence: .max, syncedMark: 8192, time: 0, recordCount: 0)
        let hostile = image(
            firstSequence: 1, [UInt8](repeating: 1, count: 4096) + mark.encoded(salt: 3, offset: 8192))
        let error = await expectError(.corruption) { _ = try open(hostile) }
        #expect(error?.offset == 4096 && error?.lostSequences == nil)
    }

    @Test func aMarkOfANewerVersionIsUnsupported() async throws {
        let path = directory.path("store")
        try await Store.withStore(at: path) { store in
            try await store.put("a", "1")
            try await store.put("b", "2")
        }
        let image = try FileImage(ofStore: path)
        let (name, bytes) = image.files.first!
        let header = try bytes.withUnsafeBytes { try FileHeader.decode($0) }
        let offset = UInt64(bytes.count - FormatConstants.commitHeaderSize)
        var mark = try bytes.withUnsafeBytes {
            try CommitHeader.decode(
                UnsafeRawBufferPointer(rebasing: $0[Int(offset)...]), salt: header.salt, offset: offset)
        }
        mark.flags = CommitHeader.Flags(rawValue: 7)
        let newer = image.changed { files in
            files[name] =
                bytes.dropLast(FormatConstants.commitHeaderSize) + mark.encoded(salt: header.salt, offset: offset)
        }
        let error = await expectError(.unsupportedFormat) { _ = try open(newer) }
        #expect(error?.offset == offset)
    }

    /// The index has only about the length that an entry states for a long record. Reads refuse another length, as
    /// `heartwood verify` does.
    @Test(arguments: [ValueReading.mapped, .positioned])
    func aLongRecordOfAnotherLengthThanItsEntryIsCorruption(_ reading: ValueReading) async throws {
        var configuration = Store.Configuration(in: InMemoryFileSystem())
        configuration.valueReading = reading
        try await Store.withStore(at: "/store", configuration: configuration) { store in
            try await store.put("a", [UInt8](repeating: 1, count: 6_000))
            try await store.put("b", [UInt8](repeating: 2, count: 6_000))
            try await store.compact()
        }
        let image = try FileImage(of: configuration.fileSystem, everything: true)
        let (name, bytes) = try #require(image.files.first { $0.key.hasSuffix(".snapshot") })
        for (excess, isSound) in [(0, true), (8, false)] {
            let forged = try lengthened(bytes, by: excess)
            configuration.fileSystem = try image.changed { $0[name] = forged }.fileSystem()
            let store = try await Store.open(at: "/store", configuration: configuration)
            #expect(try store.get("a")?.count == 6_000)
            if isSound {
                #expect(try store.get("b")?.count == 6_000)
                #expect(try store.contents().count == 2)
            } else {
                await expectError(.corruption) { _ = try store.get("b") }
                await expectError(.corruption) { _ = try store.contents() }
            }
            try await store.close()
        }
    }

    /// A snapshot of the two records of 6,000 bytes, in which the entry of the last one states a greater length.
    private func lengthened(_ bytes: [UInt8], by excess: Int) throws -> [UInt8] {
        let salt = try bytes.withUnsafeBytes { try FileHeader.decode($0) }.salt
        let length = FormatConstants.recordHeaderSize + alignedUp(6_001)
        let end = FormatConstants.fileHeaderSize + 2 * length
        var forged = bytes[..<end] + [UInt8](repeating: 0, count: excess)
        var encoder = KeyBlockEncoder()
        for (index, key) in ["a", "b"].enumerated() {
            key.withByteBuffer {
                encoder.add(
                    $0, offset: UInt64(FormatConstants.fileHeaderSize + index * length),
                    length: length + index * excess, expiry: 0)
            }
        }
        let footer = SnapshotFooter(
            recordCount: 2, keySectionOffset: UInt64(forged.count), blockCount: 1, keyBytes: 2, expiringCount: 0)
        encoder.finish(salt: salt, offset: footer.keySectionOffset) { forged += Array($0) }
        return Array(forged) + footer.encoded(salt: salt, offset: UInt64(forged.count))
    }

    @Test func aValueOverALoweredLimitIsTooLarge() async throws {
        let path = directory.path("store")
        var configuration = Store.Configuration()
        configuration.compression = .zlib()
        try await Store.withStore(at: path, configuration: configuration) { store in
            try await store.put("large", [UInt8](repeating: 7, count: 100_000))
        }
        configuration.maximumValueBytes = 1_000
        let store = try await Store.open(at: path, configuration: configuration)
        await expectError(.tooLarge) { _ = try store.get("large") }
        try await store.close()
    }

    @Test func aPipeWithTheNameOfASegmentIsCorruption() async throws {
        let path = directory.path("store")
        try await Store.withStore(at: path) { try await $0.put("a", "1") }
        let pipe = path + "/" + StoreFileName.log(2)
        #expect(mkfifo(pipe, 0o600) == 0)
        let error = await expectError(.corruption) { _ = try await Store.open(at: path) }
        #expect(error?.file == pipe)
    }
}
