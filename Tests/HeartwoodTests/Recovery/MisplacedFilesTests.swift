import Heartwood
import HeartwoodFileSystem
import HeartwoodFormat
import Testing

/// Segments swapped, missing, duplicated, emptied, of another store, or of an older copy: each is detected and named,
/// except if nothing on the disk distinguishes it from a crash.
@Suite struct MisplacedFilesTests {
    private func judge(_ cases: [Misplacement], of history: StoreHistory) async throws {
        for one in cases { try await one.judge(sound: history.final, states: history.states) }
    }

    /// The final files, changed.
    private func changed(
        _ history: StoreHistory, _ what: String, _ expectation: Misplacement.Expectation,
        _ change: (inout [String: [UInt8]]) -> Void
    ) -> Misplacement {
        Misplacement(what: what, image: history.final.image.changed(change), expectation: expectation)
    }

    // MARK: - Missing or older

    @Test(arguments: StoreHistory.Ending.allCases)
    func everySetOfSegmentsMissing(_ ending: StoreHistory.Ending) async throws {
        let history = try await StoreHistory(ending)
        let cases = (0..<(1 << StoreHistory.segmentCount)).map { missing in
            history.mix(
                history.whole.indices.map { missing >> $0 & 1 == 1 ? nil : history.final },
                "segments missing, as bits: \(String(missing, radix: 2))")
        }
        try await judge(cases, of: history)
    }

    @Test(arguments: StoreHistory.Ending.allCases)
    func everySegmentOfEveryEarlierMoment(_ ending: StoreHistory.Ending) async throws {
        let history = try await StoreHistory(ending)
        var cases: [Misplacement] = []
        for (number, moment) in history.moments.enumerated() {
            let older: [StoreHistory.Moment?] = history.whole.indices.map {
                $0 <= history.newest(moment) ? moment : nil
            }
            cases.append(history.mix(older, "all as of moment \(number)"))
            for segment in history.whole.indices {
                var mixed = older
                mixed[segment] = history.final
                cases.append(history.mix(mixed, "all as of moment \(number), but segment \(segment) of the end"))
                guard older[segment] != nil else { continue }
                mixed = history.whole
                mixed[segment] = moment
                cases.append(history.mix(mixed, "segment \(segment) as of moment \(number)"))
            }
        }
        try await judge(cases, of: history)
    }

    @Test func segmentsOfAnyMomentsMixed() async throws {
        var generator = SplitMix64(fromEnvironmentFor: "segmentsOfAnyMomentsMixed")
        for ending in StoreHistory.Ending.allCases {
            let history = try await StoreHistory(ending)
            let cases = (0..<200).map { number in
                history.mix(
                    history.whole.indices.map { segment in
                        let holding = history.moments.filter { history.newest($0) >= segment }
                        return Int.random(in: 0..<20, using: &generator) == 0
                            ? nil : holding.randomElement(using: &generator)
                    }, "mix \(number)")
            }
            try await judge(cases, of: history)
        }
    }

    // MARK: - Swapped, duplicated, renamed

    @Test(arguments: StoreHistory.Ending.allCases)
    func everyPairOfSegmentsSwapped(_ ending: StoreHistory.Ending) async throws {
        let history = try await StoreHistory(ending)
        let names = history.names
        var cases: [Misplacement] = []
        for first in names.indices {
            for second in names.indices where second > first {
                cases.append(
                    changed(
                        history, "\(first) and \(second) swapped",
                        .corruption(names[first], "its name should be \(names[second])")
                    ) {
                        ($0[names[first]], $0[names[second]]) = ($0[names[second]], $0[names[first]])
                    })
            }
        }
        try await judge(cases, of: history)
    }

    @Test(arguments: StoreHistory.Ending.allCases)
    func everySegmentUnderEveryOtherName(_ ending: StoreHistory.Ending) async throws {
        let history = try await StoreHistory(ending)
        let names = history.names
        // The first and the last possible name, and one after each segment.
        let others =
            [StoreFileName.log(0), StoreFileName.log(.max)]
            + names.map { StoreFileName.log(UInt64($0.prefix(16), radix: 16)! + 1) }
        var cases: [Misplacement] = []
        for segment in names.indices {
            for name in names + others where name != names[segment] {
                let words = "its name should be \(names[segment])"
                cases.append(
                    changed(history, "\(segment) copied to \(name)", .corruption(name, words)) {
                        $0[name] = $0[names[segment]]
                    })
                cases.append(
                    changed(history, "\(segment) renamed to \(name)", .corruption(name, words)) {
                        $0[name] = $0[names[segment]]
                        $0[names[segment]] = nil
                    })
            }
        }
        try await judge(cases, of: history)
    }

