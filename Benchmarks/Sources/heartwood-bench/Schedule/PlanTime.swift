/// How long things take, about: for the time left, and for ending what hangs.
enum PlanTime {
    /// Seconds of each step, without what is around the measuring where that is short.
    static func estimates(_ steps: [Step], _ rows: [String: Row]) -> [Double] {
        var made: Set<String> = []
        return steps.map { step in
            guard let row = rows[step.row] else { return 0 }
            var seconds = 0.3 + row.seconds + Double(row.info.keys) * 1e-6
            if let fixture = row.fixture, made.insert(fixture.name(step.engine)).inserted {
                seconds += fillSeconds(row, step.engine)
            }
            if row.copiesFixture { seconds += bytes(row) / 500e6 }
            return seconds
        }
    }

    /// Seconds of all of it.
    static func total(_ steps: [Step], _ rows: [Row]) -> Double {
        estimates(steps, Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })).reduce(0, +)
    }

    /// Seconds after which a run is given up: several times what the slowest engine may take.
    static func limit(_ row: Row) -> Double {
        60 + 20 * row.seconds + Double(row.info.keys) * 100e-6 + bytes(row) / 5e6
    }

    static func fixtureLimit(_ row: Row) -> Double { 120 + Double(row.info.keys) * 300e-6 + bytes(row) / 5e6 }

    private static func fillSeconds(_ row: Row, _ engine: EngineID) -> Double {
        Double(row.info.keys) * (engine.isHeartwood ? 1.5e-6 : 5e-6) + bytes(row) / 200e6
    }

    private static func bytes(_ row: Row) -> Double { Double(row.info.keys) * Double(row.info.valueBytes + 16) }
}
