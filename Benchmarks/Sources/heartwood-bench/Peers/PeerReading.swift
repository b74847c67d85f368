/// One thread of another engine that gets random keys, all of which are there.
struct PeerGets<Engine: Peer>: Workload {
    let name: String
    let title: String
    var group = WorkloadGroup.reading
    let engine = Engine.id
    let baseline: String?
    /// Keys, as a multiple of those asked for.
    let scale: Int

    init(isLarge: Bool = false) {
        let prefix = isLarge ? "large-" : ""
        name = "\(prefix)get-\(Engine.id)"
        title = "\(Engine.title): get, one thread"
        group = isLarge ? .large : .reading
        // The way of reading that both have: lent from a mapping, where Heartwood maps.
        baseline = "\(prefix)get-\(ReadingMode.best.rawValue)-lent"
        scale = isLarge ? 10 : 1
    }

    func measure(_ run: Run) async throws -> Sample {
        let run = run.with(keyCount: run.data.keyCount * scale)
        return try await FilledPeer<Engine>.opened(FilledPeer<Engine>.path(run)) { peer in
            try GetLoop.read(run, seed: 0) { key, _, sum in
                try peer.get(key) { value in ByteSum.add(value, to: &sum) }
            }
        }
    }
}

/// One thread of another engine that visits every entry in order, again and again.
struct PeerScans<Engine: Peer>: Workload {
    let name: String
    let title: String
    let group = WorkloadGroup.scanning
    let engine = Engine.id
    let baseline: String?
    let keysOnly: Bool

    init(keysOnly: Bool) {
        self.keysOnly = keysOnly
        name = keysOnly ? "scan-keys-\(Engine.id)" : "scan-\(Engine.id)"
        title = "\(Engine.title): \(keysOnly ? "keys alone" : "records put in order")"
        baseline = keysOnly ? "scan-keys" : "scan-ordered-\(ReadingMode.best.rawValue)"
    }

    func measure(_ run: Run) async throws -> Sample {
        let path = try await FilledPeer<Engine>.path(run, keysOnly ? .random : .ascending)
        return try await FilledPeer<Engine>.opened(path) { peer in
            try ScanLoop.run(run, keysOnly: keysOnly) { visit in try peer.scan(keysOnly: keysOnly, visit) }
        }
    }
}
