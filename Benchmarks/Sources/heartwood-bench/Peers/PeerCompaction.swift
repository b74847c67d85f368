/// One thread of another engine that overwrites random keys ten times over: what is written for it, and how much room it
/// takes.
struct PeerOverwrites<Engine: Peer>: Workload {
    let name: String
    let title: String
    let group = WorkloadGroup.compaction
    let engine = Engine.id
    let baseline: String?
    let data: OverwrittenData

    init(_ data: OverwrittenData) {
        name = "\(data.name)-\(Engine.id)"
        title = "\(Engine.title): unsynced puts over all keys ten times\(data.title)"
        baseline = data.name
        self.data = data
    }

    func measure(_ run: Run) async throws -> Sample {
        let run = data.run(run)
        let path = run.directory.freshPath(Engine.id)
        try await run.directory.copy(FilledPeer<Engine>.path(run), to: path)
        run.directory.settle()
        let peer = try await onThread { try Engine(opening: path, PeerSettings()) }
        let account = OverwriteAccount(run: run, path: path)
        let sample = try await account.measure {
            try await onThread { try account.forEachPair { key, value in try peer.put(key, value) } }
        } compact: {
            try await onThread { try peer.settle() }
        }
        try await onThread {
            try peer.checkKeys(run)
            try peer.close()
        }
        try run.directory.remove(path)
        return sample
    }
}

/// Opens a database of another engine that was compacted and closed. Counts keys; only the opening is timed.
struct PeerReopeningCompacted<Engine: Peer>: Workload {
    let name: String
    let title: String
    let group = WorkloadGroup.compaction
    let engine = Engine.id
    let baseline: String?
    /// Keys, as a multiple of those asked for.
    let scale: Int
    let isLarge: Bool

    init(isLarge: Bool = false) {
        baseline = "\(isLarge ? "large-" : "")reopen-compacted"
        name = "\(isLarge ? "large-" : "")reopen-compacted-\(Engine.id)"
        title = "\(Engine.title): opening, compacted and closed\(isLarge ? ", ten times as many" : "") (keys)"
        scale = isLarge ? 10 : 1
        self.isLarge = isLarge
    }

    func measure(_ run: Run) async throws -> Sample {
        let run = run.with(keyCount: run.data.keyCount * scale)
        // Tables are never changed.
        return try await CompactedOpenings.measure(run, suffixes: [".sst", ".ldb"]) {
            try await FilledPeer<Engine>.path(run)
        } open: { path, isFirst in
            try await onThread {
                let start = Ticks.now
                let peer = try Engine(opening: path, PeerSettings())
                let nanoseconds = Ticks.now - start
                if isFirst { try peer.checkKeys(run) }
                try peer.close()
                return nanoseconds
            }
        }
    }
}

extension Peer {
    /// Ends a run after which other keys are there than were put.
    func checkKeys(_ run: Run) throws {
        var count = 0
        try scan(keysOnly: true) { _, _ in
            count += 1
            return true
        }
        guard count == run.data.keyCount else {
            throw WrongResult("of \(run.data.keyCount) keys \(count) came back")
        }
    }
}
