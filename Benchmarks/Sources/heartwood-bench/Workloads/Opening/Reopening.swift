internal import Heartwood

/// Opens a store that each key was put to once, by a put of its own, after it was closed, or after it was dropped as by
/// a kill. Counts records; only the opening is timed.
struct Reopening: Workload {
    /// How the store was left.
    enum Ending: String, Sendable { case closed, dropped }

    let name: String
    let title: String
    var group = WorkloadGroup.opening
    let ending: Ending
    /// Keys, as a multiple of those asked for.
    var scale = 1
    var targets: [Target] = []

    /// It is the records of the log that are opened: none is to be in a snapshot.
    private var configuration: Store.Configuration { Engine.configuration(isCompacted: false) }

    func measure(_ run: Run) async throws -> Sample {
        let run = run.with(keyCount: run.data.keyCount * scale)
        var records = 0
        var nanoseconds: UInt64 = 0
        let began = Ticks.now
        repeat {
            let path = try await run.fixtures.copy("heartwood-\(ending.rawValue)-\(run.data.keyCount)") { path in
                try await leave(run, at: path)
            }
            let start = Ticks.now
            let store = try await Store.open(at: path, configuration: configuration)
            nanoseconds += Ticks.now - start
            try check(run, store)
            records += run.data.keyCount
            try await store.close()
            try run.directory.remove(path)
        } while !run.isOver(Ticks.now, deadline: began + run.nanoseconds)
        return Sample(operations: records, seconds: Double(nanoseconds) / 1e9, whole: run.data.keyCount)
    }

    /// Makes the store, by single puts, and leaves it as asked.
    private func leave(_ run: Run, at path: String) async throws {
        try await fill(run, at: path)
        try await FileLock.waitUntilFree("\(path)/LOCK")
    }

    private func fill(_ run: Run, at path: String) async throws {
        let store = try await Store.open(at: path, configuration: configuration)
        var pairs = run.data.pairs()
        for number in 1...run.data.keyCount {
            pairs.advance()
            // The last one waits until all are in the kernel: a kill loses none then, and there is one count.
            try await store.put(
                pairs.key, pairs.value, durability: number == run.data.keyCount ? .written : .buffered)
        }
        if ending == .closed { try await store.close() }
    }

    private func check(_ run: Run, _ store: Store) throws {
        let report = store.recoveryReport
        let count = run.data.keyCount
        guard report.records == UInt64(count), store.statistics.keys == count else {
            throw WrongResult("of \(count) records \(report.records) came back, with \(store.statistics.keys) keys")
        }
        guard (report.tail == .closed) == (ending == .closed) else {
            throw WrongResult("the store was \(ending.rawValue), but its opening found it \(report.tail)")
        }
    }
}
