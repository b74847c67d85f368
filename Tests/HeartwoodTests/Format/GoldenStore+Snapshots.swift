import Foundation
import Heartwood
import HeartwoodFormat

/// The stores in `Tests/Golden/v2`, which have snapshots.
extension GoldenStore {
    private init(_ name: String, _ make: @escaping @Sendable (_ path: String) async throws -> Void) {
        self.init(version: 2, name: name, make: make)
    }

    static let withSnapshots: [GoldenStore] = [
        GoldenStore("example", writeSnapshotExample),
        GoldenStore("compacted", writeCompacted),
        GoldenStore("log-behind") { path in
            try await writeCompacted(at: path)
            try await open(path, reopening: 1) { store in
                try await store.put("key 03", "overwritten")
                try await store.remove("key 04")
                try await store.remove("key 29")
                try await store.put("until 2100", "longer", expires: .at(Timestamp(milliseconds: 4_102_444_900_000)))
                try await store.put("key 05", "until 2001", expires: .at(Timestamp(milliseconds: 1_000_000_000_000)))
                try await store.put("key 035", "new")
                try await store.remove("never there")
            }
        },
        GoldenStore("log-behind-unclosed") { path in
            try await abandon(path) { store in
                for number in 0..<6 { try await store.put("key \(number)", "value \(number)") }
                _ = try await store.compact()
                try await store.put("key 3", "behind the snapshot")
                try await store.remove("key 5")
            }
        },
        GoldenStore("several-segments-behind") { path in
            try await writeCompacted(at: path)
            try await open(path, reopening: 1) { store in
                for number in 0..<4 { try await store.put("key \(10 + number)", bytes(2000, seed: UInt64(number))) }
            }
        },
        GoldenStore("compressed") { path in
            try await open(path, compression: .zlib(level: 9, threshold: 32)) { store in
                try await store.put("letters", String(repeating: "a", count: 5000))
                try await store.put("noise", bytes(500, seed: 2))
                try await store.put(
                    "until 2100", String(repeating: "b", count: 300),
                    expires: .at(Timestamp(milliseconds: 4_102_444_800_000)))
                try await store.put("zeros", [UInt8](repeating: 0, count: 100_000))
                _ = try await store.compact()
                try await store.put("letters, later", String(repeating: "c", count: 5000))
            }
        },
        GoldenStore("nothing-left") { path in
            try await open(path) { store in
                try await store.put("a", "1")
                try await store.remove("a")
                try await store.put("b", "2", expires: .at(Timestamp(milliseconds: 1_000_000_000_000)))
                _ = try await store.compact()
            }
        },
        GoldenStore("several-blocks") { path in
            try await open(path) { store in
                try await store.put([1] + bytes(33_000, seed: 5), "long")
                try await store.put([1] + bytes(33_000, seed: 6), "longer than its value")
                try await store.put([2] + bytes(300, seed: 7), "in the second block")
                try await store.put([2] + bytes(300, seed: 7) + [0], "shares all but one byte")
                _ = try await store.compact()
            }
        },
        GoldenStore("compacted-twice") { path in
            try await writeCompacted(at: path)
            try await open(path, reopening: 1) { store in
                try await store.put("key 07", "of the second snapshot")
                _ = try await store.compact()
                try await store.put("key 08", "behind the second snapshot")
            }
        },
        GoldenStore("kept-log", writeKept),
        GoldenStore("older-snapshot-left") { path in
            // As after a crash between the rename of the new snapshot and the removal of the older one.
            let older = try await writeTwice(at: path, logRetention: .none)
            try TemporaryDirectory.write(older.bytes, to: path + "/" + older.name)
        },
    ]

