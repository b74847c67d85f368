import Heartwood
import HeartwoodFormat
import HeartwoodInspection
import HeartwoodTesting
import Testing

/// The survey of a store, whole and damaged.
@Suite struct SurveyTests {
    private let fixture = SurveyFixture()

    /// Every byte of every file is of one kind, in the file's figures and in its map.
    private func expectSums(_ survey: StoreSurvey) {
        for file in survey.files {
            #expect(file.bytes.all == file.size, "\(file.name)")
            #expect(file.map.count == 100)
            #expect(file.map.reduce(0) { $0 + $1.all } == file.size, "\(file.name)")
            #expect(file.map.reduce(0) { $0 + $1.corrupt } == file.bytes.corrupt, "\(file.name)")
        }
        #expect(survey.totals.bytes.all == survey.files.reduce(0) { $0 + $1.size })
    }

    @Test func aStoreThatWasClosed() async throws {
        try await fixture.withStore { store in
            try await fixture.fill(store, 0..<300)
            try await fixture.fill(store, 0..<100)
            try await store.remove("key/299")
        }
        let survey = try fixture.survey()
        expectSums(survey)
        #expect(survey.verdict == .clean && survey.end == .closed && survey.opens)
        #expect(survey.totals.keys == 299)
        #expect(survey.totals.records.puts == 400 && survey.totals.records.deletes == 1)
        #expect(survey.totals.lastSequence == 401)
        // A record takes 32 bytes, key and value.
        let lengths = (0..<299).map { alignedUp("key/\($0)".utf8.count + 100) + 32 }
        #expect(survey.totals.bytes.live == UInt64(lengths.reduce(0, +)))
        #expect(survey.totals.compactionGain > 10_000)
    }

    @Test func aCompactedStoreHasNothingToGain() async throws {
        try await fixture.withStore { store in
            try await fixture.fill(store, 0..<300)
            try await fixture.fill(store, 0..<300)
            try await store.compact()
        }
        let survey = try fixture.survey()
        expectSums(survey)
        #expect(survey.files.map(\.role) == [.snapshot, .log])
        #expect(survey.totals.bytes.dead == 0)
        // The space of a sync mark, which an empty log doesn't need.
        #expect(survey.totals.compactionGain <= 4_096)
    }

    @Test func theDamageOfASnapshotIsInTheMap() async throws {
        try await fixture.withStore { store in
            try await fixture.fillInBatches(store, 0..<2_000)
            try await store.compact()
        }
        let name = try #require(fixture.names(".snapshot").first)
        let size = try #require(fixture.disk.image[path: "/store/" + name]).count
        // A record; the keys; both; the footer.
        for offsets in [
            [50_000], [size - 3_000], [50_000, size - 3_000], [size - 20], [100], [50_000, 200_000, size - 20],
        ] {
            let image = offsets.reduce(fixture.disk.image) { fixture.flipping(name, at: $1, in: $0) }
            let survey = try fixture.survey(of: image)
            expectSums(survey)
            let file = try #require(survey.files.first { $0.name == name })
            #expect(survey.verdict == .corrupt)
            for offset in offsets {
                let cell = file.map[offset / Int(file.mapWidth)]
                #expect(cell.corrupt > 0, "\(offset) of \(size)")
            }
            #expect(file.bytes.corrupt < file.size / 5)
            // Its readable keys all count, and no write is reported as lost.
            #expect(survey.totals.keys >= 1_990)
            #expect(survey.findings.allSatisfy { $0.lost == nil })
        }
    }

    @Test func filesInPreparationAreNoDamage() async throws {
        try await fixture.withStore { store in
            try await fixture.fill(store, 0..<300)
            try await store.compact()
        }
        var image = fixture.disk.image
        let snapshot = try #require(image[path: "/store/" + fixture.names(".snapshot")[0]])
        image[path: "/store/new.snapshot.tmp"] = Array(snapshot[..<20_000])
        image[path: "/store/spare.log.tmp"] = [UInt8](repeating: 0, count: 16 << 10)
        let survey = try fixture.survey(of: image)
        expectSums(survey)
        #expect(survey.verdict == .clean && survey.findings.isEmpty)
        #expect(survey.files.filter { $0.role == .temporary }.count == 2)
        // The space of a sync mark, which an empty log doesn't need.
        #expect(survey.totals.compactionGain <= 4_096)
    }

