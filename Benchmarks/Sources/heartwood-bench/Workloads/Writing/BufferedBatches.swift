internal import Heartwood

/// One task that writes batches of a thousand puts, `.buffered`. Counts records.
struct BufferedBatches: Workload {
    static let name = "batch-1000"
    let name: String = Self.name
    let title = ".buffered batches of 1,000, one task (records)"
    let group = WorkloadGroup.unsynced
    let targets: [Target] = [.perSecond(2_200_000)]

    static let batchSize = 1_000

    func measure(_ run: Run) async throws -> Sample {
        try await StoreLegs.measure(run) { leg in
            // A task of its own, as the other workloads have.
            try await Task { try await write(leg) }.value
        }
    }

    private func write(_ leg: StoreLegs.Leg) async throws -> StoreLegs.Outcome {
        var pairs = leg.run.data.pairs(skipping: leg.done)
        var batches = 0
        while !leg.isOver(Ticks.now, count: batches * Self.batchSize) {
            try await leg.store.write(durability: .buffered) { batch in
                for _ in 0..<Self.batchSize {
                    pairs.advance()
                    batch.put(pairs.key, pairs.value)
                }
            }
            batches += 1
        }
        return StoreLegs.Outcome(puts: batches * Self.batchSize, writes: batches)
    }
}
