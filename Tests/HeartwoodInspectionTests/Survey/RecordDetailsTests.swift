import Heartwood
import HeartwoodFormat
import HeartwoodInspection
import HeartwoodTesting
import Testing

/// Single records: which are reported, and in which state.
@Suite struct RecordDetailsTests {
    private let fixture = SurveyFixture()

    @Test func noneUnlessRequested() async throws {
        try await fixture.withStore { try await fixture.fill($0, 0..<10) }
        let survey = try fixture.survey(records: nil)
        #expect(survey.files.allSatisfy { $0.details.count == 0 && $0.details.parts.isEmpty })
    }

    @Test func everyRecordOfASmallStoreAndItsState() async throws {
        try await fixture.withStore { store in
            try await fixture.fill(store, 0..<200)
            try await store.compact()
            try await fixture.fill(store, 100..<300)
            try await store.remove("key/0")
            try await store.remove("key/299")
            try await store.put("soon", "gone", expires: .after(.seconds(1)))
            try await store.put("later", "there", expires: .after(.seconds(1_000)))
        }
        let survey = try fixture.survey(now: SurveyFixture.start + 5_000)
        var live: Set<String> = []
        for file in survey.files {
            #expect(file.details.parts == [0..<file.size])
            #expect(file.details.count == Int(file.records.all))
            let offsets = file.details.all.map(\.offset)
            #expect(offsets == offsets.sorted())
            for record in file.details.all {
                #expect(record.time == (file.kind == .log ? SurveyFixture.start : nil))
                #expect(record.length == UInt64(32 + (record.keyBytes + Int(record.valueBytes) + 7) / 8 * 8))
                guard record.state == .live else { continue }
                #expect(live.insert(record.keyText).inserted)
                #expect(record.kind != .delete)
            }
            let bytes = file.details.all.filter { $0.state == .live }.reduce(0) { $0 + $1.length }
            #expect(bytes == file.bytes.live)
        }
        #expect(live == Set((1..<299).map { "key/\($0)" } + ["later"]))
        let all = survey.files.flatMap { $0.details.all }
        #expect(all.filter { $0.state == .expired }.map(\.keyText) == ["soon"])
        #expect(all.first { $0.keyText == "later" }?.expiry == SurveyFixture.start + 1_000_000)
        #expect(all.filter { $0.kind == .delete }.allSatisfy { $0.state == .dead })
        #expect(Set(all.filter { $0.sequence == 401 }.map(\.keyText)) == ["key/0"])
    }

    @Test func longKeysAreTruncated() async throws {
        try await fixture.withStore { try await $0.put([UInt8](repeating: 7, count: 5_000), [1]) }
        var selection = RecordSelection()
        selection.keyBytes = 10
        let record = try fixture.survey(records: selection).files[0].details[0]
        #expect(record.key.count == 10 && record.keyBytes == 5_000 && record.valueBytes == 1)
    }

    @Test func ofALargeStoreTheEndsAndTheRecordsAroundDamage() async throws {
        try await fixture.withStore {
            $0.segmentBytes = 4 << 20
        } _: { store in
            try await fixture.fillInBatches(store, 0..<1_500)
            try await fixture.fillInBatches(store, 0..<800)
        }
        let name = try #require(fixture.names(".log").first)
        let offset = 100_000
        var selection = RecordSelection()
        selection.most = 800
        selection.nearEnds = 50
        selection.nearFindings = 20
        let image = fixture.flipping(name, at: offset)
        let whole = try fixture.survey(of: image)
        let survey = try fixture.survey(of: image, records: selection)
        let file = survey.files[0]
        let (details, every) = (file.details, whole.files[0].details.all)
        #expect(details.count <= 800 && details.count > 100)
        #expect(details.parts.count == 3)
        #expect(details.parts.first?.lowerBound == 0 && details.parts.last?.upperBound == file.size)
        #expect(details.parts.contains { $0.contains(UInt64(offset)) })
        // The reported parts are complete, and the states are those of a full report.
        let states = Dictionary(uniqueKeysWithValues: details.all.map { ($0.offset, $0.state) })
        for record in every {
            if let state = states[record.offset] { #expect(state == record.state) }
            let isWithin = details.parts.contains { $0.contains(record.offset) }
            #expect(isWithin == (states[record.offset] != nil), "\(record.offset)")
        }
    }

    @Test func memoryIsBoundedWithManyFindings() async throws {
        try await fixture.withStore {
            $0.segmentBytes = 4 << 20
        } _: { store in
            try await fixture.fillInBatches(store, 0..<4_000)
            try await store.compact()
        }
        let name = try #require(fixture.names(".snapshot").first)
        var image = fixture.disk.image
        for offset in stride(from: 10_000, to: 400_000, by: 4_000) {
            image = fixture.flipping(name, at: offset, in: image)
        }
        var selection = RecordSelection()
        selection.most = 300
        let survey = try fixture.survey(of: image, records: selection)
        #expect(survey.findings.count > 90)
        #expect(survey.files.reduce(0) { $0 + $1.details.count } <= 300)
        for file in survey.files {
            for (left, right) in zip(file.details.parts, file.details.parts.dropFirst()) {
                #expect(left.upperBound < right.lowerBound)
            }
        }
    }

    @Test func whatVerifiesInADamagedCommitIsReported() async throws {
        try await fixture.withStore { store in
            try await store.write { batch in
                for number in 0..<20 { batch.put("key/\(number)", [UInt8](repeating: 1, count: 100)) }
            }
            try await store.put("more", "of it")
        }
        let name = try #require(fixture.names(".log").first)
        let third = try fixture.survey().files[0].details[3]
        // In the value of one record: its header still locates the next record.
        let survey = try fixture.survey(of: fixture.flipping(name, at: Int(third.offset) + 60))
        let states = survey.files[0].details.all.filter { $0.keyText.hasPrefix("key/") }.map(\.state)
        #expect(survey.verdict == .corrupt)
        #expect(states.count == 20 && states[3] == .damaged)
        #expect(states.filter { $0 == .unread }.count == 19)
    }
}
