internal import Heartwood

/// Tasks that put, each one after another, at a durability that makes them wait; each wait is measured.
struct TimedPuts: Workload {
    let name: String
    let title: String
    let group: WorkloadGroup
    let durability: Durability
    let tasks: Int
    var targets: [Target] = []
    var neededRotations: UInt64 = 0

    func measure(_ run: Run) async throws -> Sample {
        try await StoreLegs.measure(run) { leg in
            try await withThrowingTaskGroup(of: Latencies.self) { group in
                for task in 0..<tasks {
                    group.addTask { try await put(leg, task) }
                }
                var all = Latencies()
                for try await latencies in group { all.add(latencies) }
                return StoreLegs.Outcome(puts: all.count, writes: all.count, latencies: all)
            }
        }
    }

    private func put(_ leg: StoreLegs.Leg, _ task: Int) async throws -> Latencies {
        var pairs = leg.run.data.pairs(writer: task, of: tasks, skipping: leg.done / tasks)
        var latencies = Latencies()
        var now = Ticks.now
        var count = 0
        while !leg.isOver(now, count: count, of: tasks) {
            pairs.advance()
            try await leg.store.put(pairs.key, pairs.value, durability: durability)
            let end = Ticks.now
            latencies.record(end - now)
            now = end
            count += 1
        }
        return latencies
    }
}
