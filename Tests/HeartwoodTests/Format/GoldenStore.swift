import Foundation
import HeartwoodCampaignSupport
import HeartwoodFormat
import Testing

@testable import Heartwood

/// A store in `Tests/Golden`, as a version of the format wrote it, and the code that makes it.
///
/// The files freeze the format: their contents must read the same forever. This command writes those of the newest
/// version again:
///
///     HEARTWOOD_WRITE_GOLDEN=3 swift test --filter GoldenTests
///
/// Those of older versions stay as these versions wrote them. The code that made them now makes stores of the newest
/// version, which read the same.
struct GoldenStore: Sendable, CustomTestStringConvertible {
    /// The version of the format that introduced its contents: 1 logs, 2 snapshots, 3 records that say whether they
    /// begin their batch.
    var version = 1
    let name: String
    /// Writes the store at a path.
    let make: @Sendable (_ path: String) async throws -> Void

    var testDescription: String { "v\(version)/\(name)" }

    static let versions = [1, 2, 3]
    /// The time at which all are written and read: 14 November 2023, 22:13:20 UTC.
    static let time: UInt64 = 1_700_000_000_000

    /// The directory of the stores of a version.
    static func directory(_ version: Int) -> String {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { url.deleteLastPathComponent() }
        return url.appendingPathComponent("Golden/v\(version)").path
    }

    var path: String { Self.directory(version) + "/" + name }
    var expectedPath: String { path + ".expected" }

    static let all = valid + damaged + withSnapshots + withDamagedSnapshots + withBatchFlags + withWrongBatchFlags

    static let valid: [GoldenStore] = [
        GoldenStore(name: "example", make: writeExample),
        GoldenStore(name: "plain") { path in
            try await open(path) { store in
                try await store.put("a", "1")
                try await store.put("empty", "")
                try await store.put([0, 255, 128] as [UInt8], [0, 1, 2, 254, 255] as [UInt8])
                try await store.put("ångström", "Å")
                try await store.put(String(repeating: "k", count: 200), bytes(2000, seed: 1))
                try await store.remove("a")
                try await store.remove("never there")
                try await store.write { batch in
                    batch.put("batch", "first")
                    batch.put("batch", "second")
                    batch.put("until 2100", "x", expires: .at(Timestamp(milliseconds: 4_102_444_800_000)))
                    batch.put("until 2001", "x", expires: .at(Timestamp(milliseconds: 1_000_000_000_000)))
                    batch.remove("empty")
                }
            }
        },
        GoldenStore(name: "compressed") { path in
            try await open(path, compression: .zlib(level: 9, threshold: 32)) { store in
                try await store.put("letters", String(repeating: "a", count: 5000))
                try await store.put("noise", bytes(500, seed: 2))
                try await store.put("short", "short")
                try await store.put("zeros", [UInt8](repeating: 0, count: 100_000))
            }
            try await open(path, reopening: 1) { store in
                try await store.put("stored as it is", String(repeating: "b", count: 500))
            }
        },
        GoldenStore(name: "segments") { try await writeSegments(at: $0, close: true) },
        GoldenStore(name: "marks") { path in
            try await open(path, segmentBytes: 64 << 10, withMarks: true) { store in
                for number in 0..<4 {
                    try await store.put("key \(number)", "value \(number)", durability: .synced)
                    try await Task.sleep(for: .milliseconds(400))
                }
            }
        },
        GoldenStore(name: "unclosed", make: writeUnclosed),
        GoldenStore(name: "unclosed-segments") { try await writeSegments(at: $0, close: false) },
        GoldenStore(name: "reopened") { path in
            try await writeUnclosed(at: path)
            try await open(path, reopening: 1) { try await $0.put("after a crash", "numbers jump") }
            try await open(path, reopening: 2) { try await $0.put("after a close", "they go on") }
        },
        GoldenStore(name: "optional-record", make: writeUnclosed).changed { $0.setRecordByte(0, of: 1, to: 200) },
        GoldenStore(name: "large-value") { path in
            try await open(path) { store in
                try await store.put("large", bytes(20_000, seed: 3))
                try await store.put("small", "1")
            }
        },
    ]

