internal import Heartwood

/// One task that overwrites, `.buffered`, at a rate that doesn't depend on how fast the store is. See `Pace`.
struct PutLatency: Workload {
    let name: String
    let title: String
    let group = WorkloadGroup.compaction
    let compacting: Compacting
    var targets: [Target] = []

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

    private static func put(_ run: Run, _ store: Store) async throws -> Pace.Steps {
        var pairs = run.data.overwrites(seed: 1)
        return try await Pace.steps(run) {
            pairs.advance()
            try await store.put(pairs.key, pairs.value, durability: .buffered)
        }
    }
}
