/// What other engines do, in the order of the report within each group.
enum PeerCatalogue {
    static var descriptions: [PeerDescription] {
        [LevelDB.description, RocksDB.description, LMDB.description, SQLite.description]
    }

    static let workloads: [any Workload] =
        workloads(LevelDB.self) + workloads(RocksDB.self) + workloads(LMDB.self) + workloads(SQLite.self)

    private static func workloads<Engine: Peer>(_ engine: Engine.Type) -> [any Workload] {
        var workloads: [any Workload] = (Engine.sharesSyncs ? [1, 8, 64, 256] : [1]).map { threads in
            PeerPuts<Engine>(
                .durable, threads: threads, baseline: "synced-\(threads)",
                title: threads == 1 ? "synced, one thread" : "synced, \(threads) threads")
        }
        workloads += (Engine.sharesSyncs ? [1, 8] : [1]).map { threads in
            PeerPuts<Engine>(
                .unsynced, threads: threads, baseline: "buffered-\(threads)",
                title: threads == 1 ? "unsynced puts, one thread" : "unsynced puts, \(threads) threads")
        }
        workloads += [
            PeerBatches<Engine>(), PeerGets<Engine>(), PeerScans<Engine>(keysOnly: false),
            PeerScans<Engine>(keysOnly: true),
        ]
        if Engine.hasLog {
            workloads += [PeerReopening<Engine>(), PeerReopening<Engine>(isLarge: true)]
            workloads += OverwrittenData.allCases.map { PeerOverwrites<Engine>($0) }
            workloads += [PeerReopeningCompacted<Engine>(), PeerReopeningCompacted<Engine>(isLarge: true)]
        }
        // What Heartwood is held to at ten times the keys.
        if Engine.self == LMDB.self { workloads.append(PeerGets<Engine>(isLarge: true)) }
        return workloads
    }
}
