internal import Foundation

@testable import heartwood_bench

/// Invented results with all groups, some engines missing and some cells failed: the same for the same seed. They look
/// like results, and say nothing about any engine.
struct SampleResults {
    private var random: SplitMix64
    private let peers: Bool
    private let runs: Int

    /// A whole run of the program.
    static func whole(seed: UInt64 = 1, peers: Bool = true, runs: Int = 3) -> Results {
        var sample = SampleResults(random: SplitMix64(seed: seed), peers: peers, runs: runs)
        return sample.make(seed: seed)
    }

    /// What the first seconds have left behind: rows without cells.
    static func interrupted(seed: UInt64 = 2) -> Results {
        var results = whole(seed: seed)
        results.isInterrupted = true
        results.cells = Array(results.cells.prefix(60))
        for index in results.cells.indices.suffix(12) { results.cells[index].runs.removeLast() }
        return results
    }

    /// Words in every field that would be markup, commands of a terminal, or very long.
    static func hostile(seed: UInt64 = 3) -> Results {
        var results = whole(seed: seed, runs: 2)
        let evil = #"</script><b id="injected">'&amp;| `x` <!-- /figures --> "# + "\u{1B}[31m\u{202E}\u{0}\r\n]]>"
        results.command = evil + String(repeating: "--very-long-option-without-a-space", count: 20)
        results.machine.processor = evil
        results.heartwood = evil
        results.plan = evil
        for index in results.engines.indices {
            results.engines[index].title += " " + evil
            results.engines[index].settings.append(evil)
            results.engines[index].version = evil
            if results.engines[index].missing != nil { results.engines[index].missing = evil }
        }
        for index in results.rows.indices { results.rows[index].title += " " + evil }
        results.rows[0].workload = evil
        results.rows[1].workload = evil
        for index in results.cells.indices where results.cells[index].failure != nil {
            results.cells[index].failure = evil
        }
        var strange = results.rows[3]
        (strange.id, strange.group) = (evil, evil)
        results.rows.append(strange)
        results.engines.append(
            EngineInfo(id: evil, title: String(repeating: "W", count: 200), family: evil, version: "1", settings: []))
        for engine in [evil, "heartwood"] {
            var cell = CellResult(row: evil, engine: engine)
            cell.runs = [
                CellResult.Run(
                    operations: Int.max, seconds: 1e-300, bytes: .max, figures: [evil: -1e300], started: 1e300)
            ]
            results.cells.append(cell)
        }
        return results
    }

    /// Nothing but a header.
    static func empty() -> Results {
        var results = whole()
        results.cells = []
        results.isInterrupted = true
        results.finished = nil
        return results
    }

    private mutating func make(seed: UInt64) -> Results {
        var results = Results(
            plan: "full", command: "Benchmarks/run --full --json results.json --html results.html",
            heartwood: "0.9.0 (1a2b3c4)",
            machine: MachineInfo(
                processor: "AMD EPYC 7B13", cores: 2, memoryBytes: 25_276_510_208,
                system: "Linux 6.1.0-18-cloud-amd64 x86_64", fileSystem: "ext4", disk: "virtual disk",
                swift: "Swift version 6.3.1 (swift-6.3.1-RELEASE)", load: 0.21),
            started: 1_795_000_000, finished: 1_795_006_720, seed: seed, engines: engines, rows: SampleRows.all)
        for row in results.rows {
            for engine in results.engines where engine.missing == nil {
                if let cell = cell(row, engine.id) { results.cells.append(cell) }
            }
        }
        return results
    }

