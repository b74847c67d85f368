internal import Heartwood

/// One task that overwrites, `.buffered`, at a rate that doesn't depend on how fast the store is: each put is due at its
/// moment, and waits from then on. So a put that blocks makes all the puts late that were due meanwhile, as it would for
/// those who send them, and they are caught up with.
struct PutLatency: Workload {
    let name: String
    let title: String
    let group = WorkloadGroup.compaction
    let compacting: Compacting
    var targets: [Target] = []

    /// Nanoseconds from one put to the next: 200,000 a second.
    private static let distance: UInt64 = 5_000

    func measure(_ run: Run) async throws -> Sample {
        let path = try await FilledStore.compactedCopy(run)
        let calls = CallLog()
        var configuration = compacting.configuration
        configuration.fileSystem = NotedFileSystem(calls)
        let store = try await Store.open(at: path, configuration: configuration)
        let (puts, compactions) = try await compacting.during(store) {
            // A task of its own, as the other workloads have.
            try await Task { try await Self.put(run, store) }.value
        }
        let batches = store.statistics.batches
        // A call is noted when it has ended.
        try await store.close()
        try run.directory.remove(path)
        guard batches == UInt64(puts.latencies.count) else {
            throw WrongResult("\(puts.latencies.count) puts were made, the store counted \(batches)")
        }
        let stalls = puts.stalls.all
        return Sample(
            operations: puts.latencies.count, seconds: puts.seconds, latencies: puts.latencies,
            figures: [
                .compactions: Double(compactions), .stalls: Double(stalls.count),
                .unexplainedStalls: Double(stalls.filter { !calls.explains($0) }.count),
            ])
    }

    private struct Puts: Sendable {
        var latencies = Latencies()
        var stalls = Stalls()
        var seconds = 0.0
    }

    private static func put(_ run: Run, _ store: Store) async throws -> Puts {
        var pairs = run.data.overwrites(seed: 1)
        var puts = Puts()
        let start = Ticks.now
        let last = start + run.nanoseconds
        // A store that doesn't keep up is given three times the time; how late it was is known by then.
        let deadline = start + 3 * run.nanoseconds
        var due = start
        var now = start
        while due < last, !run.isOver(now, deadline: deadline) {
            // Asleep rather than looking at the clock all the time: that would take one of few cores from the store.
            if now < due { Ticks.sleep(from: now, until: due) }
            pairs.advance()
            try await store.put(pairs.key, pairs.value, durability: .buffered)
            now = Ticks.now
            puts.latencies.record(now - due)
            puts.stalls.note(due: due, done: now)
            due += distance
        }
        puts.seconds = Ticks.seconds(from: start, to: now)
        return puts
    }
}
