import HeartwoodCampaignSupport
import HeartwoodConcurrency
import HeartwoodFileSystem
import Testing

@testable import Heartwood

/// Writeback of unsynced data is started piece by piece.
@Suite struct WritebackTests {
    private let fileSystem = RecordingFileSystem()

    private func open(_ segmentBytes: Int) async throws -> Store {
        var configuration = Store.Configuration(in: fileSystem, segmentBytes: segmentBytes)
        configuration.compaction = .manual
        // Background syncs would replace the writeback.
        configuration.timing.sync = .max
        return try await Store.open(at: "/store", configuration: configuration)
    }

    @Test(arguments: [Durability.buffered, .written])
    func eachPartIsStartedOnceAfterItIsWritten(durability: Durability) async throws {
        let store = try await open(16 << 20)
        let value = [UInt8](repeating: 7, count: 10_000)
        for number in 0..<4_000 { try await store.put("key-\(number)", value, durability: durability) }
        try await store.sync()
        try await store.close()
        let files = fileSystem.files.withLock { $0 }.filter { !$0.started.isEmpty }
        try #require(files.count >= 2)
        for file in files {
            for (part, written) in file.started {
                #expect(part.lowerBound % 4096 == 0 && part.upperBound % 4096 == 0 && part.count >= 1 << 20)
                #expect(part.upperBound <= written)
            }
            for (part, next) in zip(file.started, file.started.dropFirst()) {
                #expect(part.part.upperBound <= next.part.lowerBound)
            }
            for (part, next) in zip(file.awaited, file.awaited.dropFirst()) {
                #expect(part.upperBound == next.lowerBound)
            }
            let (started, awaited) = (file.started.last!.part.upperBound, file.awaited.last?.upperBound ?? 0)
            #expect(awaited < started && started < awaited + 16 << 20, "the next sync is never long")
        }
        let started = files.flatMap(\.started).reduce(0) { $0 + $1.part.count }
        #expect(started > 20 << 20, "of 40 MB")
    }

    @Test func syncedWritesStartNothing() async throws {
        let store = try await open(64 << 20)
        let value = [UInt8](repeating: 7, count: 100_000)
        for number in 0..<50 { try await store.put("key-\(number)", value) }
        try await store.close()
        #expect(fileSystem.files.withLock { $0.allSatisfy(\.started.isEmpty) })
    }
}

/// Records which parts of its files are passed to `startWriteback`.
private final class RecordingFileSystem: ForwardingFileSystem {
    struct Record {
        var started: [(part: Range<UInt64>, written: UInt64)] = []
        var awaited: [Range<UInt64>] = []
        var written: UInt64 = 0
    }

    let base: any FileSystem = InMemoryFileSystem()
    let files = Locked<[Record]>([])

    func openFile(_ path: String, for access: FileAccess) throws(FileSystemError) -> any File {
        let file = try base.openFile(path, for: access)
        let number = files.withLock {
            $0.append(Record())
            return $0.count - 1
        }
        return Recorder(base: file, number: number, fileSystem: self)
    }

    private final class Recorder: ForwardingFile {
        let base: any File
        private let number: Int
        private let fileSystem: RecordingFileSystem

        init(base: any File, number: Int, fileSystem: RecordingFileSystem) {
            (self.base, self.number, self.fileSystem) = (base, number, fileSystem)
        }

        func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
            let count = try base.write(bytes, at: offset)
            fileSystem.files.withLock { $0[number].written = max($0[number].written, offset + UInt64(count)) }
            return count
        }

        func startWriteback(from offset: UInt64, count: UInt64, waiting: Bool) {
            let part = offset..<offset + count
            fileSystem.files.withLock { files in
                if waiting {
                    files[number].awaited.append(part)
                } else {
                    files[number].started.append((part, files[number].written))
                }
            }
        }
    }
}