    private var engines: [EngineInfo] {
        let all = [
            EngineInfo(
                id: "heartwood", title: "Heartwood", family: "heartwood", version: "0.9.0",
                settings: ["As it comes."]),
            EngineInfo(
                id: "heartwood-mapped", title: "Heartwood (mapped)", family: "heartwood", version: "0.9.0",
                settings: [
                    "valueReading = .mapped: reads without a call, at the price that a failing disk ends the process."
                ]),
            EngineInfo(
                id: "heartwood-threads", title: "Heartwood (threads)", family: "heartwood", version: "0.9.0",
                settings: ["Called from threads that block, as the C engines are."]),
            EngineInfo(
                id: "rocksdb", title: "RocksDB", family: "rocksdb", version: "7.8.3",
                settings: [
                    "No compression: Heartwood's is off by default, and random values don't shrink.",
                    "A bloom filter of 10 bits a key and a block cache of 512 MiB, as its tuning guide advises.",
                ]),
            EngineInfo(
                id: "leveldb", title: "LevelDB", family: "leveldb", version: "1.23",
                settings: ["A block cache of 512 MiB and a bloom filter of 10 bits a key."]),
            EngineInfo(
                id: "lmdb", title: "LMDB", family: "lmdb", version: "0.9.24",
                settings: ["MDB_WRITEMAP off, MDB_NOSYNC where the row doesn't ask for the disk."]),
            EngineInfo(
                id: "sqlite", title: "SQLite", family: "sqlite", version: "3.40.1",
                settings: ["journal_mode = WAL; synchronous = FULL or NORMAL by what the row promises."]),
            EngineInfo(
                id: "grdb", title: "GRDB", family: "grdb", version: "7.10.0", settings: [],
                missing: peers ? "It was not built: set HEARTWOOD_GRDB=1 and build again." : nil),
            EngineInfo(
                id: "raw", title: "raw", family: "raw", version: "", settings: ["Appends and fdatasync, or memcpy."]),
        ]
        guard !peers else { return all }
        return all.map { engine in
            var engine = engine
            if engine.isPeer { engine.missing = "It is not installed: apt-get install lib\(engine.id)-dev" }
            return engine
        }
    }

    private mutating func cell(_ row: RowInfo, _ engine: String) -> CellResult? {
        guard SampleRows.runs(row, engine) else { return nil }
        var cell = CellResult(row: row.id, engine: engine)
        if row.id == "readseq", engine == "sqlite" {
            cell.failure = "the sum of all values was not that of what was put: reading ended after 3,112 records"
            return cell
        }
        let level = SamplePace.level(row, engine) * random.between(0.85, 1.15)
        for index in 0..<runs {
            cell.runs.append(run(row, engine, level * random.between(0.93, 1.07), Double(index)))
        }
        if row.id == "fillsync-4096", engine == "lmdb" {
            cell.runs.removeLast()
            cell.failure = "run 3 of 3 was ended after 600 s"
        }
        return cell
    }

    private mutating func run(_ row: RowInfo, _ engine: String, _ level: Double, _ index: Double) -> CellResult.Run {
        var run = CellResult.Run(
            operations: Int(level * 10), seconds: 10, bytes: UInt64(level * 10 * Double(16 + row.valueBytes)),
            started: 1_795_000_000 + index * 1_000)
        switch row.measure {
        case .rate:
            if row.promise != nil || row.group == "ycsb" {
                run.latency = latency(1e9 * Double(row.workers) / level, isCorrected: false)
            }
        case .seconds:
            run.operations = row.keys
            run.seconds = level
        case .figure:
            if let figure = row.figure { run.figures[figure] = level }
            run.figures["processSeconds"] = 12.5
        case .latency:
            run.latency = latency(level, isCorrected: true)
            run.timeline = (0..<60).map { moment(Double($0), level) }
        case .damage:
            run.damage = SamplePace.damage(engine, killed: row.id.hasSuffix("killed"), shift: Int(index))
        }
        return run
    }

    private mutating func latency(_ typical: Double, isCorrected: Bool) -> LatencyResult {
        let percentiles = (0..<50).map { 100 * (1 - pow(10, -Double($0) / 9)) } + [100]
        let heavy = random.between(0.35, 0.75)
        let curve = percentiles.map { percentile in
            let nines = percentile < 100 ? -log10(1 - percentile / 100) : 5.7
            return LatencyResult.Point(
                percentile: percentile,
                nanoseconds: UInt64(typical * (0.7 + 0.4 * nines) * pow(10, heavy * max(0, nines - 1.5))))
        }
        func at(_ nines: Double) -> UInt64 { curve[min(Int(nines * 9), 49)].nanoseconds }
        return LatencyResult(
            count: 500_000, mean: typical, p50: at(0.3), p90: at(1), p99: at(2), p999: at(3), p9999: at(4),
            maximum: curve[50].nanoseconds, isCorrected: isCorrected, curve: curve)
    }

    private mutating func moment(_ second: Double, _ level: Double) -> CellResult.Moment {
        let isBusy = Int(second) % 17 > 11
        let p99 = level * random.between(0.5, 1.2) * (isBusy ? 3 : 1)
        return CellResult.Moment(
            second: second, operations: Int(200_000 * random.between(0.93, 1) * (isBusy && level > 3e6 ? 0.4 : 1)),
            p99: UInt64(p99), maximum: UInt64(p99 * random.between(3, 40)))
    }
}
