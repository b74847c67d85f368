internal import Heartwood

/// Tasks that put `.buffered`, one pair a call.
struct BufferedPuts: Workload {
    let name: String
    let title: String
    let group = WorkloadGroup.unsynced
    let tasks: Int
    let target: Target?

    func measure(_ run: Run) async throws -> Sample {
        try await StoreLegs.measure(run) { leg in
            try await withThrowingTaskGroup(of: Int.self) { group in
                for task in 0..<tasks {
                    group.addTask { try await put(leg, task) }
                }
                let count = try await group.reduce(0, +)
                return StoreLegs.Outcome(puts: count, writes: count)
            }
        }
    }

    private func put(_ leg: StoreLegs.Leg, _ task: Int) async throws -> Int {
        let store = leg.store
        var pairs = leg.run.data.pairs(writer: task, of: tasks, skipping: leg.done / tasks)
        var count = 0
        while !leg.isOver(Ticks.now, count: count, of: tasks) {
            for _ in 0..<Run.checkInterval {
                let (key, value) = pairs.next()
                try await store.put(key, value, durability: .buffered)
            }
            count += Run.checkInterval
        }
        return count
    }
}
