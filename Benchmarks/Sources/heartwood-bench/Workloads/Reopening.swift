internal import Heartwood

/// Opens a store that a million puts were made to, after it was closed, or after it was dropped as by a kill. Counts
/// records, each a put of its own; only the opening is timed.
struct Reopening: Workload {
    /// How the store was left.
    enum Ending: Sendable { case closed, dropped }

    let name: String
    let title: String
    let group = WorkloadGroup.opening
    let ending: Ending
    let target: Target? = .perSecond(500_000)

    func measure(_ run: Run) async throws -> Sample {
        var records = 0
        var nanoseconds: UInt64 = 0
        let began = Ticks.now
        repeat {
            let path = run.directory.freshPath("reopen")
            try await leave(run, at: path)
            let (store, took) = try await Self.openOnceFree(path)
            nanoseconds += took
            try Self.check(store, ending)
            records += Dataset.keyCount
            try await store.close()
            try run.directory.remove(path)
        } while !run.isOver(Ticks.now, deadline: began + run.nanoseconds)
        return Sample(operations: records, seconds: Double(nanoseconds) / 1e9)
    }

    /// Makes the store, by single puts, and leaves it as asked.
    private func leave(_ run: Run, at path: String) async throws {
        let store = try await Store.open(at: path)
        var pairs = run.data.pairs()
        for number in 1...Dataset.keyCount {
            let (key, value) = pairs.next()
            // The last one waits until all are in the kernel: a kill loses none then, and there is one count.
            try await store.put(key, value, durability: number == Dataset.keyCount ? .written : .buffered)
        }
        if ending == .closed { try await store.close() }
    }

    /// Opens it; a dropped store is let go of by its own thread, a moment later, and that moment isn't counted.
    private static func openOnceFree(_ path: String) async throws -> (store: Store, nanoseconds: UInt64) {
        while true {
            let began = Ticks.now
            do throws(StoreError) {
                let store = try await Store.open(at: path)
                return (store, Ticks.now - began)
            } catch {
                guard error.code == .locked else { throw error }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    private static func check(_ store: Store, _ ending: Ending) throws {
        let report = store.recoveryReport
        guard report.records == UInt64(Dataset.keyCount), store.statistics.keys == Dataset.keyCount else {
            throw WrongResult(
                "of \(Dataset.keyCount) records \(report.records) came back, with \(store.statistics.keys) keys")
        }
        guard (report.tail == .closed) == (ending == .closed) else {
            throw WrongResult("the store was \(ending), but its opening found it \(report.tail)")
        }
    }
}
