import Testing

@testable import heartwood_bench

struct CatalogueTests {
    @Test(arguments: PlanName.allCases)
    func rowsHaveNamesOfTheirOwn(_ plan: PlanName) {
        let ids = Catalogue(Parameters(plan)).rows.map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test func rowsOfTheFieldAreThere() throws {
        let catalogue = Catalogue(Parameters(.full))
        let names =
            ["fillseq", "fillrandom", "fillbatch", "overwrite", "deleterandom", "readrandom", "readmissing", "readseq"]
            + ["readreverse", "seekrandom", "readwhilewriting", "recovery-log", "damage-killed", "growth-fill-10m"]
            + [1, 8, 64, 256, 1_024, 4_096].map { "fillsync-\($0)" } + "abcdef".map { "ycsb-\($0)" }
        for name in names { _ = try catalogue.row(name) }
    }

    /// Only engines that promise the same stand in a row.
    @Test func enginesWithoutABufferAreNotInRowsThatMayLose() {
        for row in Catalogue(Parameters(.full)).rows where row.info.promise == .mayLoseLastMoments {
            #expect(Set(row.engines).isDisjoint(with: [.leveldb, .lmdb, .sqlite, .grdb]))
            #expect(row.use.promise == .mayLoseLastMoments)
        }
    }

    @Test func theLargestAreMeasuredOnceWithoutSQLite() {
        for row in Catalogue(Parameters(.full)).rows where row.info.keys >= 10_000_000 {
            #expect(row.runs == 1 && !row.engines.contains(.sqlite) && !row.engines.contains(.grdb))
            #expect(row.plans == [.full])
        }
    }

    @Test func plansKeepTheirTime() throws {
        for (plan, minutes) in [(PlanName.quick, 3.0), (.default, 30), (.full, 120)] {
            let catalogue = Catalogue(Parameters(plan))
            let rows = try catalogue.select(nil)
            #expect(PlanTime.total(Schedule.steps(rows, engines: EngineID.allCases), rows) < minutes * 60)
        }
    }

    @Test func unknownNamesAreRefused() {
        #expect(throws: UnknownName.self) { try Catalogue(Parameters(.quick)).select(["fillsink"]) }
    }

    @Test func groupsAndRowsAreChosenByName() throws {
        let ids = try Catalogue(Parameters(.quick)).select(["readseq", "durable"]).map(\.id)
        let durable = [1, 8, 64, 256, 1_024, 4_096].map { "fillsync-\($0)" }
        #expect(ids == durable + ["readseq"])
    }
}