    // MARK: - Emptied

    @Test(arguments: StoreHistory.Ending.allCases)
    func everySegmentEmptied(_ ending: StoreHistory.Ending) async throws {
        let history = try await StoreHistory(ending)
        var cases: [Misplacement] = []
        for (segment, name) in history.names.enumerated() {
            let expected = Misplacement.Expectation.corruption(
                name, lost: lostWithHeader(of: segment, in: history), "the header of a log segment is damaged")
            let bytes = history.final.image.files[name]!
            for length in [0, 1, 100, 4095] {
                cases.append(
                    changed(history, "\(segment) truncated to \(length)", expected) {
                        $0[name] = Array(bytes[..<length])
                    })
            }
            cases.append(
                changed(history, "\(segment) zeroed", expected) {
                    $0[name] = [UInt8](repeating: 0, count: bytes.count)
                })
            // Commits after it that verify aren't lost.
            let headerless = Misplacement.Expectation.corruption(
                name, "the header of a log segment is damaged")
            cases.append(
                changed(history, "\(segment) without its header", headerless) {
                    $0[name] = [UInt8](repeating: 0, count: 4096) + bytes[4096...]
                })
        }
        try await judge(cases, of: history)
    }

    /// The numbers of a segment, by its name and its successor.
    private func lostWithHeader(of segment: Int, in history: StoreHistory) -> ClosedRange<SequenceNumber>? {
        // The newest has no successor, and segment 3 holds nothing.
        guard segment != StoreHistory.segmentCount - 1, segment != 3 else { return nil }
        return UInt64(history.names[segment].prefix(16), radix: 16)!...history.predecessor(of: segment + 1).lastSequence
    }

    @Test(arguments: StoreHistory.Ending.allCases)
    func everySegmentTruncatedToItsHeader(_ ending: StoreHistory.Ending) async throws {
        let history = try await StoreHistory(ending)
        let names = history.names
        var cases: [Misplacement] = []
        for (segment, name) in names.enumerated() {
            let expected: Misplacement.Expectation =
                switch segment {
                // It had only its header.
                case 3: .opens(history.states[history.final.sequence]!, history.final.tail)
                // The newest looks like a segment that lost its first commit in a crash.
                case StoreHistory.segmentCount - 1:
                    .opens(history.states[history.lastMoment(of: segment - 1).sequence]!, .unclosed)
                default:
                    .corruption(
                        name, offset: 4096, lost: lostWithHeader(of: segment, in: history),
                        "the next segment's header proves")
                }
            cases.append(
                changed(history, "\(segment) truncated to its header", expected) {
                    $0[name]!.removeLast($0[name]!.count - 4096)
                })
        }
        try await judge(cases, of: history)
    }

    // MARK: - Of another store

    @Test(arguments: StoreHistory.Ending.allCases)
    func everySetOfSegmentsOfAnotherStore(_ ending: StoreHistory.Ending) async throws {
        let (history, other) = (try await StoreHistory(ending), try await StoreHistory(ending))
        #expect(history.names == other.names)
        var cases: [Misplacement] = []
        for mask in 1..<((1 << StoreHistory.segmentCount) - 1) {
            let foreign = history.names.indices.filter { mask >> $0 & 1 == 1 }
            let own = history.names.indices.filter { mask >> $0 & 1 == 0 }
            // The smaller group is foreign; of two groups of the same size, the one without the first segment.
            let strangers =
                foreign.count == own.count ? (own[0] == 0 ? foreign : own) : (foreign.count < own.count ? foreign : own)
            cases.append(
                changed(
                    history, "of another store: \(foreign)",
                    .corruption(history.names[strangers[0]], "belongs to another store")
                ) {
                    for segment in foreign {
                        $0[history.names[segment]] = other.final.image.files[history.names[segment]]
                    }
                })
        }
        try await judge(cases, of: history)
    }

