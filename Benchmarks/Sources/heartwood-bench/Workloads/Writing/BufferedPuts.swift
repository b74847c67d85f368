internal import Heartwood

/// Tasks that put `.buffered`, one pair a call.
struct BufferedPuts: Workload {
    let name: String
    let title: String
    var group = WorkloadGroup.unsynced
    let tasks: Int
    /// Whether all the keys are there before the clock starts, so that every put overwrites.
    var overwrites = false
    /// Keys, as a multiple of those asked for.
    var scale = 1
    /// Other than by itself, the store begins compacted.
    var compacting = Compacting.byItself
    var targets: [Target] = []

    func measure(_ run: Run) async throws -> Sample {
        let run = run.with(keyCount: run.data.keyCount * scale)
        return try await StoreLegs.measure(
            run, startingFrom: overwrites ? { try await filled(run) } : nil, configuration: compacting.configuration
        ) { leg in
            let (count, compactions) = try await compacting.during(leg.store) { try await putTogether(leg) }
            return StoreLegs.Outcome(
                puts: count, writes: count, compactions: compacting == .byItself ? nil : compactions)
        }
    }

    private func filled(_ run: Run) async throws -> String {
        compacting == .byItself ? try await FilledStore.copy(run) : try await FilledStore.compactedCopy(run)
    }

    private func putTogether(_ leg: StoreLegs.Leg) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<tasks {
                group.addTask { try await put(leg, task) }
            }
            return try await group.reduce(0, +)
        }
    }

    private func put(_ leg: StoreLegs.Leg, _ task: Int) async throws -> Int {
        let store = leg.store
        var pairs = leg.run.data.pairs(writer: task, of: tasks, skipping: leg.done / tasks)
        var count = 0
        while !leg.isOver(Ticks.now, count: count, of: tasks) {
            for _ in 0..<Run.checkInterval {
                pairs.advance()
                try await store.put(pairs.key, pairs.value, durability: .buffered)
            }
            count += Run.checkInterval
        }
        return count
    }
}

/// One task that puts every key once, `.buffered`, into an empty store, again and again until the time is over: only
/// insertions, where the other workloads overwrite once all keys are there.
struct Insertions: Workload {
    let name: String
    let title: String
    var group = WorkloadGroup.unsynced
    /// Keys, as a multiple of those asked for.
    var scale = 1
    var targets: [Target] = []

    func measure(_ run: Run) async throws -> Sample {
        let run = run.with(keyCount: run.data.keyCount * scale)
        let count = run.data.keyCount
        var inserted = 0
        var nanoseconds: UInt64 = 0
        repeat {
            let path = run.directory.freshPath("insertions")
            let store = try await Store.open(at: path)
            let began = Ticks.now
            // A task of its own, as the other workloads have.
            try await Task { try await Self.insert(run, store) }.value
            nanoseconds += Ticks.now - began
            inserted += count
            let keys = store.statistics.keys
            try await store.close()
            try run.directory.remove(path)
            guard keys == count || run.isInterrupted else {
                throw WrongResult("\(count) keys were put, and the store has \(keys)")
            }
        } while !run.isOver(nanoseconds, deadline: run.nanoseconds)
        return Sample(operations: inserted, seconds: Double(nanoseconds) / 1e9)
    }

    private static func insert(_ run: Run, _ store: Store) async throws {
        var pairs = run.data.pairs()
        var left = run.data.keyCount
        while left > 0, !run.isInterrupted {
            let size = min(left, Run.checkInterval)
            for _ in 0..<size {
                pairs.advance()
                try await store.put(pairs.key, pairs.value, durability: .buffered)
            }
            left -= size
        }
    }
}
