/// Threads of another engine that put, one pair a call; waits are measured where a put waits for the disk.
struct PeerPuts<Engine: Peer>: Workload {
    let name: String
    let title: String
    let group: WorkloadGroup
    let engine = Engine.id
    let baseline: String?
    let threads: Int

    private var isSynced: Bool { group == .durable }

    /// - Parameter baseline: Heartwood's workload that does the same.
    init(_ group: WorkloadGroup, threads: Int, baseline: String, title: String) {
        name = "\(baseline)-\(Engine.id)"
        self.title = "\(Engine.title): \(title)"
        self.group = group
        self.baseline = baseline
        self.threads = threads
    }

    func measure(_ run: Run) async throws -> Sample {
        let path = run.directory.freshPath(Engine.id)
        try run.directory.make(path)
        let peer = try Engine(opening: path, PeerSettings(isSynced: isSynced))
        let start = Ticks.now
        let outcomes = try await ThreadTeam.run(threads) { thread in
            try isSynced
                ? timedPuts(run, peer, thread, until: start + run.nanoseconds)
                : puts(run, peer, thread, until: start + run.nanoseconds)
        }
        let seconds = Ticks.seconds(from: start, to: Ticks.now)
        try peer.close()
        try run.directory.remove(path)
        var latencies: Latencies?
        if isSynced {
            var all = Latencies()
            for outcome in outcomes { outcome.latencies.map { all.add($0) } }
            latencies = all
        }
        return Sample(operations: outcomes.reduce(0) { $0 + $1.count }, seconds: seconds, latencies: latencies)
    }

    private typealias Outcome = (count: Int, latencies: Latencies?)

    private func puts(_ run: Run, _ peer: Engine, _ thread: Int, until deadline: UInt64) throws -> Outcome {
        var pairs = run.data.pairs(writer: thread, of: threads)
        var count = 0
        while !run.isOver(Ticks.now, deadline: deadline) {
            for _ in 0..<Run.checkInterval {
                pairs.advance()
                try peer.put(pairs.key, pairs.value)
            }
            count += Run.checkInterval
        }
        return (count, nil)
    }

    private func timedPuts(_ run: Run, _ peer: Engine, _ thread: Int, until deadline: UInt64) throws -> Outcome {
        var pairs = run.data.pairs(writer: thread, of: threads)
        var latencies = Latencies()
        var now = Ticks.now
        while !run.isOver(now, deadline: deadline) {
            pairs.advance()
            try peer.put(pairs.key, pairs.value)
            let end = Ticks.now
            latencies.record(end - now)
            now = end
        }
        return (latencies.count, latencies)
    }
}

/// One thread of another engine that writes batches of a thousand puts. Counts records.
struct PeerBatches<Engine: Peer>: Workload {
    let name = "\(BufferedBatches.name)-\(Engine.id)"
    let title = "\(Engine.title): batches of 1,000, unsynced, one thread (records)"
    let group = WorkloadGroup.unsynced
    let engine = Engine.id
    let baseline: String? = BufferedBatches.name

    func measure(_ run: Run) async throws -> Sample {
        let path = run.directory.freshPath(Engine.id)
        try run.directory.make(path)
        let sample = try await onThread {
            let peer = try Engine(opening: path, PeerSettings())
            var pairs = run.data.pairs()
            var count = 0
            let start = Ticks.now
            var now = start
            while !run.isOver(now, deadline: start + run.nanoseconds) {
                try peer.putTogether { add in
                    for _ in 0..<BufferedBatches.batchSize {
                        pairs.advance()
                        try add(pairs.key, pairs.value)
                    }
                }
                count += BufferedBatches.batchSize
                now = Ticks.now
            }
            try peer.close()
            return Sample(operations: count, seconds: Ticks.seconds(from: start, to: now))
        }
        try run.directory.remove(path)
        return sample
    }
}
