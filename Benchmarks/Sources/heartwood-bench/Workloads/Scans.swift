internal import Heartwood

/// One thread that visits every entry in order with `forEach`, again and again, and adds up the bytes of the values.
struct Scans: Workload {
    let name = "scan"
    let title = "scan of all entries, values read (entries)"
    let group = WorkloadGroup.reading

    func measure(_ run: Run) async throws -> Sample {
        try await FilledStore.reopened(run) { store in
            try await onThread { try Self.scan(run, store) }
        }
    }

    private static func scan(_ run: Run, _ store: Store) throws -> Sample {
        var count = 0
        var sum: UInt64 = 0
        let start = Ticks.now
        var now = start
        while !run.isOver(now, deadline: start + run.nanoseconds) {
            let before = count
            try store.forEach { entry in
                entry.value.withUnsafeBytes { Gets.add($0, to: &sum) }
                count += 1
                return count % Run.checkInterval == 0 && run.isOver(Ticks.now, deadline: start + run.nanoseconds)
                    ? .stop : .next
            }
            now = Ticks.now
            guard count - before == Dataset.keyCount || run.isOver(now, deadline: start + run.nanoseconds) else {
                throw WrongResult("a scan showed \(count - before) of \(Dataset.keyCount) entries")
            }
        }
        guard sum > 0 else { throw WrongResult("the values are empty") }
        return Sample(operations: count, seconds: Ticks.seconds(from: start, to: now))
    }
}
