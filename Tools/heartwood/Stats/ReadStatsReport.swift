internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// The figures of a store that was read without opening it, as a table and as JSON.
struct ReadStatsReport {
    let path: String
    let position: ChangePosition
    let figures: ReadOnlyStore.Statistics
    /// Bytes of the files of log and snapshots, with preallocated space.
    let logBytes: UInt64
    let snapshotBytes: UInt64

    /// - Throws: `FileSystemError`.
    init(_ store: ReadOnlyStore) throws {
        (path, position, figures) = (store.path, store.position, store.statistics)
        let fileSystem = POSIXFileSystem()
        var bytes: (log: UInt64, snapshots: UInt64) = (0, 0)
        for name in try fileSystem.contents(ofDirectory: store.path) {
            // A compaction may have deleted it.
            func size() -> UInt64 { (try? fileSystem.openFile(store.path + "/" + name, for: .read).size()) ?? 0 }
            switch StoreFileName(name) {
            case .log: bytes.log += size()
            case .snapshot: bytes.snapshots += size()
            default: break
            }
        }
        (logBytes, snapshotBytes) = bytes
    }

    var table: String {
        var rows: [(name: String, value: String)] = [
            ("store", path),
            ("keys", Numbers.grouped(figures.keys)),
            ("last write", Numbers.sequence(position.sequence)),
            ("position", String(position)),
            ("snapshot", StatsTable.snapshot(figures.snapshot)),
            ("log files", "\(Numbers.bytes(logBytes)), with preallocated space"),
            ("snapshots", Numbers.bytes(snapshotBytes)),
            ("live", Numbers.bytes(figures.liveBytes)),
            ("index", "\(Numbers.bytes(figures.indexBytes)) of memory"),
        ]
        rows += StatsTable.time(ahead: figures.timeAhead)
        return StatsTable.text(rows)
    }

    var json: JSONText {
        [
            "store": path, "keys": figures.keys, "lastSequence": position.sequence, "position": String(position),
            "logFileBytes": logBytes, "snapshotFileBytes": snapshotBytes, "liveBytes": figures.liveBytes,
            "snapshot": figures.snapshot?.json, "indexBytes": figures.indexBytes,
            "timeAhead": figures.timeAhead.components.seconds, "opening": JSONText?.none,
        ]
    }
}
