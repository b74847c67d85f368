import Foundation
import Heartwood
import HeartwoodFormat

/// The stores in `Tests/Golden/v3`: the records of their logs say whether they begin their batch.
extension GoldenStore {
    private init(_ name: String, _ make: @escaping @Sendable (_ path: String) async throws -> Void) {
        self.init(version: 3, name: name, make: make)
    }

    static let withBatchFlags: [GoldenStore] = [
        GoldenStore("example", writeExample),
        GoldenStore("example-of-a-snapshot", writeSnapshotExample),
        GoldenStore("batches", writeBatches),
        GoldenStore("optional-record-in-a-batch", writeBatches).changed {
            $0.setRecordByte(0, of: 1, record: 1, to: 200)
        },
        GoldenStore("optional-record-first-in-a-batch", writeBatches).changed { file in
            // In an optional record, only the flags of the batch have a meaning.
            file.setRecordByte(0, of: 1, to: 200)
            file.setRecordByte(1, of: 1, to: 0xFB)
        },
        GoldenStore("older-log-before") { path in
            // Three segments of version 1, then two of version 3.
            try FileManager.default.copyItem(atPath: directory(1) + "/segments", toPath: path)
            try await open(path, reopening: 1) { try await writeBatch(to: $0, "first behind") }
            try await open(path, reopening: 2) { try await writeBatch(to: $0, "second behind") }
        },
        GoldenStore("older-unclosed-log-before") { path in
            try FileManager.default.copyItem(atPath: directory(1) + "/unclosed", toPath: path)
            try await open(path, reopening: 1) { try await writeBatch(to: $0, "behind a crash") }
        },
        GoldenStore("older-log-behind-a-snapshot") { path in
            try FileManager.default.copyItem(atPath: directory(2) + "/log-behind", toPath: path)
            try await open(path, reopening: 2) { try await writeBatch(to: $0, "behind both") }
        },
        GoldenStore("compacted-batches") { path in
            try await open(path) { store in
                for number in 0..<3 { try await writeBatch(to: store, "batch \(number)") }
                _ = try await store.compact()
                try await writeBatch(to: store, "batch 1")
            }
        },
        GoldenStore("lost-batch") { path in
            try await writeClosed(at: path)
            try change(path, 1) { $0.loseLastBatch() }
            try await open(path, reopening: 1) { try await writeBatch(to: $0, "behind") }
        },
    ]

    static let withWrongBatchFlags: [GoldenStore] = [
        GoldenStore("flag-missing-in-a-batch", writeBatches).changed { $0.setRecordByte(1, of: 1, record: 1, to: 1) },
        GoldenStore("flag-missing-at-the-end-of-a-batch", writeBatches).changed {
            $0.setRecordByte(1, of: 1, record: 3, to: 0)
        },
        GoldenStore("flag-missing-in-an-optional-record", writeBatches).changed { file in
            file.setRecordByte(0, of: 1, record: 1, to: 200)
            file.setRecordByte(1, of: 1, record: 1, to: 1)
        },
        GoldenStore("flag-at-the-start-of-a-batch", writeBatches).changed { $0.setRecordByte(1, of: 1, to: 5) },
        GoldenStore("flag-in-a-single-record", writeBatches).changed { $0.setRecordByte(1, of: 2, to: 4) },
        GoldenStore("flag-in-a-log-of-version-1") { path in
            try FileManager.default.copyItem(atPath: directory(1) + "/example", toPath: path)
            try change(path, 1) { $0.setRecordByte(1, of: 1, record: 1, to: 4) }
        },
        GoldenStore("version-2-in-a-log", writeClosed).changed { file in
            file.bytes[8] = 2
            file.repairFileHeader()
        },
        GoldenStore("newer-version", writeClosed).changed { file in
            file.bytes[8] = 4
            file.repairFileHeader()
        },
        GoldenStore("newer-record-flag", writeClosed).changed { $0.setRecordByte(1, of: 1, to: 8) },
    ]
}

// MARK: - How they are made

extension GoldenStore {
    /// A write of one record, a batch of four, and another of one.
    private static func writeBatches(at path: String) async throws {
        try await open(path) { store in
            try await store.put("before", "1")
            try await writeBatch(to: store, "in between")
            try await store.put("after", "3")
        }
    }

    /// A batch of four records, at least one of each kind.
    private static func writeBatch(to store: Store, _ value: String) async throws {
        try await store.write { batch in
            batch.put("batch", value)
            batch.put("second of \(value)", "")
            batch.put("until 2100", value, expires: .at(Timestamp(milliseconds: 4_102_444_800_000)))
            batch.remove("before")
        }
    }
}

extension SegmentEditor {
    /// Replaces the last batch, which is a commit of its own, by a record that says that the batch is lost. The rest of
    /// its bytes joins the gap after it.
    mutating func loseLastBatch() {
        let (commit, record) = (commits.last!, lastRecord)
        let length = recordLength(record)
        let size = FormatConstants.recordHeaderSize
        bytes.replaceSubrange(
            (record + size)..<(record + length), with: [UInt8](repeating: 0, count: length - size))
        bytes[commit + 8] = UInt8(size)
        repair(commit, count: 44, tag: UInt32(commit / 8) ^ salt)
        bytes[record] = RecordKind.lostBatch.rawValue
        for byte in 2..<8 { bytes[record + byte] = 0 }
        // The checksum of an empty payload is 0, so the tag itself is stored.
        let tag = UInt32(record / 8) ^ salt
        for byte in 0..<4 { bytes[record + 24 + byte] = UInt8(truncatingIfNeeded: tag >> (8 * UInt32(byte))) }
        repair(record, count: 28, tag: tag)
    }
}
