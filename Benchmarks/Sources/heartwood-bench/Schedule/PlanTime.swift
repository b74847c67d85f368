/// Estimates of how long steps take: for the remaining time, and for time limits.
enum PlanTime {
    /// Seconds of each step.
    static func estimates(_ steps: [Step], _ rows: [String: Row]) -> [Double] {
        var made: Set<String> = []
        return steps.map { step in
            guard let row = rows[step.row] else { return 0 }
            // Starting the process, checking the contents, and copying the fixture.
            var seconds = 0.3 + Double(row.info.keys) * 1e-6 + measuring(row, step.engine)
            if row.copiesFixture { seconds += bytes(row) / 500e6 }
            if let fixture = row.fixture, made.insert(fixture.name(step.engine)).inserted {
                seconds += making(fixture, row, step.engine)
            }
            return seconds
        }
    }

    /// Seconds of the measurement alone.
    private static func measuring(_ row: Row, _ engine: EngineID) -> Double {
        let all = putting(row, engine)
        switch row.work {
        case .write(let work):
            switch work.kind {
            case .fill:
                return max(row.seconds, min(Double(work.patience) * row.seconds, work.batch > 1 ? all / 4 : all))
            case .remove: return min(Double(work.patience) * row.seconds, all)
            case .endless, .overwrite: return row.seconds
            }
        case .amplify(let work):
            let whole = all * Double(work.rounds)
            return 2 + (engine.hasOneWriter ? min(work.patience, whole) : whole)
        case .damage(let changes): return Double(changes) * 0.008
        case .recover: return 1
        case .remember: return min(4 * row.seconds, Double(row.info.keys) * 5e-6)
        case .own where row.id.hasPrefix("write-cost"): return 10 * row.seconds
        default: return row.seconds
        }
    }

    /// Seconds of making a fixture.
    private static func making(_ fixture: Fixture, _ row: Row, _ engine: EngineID) -> Double {
        switch fixture.state {
        case .compacted: putting(row, engine) / 3
        case .filled, .filledKilled: putting(row, engine)
        case .overwrittenKilled: 2 * putting(row, engine)
        case .cities: 5 * putting(row, .leveldb)
        case .smallClosed, .smallKilled: 1
        }
    }

    /// Seconds that an engine takes to put all keys of a row once, one by one.
    private static func putting(_ row: Row, _ engine: EngineID) -> Double {
        let rate: Double =
            switch engine {
            case .heartwood, .heartwoodMapped, .heartwoodThreads, .raw: 500_000
            case .leveldb: 250_000
            case .rocksdb, .lmdb: 150_000
            case .sqlite: 30_000
            case .grdb: 20_000
            case .jsonFile, .jsonFileSynced, .redis: 100_000
            }
        return Double(row.info.keys) / rate + bytes(row) / 150e6
    }

    /// Seconds of all steps.
    static func total(_ steps: [Step], _ rows: [Row]) -> Double {
        estimates(steps, Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })).reduce(0, +)
    }

    /// Time limit of a run in seconds: several times what the slowest engine may take.
    static func limit(_ row: Row) -> Double {
        60 + 20 * row.seconds + Double(row.info.keys) * 100e-6 + bytes(row) / 5e6
    }

    static func fixtureLimit(_ row: Row) -> Double { 120 + Double(row.info.keys) * 300e-6 + bytes(row) / 5e6 }

    private static func bytes(_ row: Row) -> Double { Double(row.info.keys) * Double(row.info.valueBytes + 16) }
}
