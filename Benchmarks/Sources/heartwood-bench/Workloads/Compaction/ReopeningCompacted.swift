internal import Heartwood

/// Opens a store that was compacted and closed. Counts keys; only the opening is timed.
struct ReopeningCompacted: Workload {
    let name: String
    let title: String
    let group = WorkloadGroup.compaction
    /// Keys, as a multiple of those asked for.
    var scale = 1
    var targets: [Target] = []
    var isLarge: Bool { scale > 1 }

    func measure(_ run: Run) async throws -> Sample {
        let run = run.with(keyCount: run.data.keyCount * scale)
        return try await CompactedOpenings.measure(run, suffixes: [".snapshot"]) {
            try await FilledStore.compactedPath(run)
        } open: { path, _ in
            let start = Ticks.now
            let store = try await Store.open(at: path, configuration: Engine.configuration(isCompacted: false))
            let nanoseconds = Ticks.now - start
            let (keys, report) = (store.statistics.keys, store.recoveryReport)
            try await store.close()
            guard keys == run.data.keyCount, report.snapshot?.keys == keys, report.records == 0 else {
                throw WrongResult(
                    "of \(run.data.keyCount) keys \(keys) came back, with \(report.records) records of the log")
            }
            return nanoseconds
        }
    }
}

/// Openings of compacted stores, of every engine.
enum CompactedOpenings {
    /// Opens copies of a store until the time is over.
    ///
    /// - Parameters:
    ///   - suffixes: Of files that are never changed, which a copy may share.
    ///   - path: The store, which stays as it is.
    ///   - open: Opens the copy at a path and closes it, and returns the nanoseconds of the opening. The first copy is to
    ///     be looked at more closely.
    static func measure(
        _ run: Run, suffixes: [String], path: () async throws -> String,
        open: (_ path: String, _ isFirst: Bool) async throws -> UInt64
    ) async throws -> Sample {
        let original = try await path()
        var openings = 0
        var nanoseconds: UInt64 = 0
        let began = Ticks.now
        repeat {
            let copy = run.directory.freshPath("compacted")
            try run.directory.copy(original, to: copy, linking: suffixes)
            run.directory.settle()
            try run.directory.readAll(copy)
            nanoseconds += try await open(copy, openings == 0)
            openings += 1
            try run.directory.remove(copy)
        } while !run.isOver(Ticks.now, deadline: began + run.nanoseconds)
        let keys = openings * run.data.keyCount
        return Sample(
            operations: keys, seconds: Double(nanoseconds) / 1e9, whole: run.data.keyCount,
            figures: [.openingAKey: Double(nanoseconds) / Double(keys)])
    }
}
