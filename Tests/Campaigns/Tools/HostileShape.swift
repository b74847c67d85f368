internal import ArgumentParser
internal import Foundation
internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import HeartwoodFuzzing

/// A store with one file that costs its readers much time or memory, or that is no regular file.
enum HostileShape: String, CaseIterable, ExpressibleByArgument {
    case sparseSegment = "sparse-segment"
    case sparseSnapshot = "sparse-snapshot"
    case pipeAsLock = "pipe-as-lock"
    case linkAsLock = "link-as-lock"
    case pipeAsSegment = "pipe-as-segment"
    case directoryAsSegment = "directory-as-segment"
    case emptySegment = "empty-segment"
    case emptySnapshot = "empty-snapshot"
    case emptyLock = "empty-lock"
    case deflateBomb = "deflate-bomb"
    case overlappingCommits = "overlapping-commits"

    /// A key that the store has.
    static let key = "a"

    /// Writes the store.
    func make(_ path: String) async throws {
        switch self {
        case .deflateBomb: return try Self.write(Self.bomb(), to: path)
        case .overlappingCommits: return try Self.write(Self.overlapping(), to: path)
        default: break
        }
        // A snapshot, and a segment after it.
        try await Store.withStore(at: path) { store in
            try await store.put(Self.key, "value")
            try await store.compact()
            try await store.put("b", "value")
        }
        let names = try POSIXFileSystem().contents(ofDirectory: path).sorted()
        let segment = path + "/" + (names.last { $0.hasSuffix(".log") } ?? StoreFileName.log(2))
        let snapshot = path + "/" + (names.last { $0.hasSuffix(".snapshot") } ?? StoreFileName.snapshot(1))
        let lock = path + "/" + StoreFileName.lockName
        switch self {
        case .sparseSegment: truncate(segment, 1 << 40)
        case .sparseSnapshot: truncate(snapshot, 1 << 40)
        case .pipeAsLock: Self.replace(lock) { mkfifo($0, 0o600) }
        case .linkAsLock: Self.replace(lock) { symlink("/dev/zero", $0) }
        case .pipeAsSegment: Self.replace(segment) { mkfifo($0, 0o600) }
        case .directoryAsSegment: Self.replace(segment) { mkdir($0, 0o700) }
        case .emptySegment: truncate(segment, 0)
        case .emptySnapshot: truncate(snapshot, 0)
        case .emptyLock: truncate(lock, 0)
        case .deflateBomb, .overlappingCommits: break
        }
    }

    private static func replace(_ path: String, by make: (String) -> Int32) {
        unlink(path)
        _ = make(path)
    }

    private static func write(_ log: HostileLog, to path: String) throws {
        let fileSystem = POSIXFileSystem()
        try fileSystem.createDirectory(path)
        try fileSystem.create(path + "/" + StoreFileName.log(1), log.bytes)
    }

    /// A few megabytes that inflate to a gigabyte.
    private static func bomb() -> HostileLog {
        var log = HostileLog()
        let stored = Bomb.stored(declaring: 1 << 30, yielding: 1 << 30)
        let payload = Array(key.utf8) + stored
        log.commit { offset in
            HostileLog.record(
                flags: RecordHeader.Flags.compressed.rawValue, keyLength: UInt16(key.utf8.count),
                valueLength: UInt32(stored.count), payload: payload + [UInt8](repeating: 0, count: -payload.count & 7),
                at: offset)
        }
        return log
    }

    /// Adjacent commit headers, each of a commit that reaches to the end of the file.
    private static func overlapping() -> HostileLog {
        var log = HostileLog()
        let count = 100_000
        let end = UInt64(log.bytes.count + count * FormatConstants.commitHeaderSize)
        for number in 1...UInt64(count) {
            let body = end - UInt64(log.bytes.count + FormatConstants.commitHeaderSize)
            log.commit(bodyLength: body, firstSequence: number, syncedMark: UInt64(log.bytes.count)) { _ in [] }
        }
        return log
    }
}
