import Foundation
import HeartwoodFileSystem
import HeartwoodFormat
import Testing

@testable import Heartwood

/// Files that no writer of this version made: each is refused with the right word, and none traps.
@Suite struct HostileFilesTests {
    let directory = TemporaryDirectory()

    private func closedImage() async throws -> FileImage {
        let path = directory.path("store")
        try await Store.withStore(at: path) { store in
            try await store.put("a", "1")
            try await store.put("b", "2")
        }
        return try FileImage(ofStore: path)
    }

    private func open(_ image: FileImage) throws -> Store {
        var configuration = Store.Configuration()
        configuration.fileSystem = try image.fileSystem()
        return try Store(openingAt: "/store", configuration: configuration)
    }

    @Test(arguments: [0, 1 << 63, UInt64.max - 1, .max] as [UInt64])
    func aHeaderWithAnImpossibleFirstNumberTrapped(_ first: UInt64) async throws {
        let header = FileHeader(
            kind: .log, storeID: StoreID(low: 1, high: 2), salt: 3, firstSequence: first, predecessor: nil,
            creationTime: 0)
        var image = try await closedImage()
        image.files = [StoreFileName.log(first): header.encoded()]
        let hostile = image
        await expectError(.corruption) { _ = try open(hostile) }
    }

    /// It opened, took a write, and put that into a segment whose number no opening accepts.
    @Test func aStoreAtTheEndOfAllNumbersOpenedForTheLastTime() async throws {
        let first = FormatConstants.sequences.upperBound - 2
        let header = FileHeader(
            kind: .log, storeID: StoreID(low: 1, high: 2), salt: 3, firstSequence: first, predecessor: nil,
            creationTime: 0)
        var image = try await closedImage()
        image.files = [StoreFileName.log(first): header.encoded()]
        let hostile = image
        let error = await expectError(.corruption) { _ = try open(hostile) }
        #expect(error?.file?.hasSuffix(StoreFileName.log(first)) == true)
    }

    /// The number that a mark names would be the next one after those that are lost: half of all numbers and more. No
    /// store comes to it, so it is evidence of none.
    @Test func countingTheNumbersThatAreLostTrapped() async throws {
        let header = FileHeader(
            kind: .log, storeID: StoreID(low: 1, high: 2), salt: 3, firstSequence: 1, predecessor: nil,
            creationTime: 0)
        let mark = CommitHeader(
            flags: .mark, bodyLength: 0, firstSequence: .max, syncedMark: 8192, time: 0, recordCount: 0)
        var image = try await closedImage()
        image.files = [
            StoreFileName.log(1): header.encoded() + [UInt8](repeating: 1, count: 4096)
                + mark.encoded(salt: 3, offset: 8192)
        ]
        let hostile = image
        let error = await expectError(.corruption) { _ = try open(hostile) }
        #expect(error?.offset == 4096 && error?.lostSequences == nil)
    }

    @Test func aMarkOfANewerVersionWasTakenForATornTail() async throws {
        var image = try await closedImage()
        let (name, bytes) = image.files.first!
        let header = try bytes.withUnsafeBytes { try FileHeader.decode($0) }
        let offset = UInt64(bytes.count - FormatConstants.commitHeaderSize)
        var mark = try bytes.withUnsafeBytes {
            try CommitHeader.decode(
                UnsafeRawBufferPointer(rebasing: $0[Int(offset)...]), salt: header.salt, offset: offset)
        }
        mark.flags = CommitHeader.Flags(rawValue: 7)
        image.files[name] =
            bytes.dropLast(FormatConstants.commitHeaderSize) + mark.encoded(salt: header.salt, offset: offset)
        let newer = image
        let error = await expectError(.unsupportedFormat) { _ = try open(newer) }
        #expect(error?.offset == offset)
    }

    @Test func aValueOverALoweredLimitWasCalledCorruption() async throws {
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

    @Test func aPipeByTheNameOfASegmentWasAnErrorOfTheDisk() async throws {
        let path = directory.path("store")
        try await Store.withStore(at: path) { try await $0.put("a", "1") }
        let pipe = path + "/" + StoreFileName.log(2)
        #expect(mkfifo(pipe, 0o600) == 0)
        let error = await expectError(.corruption) { _ = try await Store.open(at: path) }
        #expect(error?.file == pipe)
    }

    @Test func misplacedSegmentsAreRecognised() async throws {
        let path = directory.path("store")
        var configuration = Store.Configuration()
        configuration.segmentBytes = 16 << 10
        for number in 0..<4 {
            try await Store.withStore(at: path, configuration: configuration) { store in
                try await store.put("k\(number)", "v")
            }
        }
        let image = try FileImage(ofStore: path)
        let other = directory.path("other")
        try await Store.withStore(at: other, configuration: configuration) { try await $0.put("k", "v") }
        let foreign = try FileImage(ofStore: other).files.values.first!
        let names = image.files.keys.sorted()
        #expect(names.count == 4)
        func expectCorruption(_ change: (inout [String: [UInt8]]) -> Void) async {
            var changed = image
            change(&changed.files)
            let damaged = changed
            await expectError(.corruption) { _ = try open(damaged) }
        }
        await expectCorruption { $0[names[0]] = nil }
        await expectCorruption { $0[names[1]] = nil }
        await expectCorruption { $0[names[1]] = [] }
        await expectCorruption { $0[names[3]] = [] }
        await expectCorruption { files in
            files[names[1]] = image.files[names[2]]
            files[names[2]] = image.files[names[1]]
        }
        await expectCorruption { $0[names[2]] = image.files[names[1]] }
        await expectCorruption { $0[names[0]] = foreign }
        await expectCorruption { $0["00000000000000ff.log"] = image.files[names[3]] }
        await expectCorruption { $0["00000000000000ff.log"] = foreign }
        // The newest file removed looks like a crash, and is written down as such: unclosed or closed, never corrupt.
        var shorter = image
        shorter.files[names[3]] = nil
        #expect(Array(try open(shorter).keys()).count == 3)
    }
}
