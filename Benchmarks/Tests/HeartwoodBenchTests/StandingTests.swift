import Testing

@testable import heartwood_bench

struct StandingTests {
    private static let engines: [EngineInfo] = [
        ("heartwood", "Heartwood", "heartwood"), ("heartwood-mapped", "Mapped", "heartwood"), ("lmdb", "LMDB", "lmdb"),
        ("leveldb", "LevelDB", "leveldb"), ("raw", "raw", "raw"),
    ].map { EngineInfo(id: $0.0, title: $0.1, family: $0.2, version: "1", settings: []) }

    private static func row(_ id: String, _ measure: RowInfo.Measure = .rate) -> RowInfo {
        RowInfo(
            id: id, workload: id, group: "reading", title: id, promise: nil, workers: 1, keys: 1, valueBytes: 1,
            measure: measure, figure: "cost")
    }

    private static func standing(
        _ values: KeyValuePairs<String, [Double]>, _ measure: RowInfo.Measure = .rate
    ) -> Standing {
        let cells = values.map { engine, values in
            CellResult(
                row: "a", engine: engine,
                runs: values.map { value in
                    CellResult.Run(
                        operations: measure == .rate ? Int(value) : 1, seconds: measure == .seconds ? value : 1,
                        bytes: 1, figures: ["cost": value])
                })
        }
        return Standing(Comparison(row("a", measure), engines: engines, cells: cells))
    }

    @Test func whoeverIsFasterThanEveryPeerLeads() {
        let standing = Self.standing([
            "heartwood": [300, 310], "lmdb": [100, 102], "leveldb": [200, 199], "raw": [9_000],
        ])
        guard case .leads(let nearest, let lead, let overlaps) = standing.outcome else {
            Issue.record("\(standing.outcome)")
            return
        }
        #expect(nearest.engine.id == "leveldb" && !overlaps)
        #expect(abs((lead ?? 0) - 305 / 199.5) < 1e-9)
        #expect(standing.words == "Heartwood is 1.53× ahead of LevelDB")
    }

    @Test func runsThatOverlapAreMentioned() {
        #expect(
            Self.standing(["heartwood": [300, 200, 310], "lmdb": [250, 251, 249]]).words.hasSuffix(
                "(some runs overlap)"))
        #expect(Self.standing(["heartwood": [200], "lmdb": [250, 251]]).words == "LMDB is 1.25× ahead (one run)")
    }

    @Test func anotherWayIsNamed() {
        let standing = Self.standing(["heartwood": [100, 101], "heartwood-mapped": [300, 301], "lmdb": [200, 201]])
        guard case .leadsAs(let way, let ahead) = standing.outcome else {
            Issue.record("\(standing.outcome)")
            return
        }
        #expect(way.engine.id == "heartwood-mapped" && ahead.map(\.engine.id) == ["lmdb"])
        #expect(standing.words == "Mapped leads; as it comes, LMDB is 2.00× ahead")
    }

    @Test func allThatAreAheadAreNamedTheBestFirst() {
        let standing = Self.standing(["heartwood": [100, 101], "leveldb": [201, 200], "lmdb": [401, 400]])
        guard case .behind(let ahead) = standing.outcome else {
            Issue.record("\(standing.outcome)")
            return
        }
        #expect(ahead.map(\.engine.id) == ["lmdb", "leveldb"])
    }

    @Test func lessIsBetterWhereItIs() {
        for measure in [RowInfo.Measure.seconds, .figure] {
            guard case .leads = Self.standing(["heartwood": [1, 1.1], "lmdb": [2, 2.1]], measure).outcome,
                case .behind = Self.standing(["heartwood": [3, 3.1], "lmdb": [2, 2.1]], measure).outcome
            else {
                Issue.record("\(measure)")
                return
            }
        }
    }

    @Test func whoIsLevelIsNotLed() {
        #expect(Self.standing(["heartwood": [100], "lmdb": [100]]).words == "LMDB is level")
    }

    @Test func nothingIsClaimedWithoutAPeer() {
        for values: KeyValuePairs<String, [Double]> in [
            ["heartwood": [1]], ["lmdb": [1]], ["heartwood": [1], "raw": [0.5]],
        ] {
            guard case .unknown = Self.standing(values).outcome else {
                Issue.record("\(values)")
                return
            }
        }
    }

    @Test func mediansAreThoseOfTheMiddle() {
        #expect(RunFigures([3, 1, 2])?.median == 2)
        #expect(RunFigures([4, 1, 2, 3])?.median == 2.5)
        #expect(RunFigures([]) == nil)
        #expect(RunFigures([.nan, .infinity]) == nil)
    }
}
