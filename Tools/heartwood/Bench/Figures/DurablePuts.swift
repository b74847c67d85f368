internal import Heartwood
internal import Synchronization

/// Puts that are on the disk when they return. Each task puts one after another.
struct DurablePuts {
    let context: BenchContext
    let tasks: Int

    func measure() async throws -> Measurement {
        let path = context.directory.path("fillsync")
        let (latencies, counts, nanoseconds) = try await Store.withStore(at: path, configuration: .forBench()) {
            store in
            try await put(to: store)
        }
        try BenchStopped.check()
        let figure = BenchFigure.fillsync(tasks: tasks)
        let written = StripedKeys(counts: counts, keys: BenchPlan.durableKeys)
        try await written.contents.check(path, context.values, figure)
        try context.directory.remove("fillsync")
        return Measurement(figure, latencies.count, nanoseconds: nanoseconds, latencies: latencies)
    }

    private func put(to store: Store) async throws -> (LatencyHistogram, counts: [Int], nanoseconds: UInt64) {
        let watch = context.stopwatch()
        let isFull = OneWaySwitch()
        return try await withThrowingTaskGroup(of: (Int, LatencyHistogram).self) { group in
            for task in 0..<tasks {
                group.addTask { (task, try await put(to: store, task, watch, isFull)) }
            }
            var all = LatencyHistogram()
            var counts = [Int](repeating: 0, count: tasks)
            for try await (task, latencies) in group {
                all.add(latencies)
                counts[task] = latencies.count
            }
            return (all, counts, Ticks.now - watch.start)
        }
    }

    /// The puts of one task. The end of a put is the start of the next, so that the time between them is included.
    private func put(
        to store: Store, _ task: Int, _ watch: Stopwatch, _ isFull: OneWaySwitch
    ) async throws -> LatencyHistogram {
        var latencies = LatencyHistogram()
        var now = Ticks.now
        repeat {
            let number = task + tasks * latencies.count
            let key = BenchKey(number % BenchPlan.durableKeys)
            try await store.put(key, context.values[number], durability: .synced)
            let end = Ticks.now
            latencies.record(end - now)
            now = end
            if task == 0, latencies.count % context.plan.putsBetweenLooks == 0,
                store.statistics.logBytes >= context.plan.durableLogLimit
            {
                isFull.set()
            }
        } while !watch.isOver(now) && !isFull.isSet
        return latencies
    }
}

/// The contents of a store after `tasks` tasks have put numbers. With T tasks, task t puts t, t + T, t + 2T and so on.
/// Each number goes to the key that is its remainder modulo the number of keys, which is a multiple of T.
struct StripedKeys {
    /// The number of puts of each task.
    let counts: [Int]
    let keys: Int

    var contents: StoreContents {
        let (counts, keys) = (counts, keys)
        let keysOfTask = keys / counts.count
        return StoreContents(keys: counts.reduce(0) { $0 + min($1, keysOfTask) }) { key in
            guard key < keys else { return nil }
            let task = key % counts.count
            let first = key / counts.count
            guard first < counts[task] else { return nil }
            // The last number that the task put to this key.
            let last = counts[task] - 1 - (counts[task] - 1 - first) % keysOfTask
            return task + counts.count * last
        }
    }
}
