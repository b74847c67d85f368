import Testing

@testable import heartwood_bench

struct CatalogueTests {
    @Test(arguments: PlanName.allCases)
    func namesOfRowsAreUnique(_ plan: PlanName) {
        let ids = Catalogue(Parameters(plan)).rows.map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test func usualRowsExist() throws {
        let catalogue = Catalogue(Parameters(.full))
        let names =
            ["fillseq", "fillrandom", "fillbatch", "overwrite", "deleterandom", "readrandom", "readmissing", "readseq"]
            + ["readreverse", "seekrandom", "readwhilewriting", "readrandom-uncompacted", "readseq-uncompacted"]
            + ["recovery-log", "damage-killed", "growth-fill-10m"]
            + [1, 8, 64, 256, 1_024, 4_096].map { "fillsync-\($0)" } + "abcdef".map { "ycsb-\($0)" }
            + ["none", "durable", "visible", "sync-none", "sync-durable", "log", "latency"].map { "feed-\($0)" }
            + ["get-sync", "get-async"]
            + ["10k", "100k", "1m", "10m", "64", "batch"].map { "typed-save-\($0)" }
            + [
                "typed-find", "typed-query", "typed-count-range", "typed-count-equal", "typed-overhead-save",
                "typed-overhead-find", "observe-none", "observe-1000",
            ]
            + ["typed-index-memory"]
        for name in names { _ = try catalogue.row(name) }
    }

    @Test func enginesWithoutABufferAreNotInRowsWhoseWritesMayBeLost() {
        for row in Catalogue(Parameters(.full)).rows where row.info.promise == .mayLoseLastMoments {
            #expect(Set(row.engines).isDisjoint(with: [.leveldb, .lmdb, .sqlite, .grdb]))
            #expect(row.use.promise == .mayLoseLastMoments)
        }
    }

    @Test func enginesWithoutBytesAreOnlyInTypedRows() {
        for row in Catalogue(Parameters(.full)).rows
        where !Set(row.engines).isDisjoint(with: [.jsonFile, .jsonFileSynced]) {
            if case .typed = row.work { continue }
            Issue.record("\(row.id) has an engine without bytes")
        }
    }

    @Test func rowsOfHeartwoodAloneHaveNoPeers() {
        let rows = Catalogue(Parameters(.full)).rows.filter { $0.info.group == "heartwood" }
        #expect(rows.allSatisfy { Set($0.engines).isSubset(of: [.heartwood, .raw]) })
    }

    @Test func theLargestStoresAreMeasuredOnceAndWithoutSQLite() {
        for row in Catalogue(Parameters(.full)).rows where row.info.keys >= 10_000_000 {
            #expect(row.runs == 1 && !row.engines.contains(.sqlite) && !row.engines.contains(.grdb))
            #expect(row.plans == [.full])
        }
    }

    @Test func plansTakeNoLongerThanDocumented() throws {
        for (plan, minutes) in [(PlanName.quick, 3.0), (.default, 35), (.full, 135)] {
            let catalogue = Catalogue(Parameters(plan))
            let rows = try catalogue.select(nil)
            #expect(PlanTime.total(Schedule.steps(rows, engines: EngineID.allCases), rows) < minutes * 60)
        }
    }

    /// Engines may compact while they are read, so that each run needs its own copy.
    @Test func uncompactedStoresAreCopied() {
        let rows = Catalogue(Parameters(.full)).rows.filter { $0.id.hasSuffix("-uncompacted") }
        #expect(rows.count == 2)
        #expect(rows.allSatisfy { $0.fixture?.state == .filled && $0.copiesFixture })
    }

    @Test func unknownNamesThrow() {
        #expect(throws: UnknownName.self) { try Catalogue(Parameters(.quick)).select(["fillsink"]) }
    }

    @Test func groupsAndRowsAreSelectedByName() throws {
        let ids = try Catalogue(Parameters(.quick)).select(["readseq", "durable"]).map(\.id)
        let durable = [1, 8, 64, 256, 1_024, 4_096].map { "fillsync-\($0)" }
        #expect(ids == durable + ["readseq"])
    }
}