    static let damaged: [GoldenStore] = [
        GoldenStore(name: "damaged-bit", make: writeClosed).changed { $0.bytes[4096 + 48 + 32] ^= 4 },
        GoldenStore(name: "damaged-commit-header", make: writeClosed).changed { $0.bytes[4096 + 9] ^= 1 },
        GoldenStore(name: "damaged-gap", make: writeClosed).changed { $0.bytes[8000] = 1 },
        GoldenStore(name: "damaged-closing-mark", make: writeClosed).changed { $0.bytes[8192 + 30] ^= 1 },
        GoldenStore(name: "damaged-file-header", make: writeClosed).changed { $0.bytes[2000] = 1 },
        GoldenStore(name: "damaged-file-magic", make: writeClosed).changed {
            $0.bytes.replaceSubrange(0..<4096, with: [UInt8](repeating: 0, count: 4096))
        },
        GoldenStore(name: "damaged-older-segment") { path in
            try await writeSegments(at: path, close: true)
            try change(path, 1) { $0.bytes[$0.lastRecord + 100] ^= 1 }
        },
        GoldenStore(name: "torn-record", make: writeUnclosed).changed {
            $0.bytes.removeLast($0.bytes.count - $0.lastRecord - 40)
        },
        GoldenStore(name: "torn-zeros", make: writeUnclosed).changed { file in
            let start = file.lastRecord
            for at in start..<file.bytes.count { file.bytes[at] = 0 }
        },
        GoldenStore(name: "missing-first-segment") { path in
            try await writeSegments(at: path, close: true)
            try FileManager.default.removeItem(atPath: segment(path, 1))
        },
        GoldenStore(name: "missing-middle-segment") { path in
            try await writeSegments(at: path, close: true)
            try FileManager.default.removeItem(atPath: segment(path, 2))
        },
        GoldenStore(name: "renamed-segment") { path in
            try await writeClosed(at: path)
            try FileManager.default.moveItem(atPath: segment(path, 1), toPath: path + "/0000000000000002.log")
        },
        GoldenStore(name: "short-segment", make: writeClosed).changed { $0.bytes.removeLast($0.bytes.count - 1000) },
        GoldenStore(name: "newer-version", make: writeClosed).changed { file in
            file.bytes[8] = 2
            file.repairFileHeader()
        },
        GoldenStore(name: "newer-record", make: writeClosed).changed { $0.setRecordByte(0, of: 1, to: 100) },
        GoldenStore(name: "newer-commit", make: writeClosed).changed { $0.setCommitByte(4, of: 1, to: 8) },
    ]
}

// MARK: - How they are made

extension GoldenStore {
    /// The store of the worked example in `Documentation/FileFormat.md`.
    static func writeExample(at path: String) async throws {
        try await open(path, compression: .zlib(level: 9, threshold: 64)) { store in
            try await store.put("a", "1")
            try await store.write { batch in
                batch.put("b", "2", expires: .at(Timestamp(milliseconds: 4_102_444_800_000)))
                batch.remove("a")
            }
            try await store.put("c", String(repeating: "heartwood ", count: 10))
        }
    }

    /// Three writes, each a commit of its own, and a close.
    static func writeClosed(at path: String) async throws {
        try await open(path) { store in
            for number in 1...3 { try await store.put("key \(number)", "value \(number)") }
        }
    }

    /// The same without a close, with a little of the preallocated space.
    static func writeUnclosed(at path: String) async throws {
        try await abandon(path) { store in
            for number in 1...3 { try await store.put("key \(number)", "value \(number)") }
        }
    }

    private static func writeSegments(at path: String, close: Bool) async throws {
        let fill: @Sendable (Store) async throws -> Void = { store in
            for number in 0..<8 {
                try await store.put("key \(number % 6)", bytes(1200, seed: UInt64(number)))
            }
        }
        try await close ? open(path, fill) : abandon(path, fill)
    }

    /// Opens a store with the configuration of the golden stores, and closes it.
    static func open(
        _ path: String, reopening: UInt64 = 0, compression: Compression = .off, segmentBytes: Int = 16 << 10,
        withMarks: Bool = false, logRetention: LogRetention = .none, _ body: (Store) async throws -> Void
    ) async throws {
        var configuration = configuration(reopening: reopening, compression: compression)
        configuration.logRetention = logRetention
        configuration.segmentBytes = segmentBytes
        if withMarks { configuration.timing.mark = 50_000_000 }
        try await Store.withStore(at: path, configuration: configuration, body)
    }