    @Test func aSingleFileIsJudgedWithoutItsNeighbours() async throws {
        try await fixture.withStore { store in
            try await fixture.fill(store, 0..<300)
            try await store.compact()
            try await fixture.fill(store, 0..<300)
        }
        var image = fixture.disk.image
        for name in fixture.names(".log") + fixture.names(".snapshot") {
            #expect(try fixture.survey(name).verdict == .clean, "\(name)")
            // Under another name, too.
            image[path: "/store/some copy"] = image[path: "/store/" + name]
            let copy = try fixture.survey(of: image, "some copy")
            #expect(copy.verdict == .clean && copy.files.count == 1)
            expectSums(copy)
        }
        let middle = fixture.names(".log")[1]
        let damaged = try fixture.survey(of: fixture.flipping(middle, at: 5_000), middle)
        #expect(damaged.verdict != .clean)
        expectSums(damaged)
        let headless = try fixture.survey(of: fixture.flipping(middle, at: 40), middle)
        #expect(headless.verdict == .corrupt && headless.files[0].isHeaderDamaged)
        expectSums(headless)
    }

    @Test func whatCompressionSaves() async throws {
        try await fixture.withStore {
            $0.compression = .zlib(threshold: 100)
        } _: { store in
            try await fixture.fill(store, 0..<10, bytes: 1_000)
            try await store.put("short", "not compressed")
            try await store.compact()
            try await fixture.fill(store, 0..<5, bytes: 1_000)
        }
        let totals = try fixture.survey().totals
        #expect(totals.compressedRecords == 15 && totals.inflatedBytes == 15_000)
        #expect(totals.compressedBytes > 0 && totals.compressedBytes < 1_500)
    }

    @Test func theTimeIsAtLeastThatOfTheNewestCommit() async throws {
        let later = SurveyFixture.start + 1_000_000
        try await fixture.withStore { store in
            try await store.put("soon", "gone", expires: .after(.seconds(10)))
            try await store.put("later", "there", expires: .after(.seconds(10_000)))
        }
        #expect(try fixture.survey().totals.expired == 0)
        try await fixture.withStore(at: later) { try await $0.put("something", "else") }
        // The clock was set back.
        let survey = try fixture.survey(now: 5)
        #expect(survey.now == later)
        #expect(survey.totals.expired == 1 && survey.totals.expiring == 1 && survey.totals.keys == 2)
    }

    @Test func sectionsAndPrefixesHaveLiveAndDeadRecords() async throws {
        try await fixture.withStore { store in
            try await fixture.fill(store, 0..<20)
            try await fixture.fill(store, 0..<5)
            try await store.remove("key/19")
            for section in 0..<3 { try await store.put([0xFE, UInt8(section), 1], "value") }
            try await store.remove([0xFE, 1, 1])
            try await store.put("old:1", "value", expires: .at(Timestamp(milliseconds: SurveyFixture.start - 1)))
        }
        func survey(_ separators: Set<UInt8>, most: Int = 10) throws -> PrefixSurvey {
            let selection = PrefixSelection(separators: separators, most: most) { $0[0] == 0xFE ? 2 : nil }
            let survey = try StoreSurvey.make(
                of: fixture.path, now: SurveyFixture.start, prefixes: selection,
                fileSystem: SimulatedDisk(image: fixture.disk.image))
            return try #require(survey.totals.prefixes)
        }
        let found = try survey([UInt8(ascii: "/"), UInt8(ascii: ":")])
        #expect(found.sections.map(\.prefix) == [[0xFE, 0], [0xFE, 1], [0xFE, 2]])
        #expect(found.sections.map(\.keys) == [1, 0, 1] && found.sections.map(\.deadRecords) == [0, 2, 0])
        #expect(found.sections.map(\.liveBytes) == [40, 0, 40] && found.sections.map(\.deadBytes) == [0, 80, 0])
        #expect(found.sections.map { $0.largestValue == nil } == [false, true, false])
        #expect(found.groups.map(\.prefix) == [Array("key/".utf8)] && found.others == nil)
        #expect(found.groups[0].keys == 19 && found.groups[0].deadRecords == 7)
        #expect(found.withoutSeparator == nil)
        // Sections and prefixes don't take each other's places.
        let few = try survey([UInt8(ascii: "/"), UInt8(ascii: ":")], most: 1)
        #expect(few.sections.count == 1 && few.groups.count == 1 && few.others?.keys == 1)
        let only = try survey([])
        #expect(only.sections.count == 3 && only.groups.isEmpty && only.withoutSeparator == nil)
    }
}