    static let withDamagedSnapshots: [GoldenStore] = [
        GoldenStore("damaged-key-block", writeCompacted).snapshotChanged { $0.bytes[$0.keySection + 32 + 20] ^= 1 },
        GoldenStore("damaged-key-block-header", writeCompacted).snapshotChanged { $0.bytes[$0.keySection + 5] ^= 1 },
        GoldenStore("damaged-footer", writeCompacted).snapshotChanged { $0.bytes[$0.bytes.count - 50] ^= 1 },
        GoldenStore("damaged-header", writeCompacted).snapshotChanged { $0.bytes[50] ^= 1 },
        GoldenStore("short-snapshot", writeCompacted).snapshotChanged { $0.bytes.removeLast(8) },
        GoldenStore("short-header", writeCompacted).snapshotChanged { $0.bytes.removeLast($0.bytes.count - 1000) },
        GoldenStore("missing-log") { path in
            try await writeCompacted(at: path)
            try FileManager.default.removeItem(atPath: segment(path, 1))
        },
        GoldenStore("missing-first-log") { path in
            try await writeCompacted(at: path)
            try await open(path, reopening: 1) { try await $0.put("behind", "lost") }
            try await open(path, reopening: 2) { try await $0.put("behind that", "not lost") }
            try FileManager.default.removeItem(atPath: segment(path, 1))
        },
        GoldenStore("missing-log-though-the-covered-is-kept") { path in
            try await writeCompacted(at: path, logRetention: .everything)
            try FileManager.default.removeItem(atPath: TemporaryDirectory.segments(of: path).last!)
        },
        GoldenStore("missing-log-behind-a-damaged-snapshot") { path in
            try await writeCompacted(at: path, logRetention: .everything)
            try FileManager.default.removeItem(atPath: TemporaryDirectory.segments(of: path).last!)
            try changeSnapshot(path) { $0.bytes[$0.keySection + 32 + 20] ^= 1 }
        },
        GoldenStore("missing-snapshot") { path in
            try await writeCompacted(at: path)
            try FileManager.default.removeItem(atPath: snapshots(path)[0])
        },
        GoldenStore("older-snapshot-alone") { path in
            let older = try await writeTwice(at: path, logRetention: .none)
            try FileManager.default.removeItem(atPath: snapshots(path)[0])
            try TemporaryDirectory.write(older.bytes, to: path + "/" + older.name)
        },
        GoldenStore("renamed-snapshot") { path in
            try await writeCompacted(at: path)
            try FileManager.default.moveItem(
                atPath: snapshots(path)[0], toPath: path + "/" + StoreFileName.snapshot(7))
        },
        GoldenStore("log-named-as-a-snapshot") { path in
            try await writeCompacted(at: path)
            let log = try TemporaryDirectory.bytes(of: segment(path, 1))
            try TemporaryDirectory.write(log, to: snapshots(path)[0])
        },
        GoldenStore("another-stores-snapshot", writeCompacted).snapshotChanged { file in
            file.bytes[20] ^= 1
            file.repairFileHeader()
        },
        GoldenStore("whole-log-in-place-of-a-damaged-snapshot", writeKept).snapshotChanged {
            $0.bytes[$0.keySection + 32 + 20] ^= 1
        },
        GoldenStore("older-snapshot-in-place-of-a-damaged-one") { path in
            let older = try await writeTwice(at: path, logRetention: .everything)
            try changeSnapshot(path) { $0.bytes[$0.bytes.count - 1] ^= 1 }
            try TemporaryDirectory.write(older.bytes, to: path + "/" + older.name)
            // Without this segment, the older one is needed.
            try FileManager.default.removeItem(atPath: segment(path, 1))
        },
        GoldenStore("newer-version", writeCompacted).snapshotChanged { file in
            file.bytes[8] = 3
            file.repairFileHeader()
        },
        GoldenStore("newer-footer", writeCompacted).snapshotChanged { file in
            let footer = file.bytes.count - 64
            file.bytes[footer + 4] = 1
            file.repair(footer, count: 60, tag: UInt32(footer / 8) ^ file.salt)
        },
    ]
}

// MARK: - How they are made

extension GoldenStore {
    /// The store of the worked example of a snapshot in `Documentation/FileFormat.md`.
    static func writeSnapshotExample(at path: String) async throws {
        try await open(path) { store in
            try await store.put("b", "gone")
            try await store.put("apple", "1")
            try await store.put("applet", "2", expires: .at(Timestamp(milliseconds: 4_102_444_800_000)))
            try await store.remove("b")
            _ = try await store.compact()
        }
    }

    private static func writeCompacted(at path: String) async throws {
        try await writeCompacted(at: path, logRetention: .none)
    }

    /// Thirty keys in a snapshot, and an empty log after it.
    private static func writeCompacted(at path: String, logRetention: LogRetention) async throws {
        try await open(path, logRetention: logRetention) { store in
            for number in 10..<40 { try await store.put("key \(number)", "value \(number)") }
            for number in 0..<10 { try await store.put("key 0\(number)", bytes(number * 40, seed: UInt64(number))) }
            for number in 30..<40 { try await store.remove("key \(number)") }
            try await store.put("key 12", "again")
            try await store.put("until 2100", "x", expires: .at(Timestamp(milliseconds: 4_102_444_800_000)))
            try await store.put("until 2001", "x", expires: .at(Timestamp(milliseconds: 1_000_000_000_000)))
            _ = try await store.compact()
        }
    }

    /// The same, with the log that the snapshot covers and a later one.
    private static func writeKept(at path: String) async throws {
        try await writeCompacted(at: path, logRetention: .everything)
        try await open(path, reopening: 1, logRetention: .everything) { store in
            try await store.put("key 03", "overwritten")
            try await store.remove("key 04")
        }
    }

    /// Compacts twice.
    ///
    /// - Returns: The first snapshot, which the second has replaced.
    private static func writeTwice(
        at path: String, logRetention: LogRetention
    ) async throws -> (name: String, bytes: [UInt8]) {
        try await writeCompacted(at: path, logRetention: logRetention)
        let older = snapshots(path)[0]
        let bytes = try TemporaryDirectory.bytes(of: older)
        try await open(path, reopening: 1, logRetention: logRetention) { store in
            try await store.put("key 03", "of the second snapshot")
            _ = try await store.compact()
            try await store.put("key 04", "behind the second snapshot")
        }
        return (String(older.dropFirst(path.count + 1)), bytes)
    }

    /// The paths of the snapshots, oldest first.
    private static func snapshots(_ path: String) -> [String] {
        TemporaryDirectory.names(in: path).filter { $0.hasSuffix(".snapshot") }.map { path + "/" + $0 }
    }

    private func snapshotChanged(_ body: @escaping @Sendable (inout SegmentEditor) -> Void) -> GoldenStore {
        followed { try Self.changeSnapshot($0, body) }
    }

    /// Changes the newest snapshot.
    private static func changeSnapshot(_ path: String, _ body: (inout SegmentEditor) -> Void) throws {
        try changeFile(snapshots(path).last!, body)
    }
}

extension SegmentEditor {
    /// The offset of a snapshot's key section.
    var keySection: Int {
        let field = bytes.count - 64 + 16
        return (0..<8).reduce(0) { $0 | Int(bytes[field + $1]) << (8 * $1) }
    }
}
