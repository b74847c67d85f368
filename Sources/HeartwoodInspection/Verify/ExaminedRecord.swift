internal import HeartwoodFiles
internal import HeartwoodFormat

/// A record that verifies, of a log or of a snapshot.
struct ExaminedRecord {
    var header: RecordHeader
    /// Only valid during the call that it is passed to.
    var key: UnsafeRawBufferPointer
    var offset: UInt64
    var sequence: UInt64
    /// When its commit was written, in milliseconds since 1970; 0 in a snapshot, which doesn't tell.
    var time: UInt64 = 0
}

extension StoreFiles.Member {
    /// Whether it is verified. Files in preparation need not verify, and files of other stores don't matter.
    var isRead: Bool {
        switch role {
        case .snapshot, .log, .covered, .older, .damaged: file.header != nil
        case .temporary, .foreign, .other: false
        }
    }

    /// Calls `body` for each record that an opening would read of a log, or for each that verifies of a snapshot.
    /// O(bytes).
    func forEachRecord(
        _ meter: inout ProgressMeter, onDamage: (LogDamage) throws -> Void = { _ in },
        _ body: (ExaminedRecord) throws -> Void
    ) throws {
        guard let header = file.header, header.kind == .snapshot else {
            var log = try LogExamination(self, patience: .none)
            return try log.run(
                &meter,
                onCommit: { commit in
                    try commit.keys.withUnsafeBytes { keys in
                        for record in commit.records {
                            let key = keys.slice(record.keyStart, Int(record.header.keyLength))
                            try body(
                                ExaminedRecord(
                                    header: record.header, key: key, offset: record.offset, sequence: record.sequence,
                                    time: commit.header.time))
                        }
                    }
                }, onDamage: onDamage)
        }
        var snapshot = try SnapshotExamination(file, header)
        try snapshot.run(&meter) { walk, _ in try walk.forEachRecord(body) }
    }
}

extension SnapshotWalk {
    /// Calls `body` for each of the records that were read last.
    func forEachRecord(_ body: (ExaminedRecord) throws -> Void) rethrows {
        try keys.withUnsafeBytes { keys in
            for record in records {
                let key = keys.slice(record.keyStart!, Int(record.header.keyLength))
                try body(
                    ExaminedRecord(header: record.header, key: key, offset: record.offset, sequence: record.sequence))
            }
        }
    }
}