    @Test func theFilesOfTwoStoresInOneDirectory() async throws {
        let history = try await StoreHistory(.closed)
        // Another store. Its segments have other names, except for the first.
        let path = TemporaryDirectory()
        var configuration = StoreHistory.configuration(POSIXFileSystem())
        configuration.segmentBytes = 1 << 20
        for number in 0..<3 {
            try await Store.withStore(at: path.path("s"), configuration: configuration) { store in
                for write in 0..<3 { try await store.put("\(number)", "\(write)") }
            }
        }
        let other = try FileImage(ofStore: path.path("s"))
        let strangers = other.files.keys.filter { history.final.image.files[$0] == nil }.sorted()
        #expect(strangers.count >= 2)
        let expected = Misplacement.Expectation.corruption(strangers[0], "belongs to another store")
        try await judge(
            [
                changed(history, "two stores, own names kept", expected) { $0.merge(other.files) { own, _ in own } },
                changed(
                    history, "two stores, own names lost",
                    .corruption(history.names[0], "belongs to another store")
                ) { $0.merge(other.files) { _, other in other } },
                changed(history, "one file of another store", expected) {
                    $0[strangers[0]] = other.files[strangers[0]]
                },
            ], of: history)
    }

    /// A copy that was written to has the same store id and the same numbers, and other salts.
    @Test func segmentsOfACopyThatWasWrittenTo() async throws {
        let history = try await StoreHistory(.closed)
        let names = history.names
        let fileSystem = try history.final.image.changed { files in
            files[names[5]] = nil
            files[names[4]] = nil
        }.fileSystem()
        for number in 0..<2 {
            let configuration = StoreHistory.configuration(fileSystem)
            try await Store.withStore(at: "/store", configuration: configuration) { store in
                for write in 0..<(4 - number) { try await store.put("k\(number)", "other \(write)") }
            }
        }
        let copy = try FileImage(of: fileSystem)
        #expect(copy.files[names[4]] != nil && copy.files[names[4]] != history.final.image.files[names[4]])
        let contents = try Store(
            openingAt: "/store", configuration: StoreHistory.configuration(fileSystem)
        ).contents()
        try await judge(
            [
                changed(
                    history, "4 of the copy",
                    .corruption(names[5], "\(names[4]) and this one")
                ) { $0[names[4]] = copy.files[names[4]] },
                // With the copy's newest file too, this is the whole copy.
                Misplacement(what: "the copy", image: copy, expectation: .opens(contents, .closed)),
            ], of: history)
    }

    // MARK: - Other files

    @Test func otherFilesWithTheNameOfASegment() async throws {
        let history = try await StoreHistory(.crashed)
        let names = [StoreFileName.log(0), StoreFileName.log(2), StoreFileName.log(.max)]
        for name in names {
            var directory = changed(history, "a directory \(name)", .corruption(name, "a directory has the name")) {
                _ in
            }
            directory.directories = [name]
            try await judge(
                [
                    directory,
                    changed(history, "garbage \(name)", .corruption(name, "header")) {
                        $0[name] = Array("garbage".utf8)
                    },
                    changed(history, "much garbage \(name)", .corruption(name, "header")) {
                        $0[name] = [UInt8](repeating: 0xA5, count: 10_000)
                    },
                ], of: history)
        }
    }

    /// The whole log is there, so no snapshot is needed.
    @Test func aFileThatIsNoSnapshotIsPassedOver() async throws {
        let history = try await StoreHistory(.closed)
        let name = "00000000000000ff.snapshot"
        let whole = Misplacement.Expectation.opens(history.states[history.final.sequence]!, .closed)
        try await judge([changed(history, "no snapshot", whole) { $0[name] = [1, 2, 3] }], of: history)
    }

    @Test func filesOfOtherKindsArePassedOver() async throws {
        let history = try await StoreHistory(.torn)
        let whole = Misplacement.Expectation.opens(history.states[history.final.sequence]!, .torn)
        var cases = [
            "spare.log.tmp", "0000000000000001.log.tmp", "other.tmp",
        ].map { name in changed(history, "left over: \(name)", whole) { $0[name] = [UInt8](repeating: 7, count: 9_000) }
        }
        cases += ["garbage.log", "1.log", "00000000000000FF.log", "README", ".log", "0000000000000001.LOG"].map {
            name in
            changed(history, "foreign: \(name)", whole) { $0[name] = Array("garbage".utf8) }
        }
        var directory = changed(history, "a directory of another name", whole) { _ in }
        directory.directories = ["lost+found", "garbage.log"]
        try await judge(cases + [directory], of: history)
    }
}