    /// Opens a store and drops it, then removes most of the preallocated space.
    static func abandon(_ path: String, _ body: (Store) async throws -> Void) async throws {
        var store: Store? = try await Store.open(at: path, configuration: configuration())
        try await body(store!)
        store = nil
        for file in TemporaryDirectory.segments(of: path) {
            var bytes = try TemporaryDirectory.bytes(of: file)
            let end = (bytes.lastIndex { $0 != 0 } ?? 0) + 1
            bytes.removeLast(max(0, bytes.count - (end + 600) / 8 * 8))
            try TemporaryDirectory.write(bytes, to: file)
        }
    }

    static func configuration(reopening: UInt64 = 0, compression: Compression = .off) -> Store.Configuration {
        var configuration = Store.Configuration()
        configuration.segmentBytes = 16 << 10
        configuration.compression = compression
        // One commit for each write and no marks by time: the speed of the machine must not matter.
        configuration.durability = .written
        configuration.timing.sync = 3_600_000_000_000
        configuration.timing.mark = .max
        configuration.clock = ManualClock(milliseconds: time)
        let id: [UInt64] = [0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908]
        let salt = 0xA1B2_C3D4 &+ reopening &* 0x0101_0101
        configuration.fileSystem = FixedFileSystem(reopening == 0 ? id + [salt] : [salt])
        return configuration
    }

    static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// The path of a segment, counted from 1.
    static func segment(_ path: String, _ number: Int) -> String {
        TemporaryDirectory.segments(of: path)[number - 1]
    }

    /// The same store, with a further step after it is written.
    func followed(by step: @escaping @Sendable (_ path: String) async throws -> Void) -> GoldenStore {
        GoldenStore(version: version, name: name) { path in
            try await make(path)
            try await step(path)
        }
    }

    /// The same store, with a change of its first segment.
    func changed(_ body: @escaping @Sendable (inout SegmentEditor) -> Void) -> GoldenStore {
        followed { try Self.change($0, 1, body) }
    }

    static func change(_ path: String, _ number: Int, _ body: (inout SegmentEditor) -> Void) throws {
        try changeFile(segment(path, number), body)
    }

    static func changeFile(_ file: String, _ body: (inout SegmentEditor) -> Void) throws {
        var editor = SegmentEditor(bytes: try TemporaryDirectory.bytes(of: file))
        body(&editor)
        try TemporaryDirectory.write(editor.bytes, to: file)
    }
}

/// Changes a segment of small commits, and corrects checksums.
struct SegmentEditor {
    var bytes: [UInt8]

    /// The offset of the last record.
    var lastRecord: Int { commits.last! + 48 }

    /// The offsets of the commits that have records.
    var commits: [Int] {
        stride(from: 4096, to: bytes.count - 48, by: 8).filter {
            bytes[$0..<($0 + 4)].elementsEqual("HWCM".utf8) && bytes[$0 + 4] & 1 == 0
        }
    }

    mutating func setRecordByte(_ byte: Int, of commit: Int, record: Int = 0, to value: UInt8) {
        let offset = (0..<record).reduce(commits[commit] + 48) { at, _ in at + recordLength(at) }
        bytes[offset + byte] = value
        repair(offset, count: 28, tag: UInt32(offset / 8) ^ salt)
    }

    /// The length of the record at an offset.
    func recordLength(_ offset: Int) -> Int {
        let payload =
            Int(bytes[offset + 2]) + Int(bytes[offset + 4]) + 256 * (Int(bytes[offset + 3]) + Int(bytes[offset + 5]))
        return FormatConstants.recordHeaderSize + alignedUp(payload)
    }

    mutating func setCommitByte(_ byte: Int, of commit: Int, to value: UInt8) {
        let offset = commits[commit]
        bytes[offset + byte] = value
        repair(offset, count: 44, tag: UInt32(offset / 8) ^ salt)
    }

    mutating func repairFileHeader() { repair(0, count: 4092, tag: 0) }

    var salt: UInt32 { (0..<4).reduce(0) { $0 | UInt32(bytes[12 + $1]) << (8 * UInt32($1)) } }

    mutating func repair(_ offset: Int, count: Int, tag: UInt32) {
        let checksum = CRC32C.checksum(Array(bytes[offset..<(offset + count)])) ^ tag
        for byte in 0..<4 { bytes[offset + count + byte] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(byte))) }
    }
}
