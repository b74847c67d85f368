/// Opens a database of another engine whose log has every record, and no table has any. Counts records, each a put of
/// its own; only the opening is timed.
///
/// Neither LevelDB nor RocksDB brings its log into tables when it is closed, so a log that was closed is opened as one
/// that a kill left. While they are filled, though, they do so whenever their write buffer is full, and LevelDB's can't
/// be larger than 1 GiB. So each log is kept by a second name, with the list of tables as it was when there was none:
/// the directory as a crash leaves it before the first table is done.
struct PeerReopening<Engine: Peer>: Workload {
    let name: String
    let title: String
    let group: WorkloadGroup
    let engine = Engine.id
    let baseline: String?
    /// Keys, as a multiple of those asked for.
    let scale: Int

    init(isLarge: Bool = false) {
        name = "\(isLarge ? "large-" : "")reopen-\(Engine.id)"
        title = "\(Engine.title): \(isLarge ? "opening, " : "")all in the log (records)"
        group = isLarge ? .large : .opening
        baseline = isLarge ? "large-reopen-dropped" : "reopen-dropped"
        scale = isLarge ? 10 : 1
    }

    func measure(_ run: Run) async throws -> Sample {
        let run = run.with(keyCount: run.data.keyCount * scale)
        var records = 0
        var nanoseconds: UInt64 = 0
        let began = Ticks.now
        repeat {
            let path = try await run.fixtures.copy("\(Engine.id)-log-\(run.data.keyCount)") { path in
                try await onThread { try leaveLog(run, at: path) }
            }
            nanoseconds += try await onThread {
                let start = Ticks.now
                // As it comes: with a large buffer, replaying takes longer.
                let peer = try Engine(opening: path, PeerSettings())
                let took = Ticks.now - start
                try check(run, peer)
                try peer.close()
                return took
            }
            records += run.data.keyCount
            try run.directory.remove(path)
        } while !run.isOver(Ticks.now, deadline: began + run.nanoseconds)
        return Sample(operations: records, seconds: Double(nanoseconds) / 1e9, whole: run.data.keyCount)
    }

    /// Puts every pair into a database of its own, and keeps its logs at `path`, with everything else as it was before
    /// the first pair.
    private func leaveLog(_ run: Run, at path: String) throws {
        let source = run.directory.freshPath(Engine.id)
        try run.directory.make(source)
        let peer = try Engine(opening: source, PeerSettings(keepsLog: true))
        try run.directory.copy(source, to: path)
        for log in try logs(run, in: path) { try run.directory.remove("\(path)/\(log)") }
        var pairs = run.data.pairs()
        for number in 0..<run.data.keyCount {
            // A new log takes hundreds of thousands of pairs: none comes and goes between two looks.
            if number % 10_000 == 0 { try keepLogs(run, of: source, at: path) }
            pairs.advance()
            try peer.put(pairs.key, pairs.value)
        }
        try peer.close()
        try keepLogs(run, of: source, at: path)
        try run.directory.remove(source)
    }

    private func keepLogs(_ run: Run, of source: String, at path: String) throws {
        let kept = try Set(logs(run, in: path))
        for log in try logs(run, in: source) where !kept.contains(log) {
            try run.directory.link("\(source)/\(log)", as: "\(path)/\(log)")
        }
    }

    private func logs(_ run: Run, in path: String) throws -> [String] {
        try run.directory.names(in: path).filter { $0.hasSuffix(".log") }
    }

    private func check(_ run: Run, _ peer: Engine) throws {
        var count = 0
        try peer.scan(keysOnly: true) { _, _ in
            count += 1
            return true
        }
        guard count == run.data.keyCount else {
            throw WrongResult("of \(run.data.keyCount) records \(count) came back")
        }
    }
}
