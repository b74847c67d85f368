/// The loops of the other workloads without a store: what making keys, taking values and summing them costs by itself.
struct HarnessLoop: Workload {
    /// Which loop.
    enum Kind: Sendable { case put, get }

    let name: String
    let title: String
    let group = WorkloadGroup.harness
    let engine = "none"
    let kind: Kind

    func measure(_ run: Run) async throws -> Sample {
        switch kind {
        case .put: try await onThread { putNothing(run) }
        case .get: try await onThread { try getNothing(run) }
        }
    }

    private func putNothing(_ run: Run) -> Sample {
        let store = NoStore()
        var pairs = run.data.pairs()
        var count = 0
        let start = Ticks.now
        var now = start
        while !run.isOver(now, deadline: start + run.nanoseconds) {
            for _ in 0..<Run.checkInterval {
                pairs.advance()
                store.put(pairs.key, pairs.value)
            }
            count += Run.checkInterval
            now = Ticks.now
        }
        return Sample(operations: count, seconds: Ticks.seconds(from: start, to: now))
    }

    private func getNothing(_ run: Run) throws -> Sample {
        let store = NoStore()
        let data = run.data
        return try GetLoop.read(run, seed: 0) { key, number, sum in
            ByteSum.add(store.get(key, data.value(number)), to: &sum)
            return true
        }
    }
}

/// Takes pairs and does nothing with them; the compiler isn't to see that.
private struct NoStore: Sendable {
    @inline(never)
    func put(_ key: [UInt8], _ value: [UInt8]) {}

    @inline(never)
    func get(_ key: [UInt8], _ value: [UInt8]) -> [UInt8] { value }
}
