internal import Heartwood

/// One task that overwrites random keys ten times over, `.buffered`: what is written for it, and how much room it takes.
struct OverwriteAmplification: Workload {
    let name: String
    let title: String
    let group = WorkloadGroup.compaction
    let data: OverwrittenData
    var targets: [Target] = []

    init(_ data: OverwrittenData, targets: [Target]) {
        name = data.name
        title = ".buffered puts over all keys ten times\(data.title)"
        self.data = data
        self.targets = targets
    }

    func measure(_ run: Run) async throws -> Sample {
        let run = data.run(run)
        let path = try await FilledStore.compactedCopy(run)
        let store = try await Store.open(at: path)
        let account = OverwriteAccount(run: run, path: path)
        let sample = try await account.measure {
            store.statistics.liveBytes
        } put: {
            // A task of its own, as the other workloads have.
            try await Task {
                try await account.forEachPair { key, value in
                    try await store.put(key, value, durability: .buffered)
                }
            }.value
        } compact: {
            try await store.compact()
        }
        var counted = sample
        let statistics = store.statistics
        counted.figures[.compactions] = Double(statistics.compaction.completed)
        try await store.close()
        try run.directory.remove(path)
        guard statistics.keys == run.data.keyCount, statistics.batches == UInt64(account.puts) || run.isInterrupted
        else {
            throw WrongResult(
                "\(account.puts) puts to \(run.data.keyCount) keys were made, the store counted \(statistics.batches) "
                    + "and has \(statistics.keys)")
        }
        return counted
    }
}
