import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodTesting
import Testing

@testable import Heartwood
@testable import HeartwoodInspection

/// The records of a log, as they are shown.
@Suite struct LogReadingTests {
    private func records(
        _ fileSystem: any FileSystem, _ filter: LogFilter = LogFilter(), path: String = DirectoryImage.path
    ) throws -> (records: [LoggedRecord], skipped: [Finding], verdict: Verdict) {
        var (records, skipped): ([LoggedRecord], [Finding]) = ([], [])
        let verdict = try LogReading.run(path, filter, fileSystem: fileSystem) { item in
            switch item {
            case .file: break
            case .record(let record): records.append(record)
            case .skipped(let finding): skipped.append(finding)
            case .noted: break
            }
            return true
        }
        return (records, skipped, verdict)
    }

    @Test func allWritesAreShownInOrder() async throws {
        let written = try await WrittenStore.make(.log, seed: 31)
        var filter = LogFilter()
        filter.withValues = true
        let (records, skipped, verdict) = try records(try written.image.fileSystem(), filter)
        #expect(verdict == .clean && skipped.isEmpty)
        let expected = written.changes.sorted { $0.key < $1.key }.flatMap { sequence, changes in
            changes.enumerated().map { ($1.key, $1.value, sequence, $0) }
        }
        #expect(records.count == expected.count)
        for (record, (key, value, sequence, index)) in zip(records, expected) {
            #expect(record.key == key && record.sequence == sequence && record.batchIndex == index)
            #expect(record.kind == (value == nil ? .delete : .put) && record.value == value ?? [])
            #expect(record.time == 1_700_000_000_000 && record.state == .whole)
        }
    }

    @Test(arguments: WrittenStore.Shape.allCases)
    func notedKeysAreReportedWhateverElseIsAsked(shape: WrittenStore.Shape) async throws {
        let written = try await WrittenStore.make(shape, seed: 33)
        let fileSystem = try written.image.fileSystem()
        let prefix = Array("key 1".utf8)
        var filter = LogFilter()
        (filter.noted, filter.kinds, filter.times) = (prefix, [], 0...0)
        var newest: [[UInt8]: (UInt64, [UInt8]?)] = [:]
        try LogReading.run(DirectoryImage.path, filter, fileSystem: fileSystem) { item in
            guard case .noted(let record) = item else { return true }
            #expect(record.key.starts(with: prefix) && record.value != nil)
            let before = newest[record.key]?.0 ?? 0
            if record.sequence >= before { newest[record.key] = (record.sequence, record.value) }
            return true
        }
        var expected: [[UInt8]: (UInt64, [UInt8])] = [:]
        for (sequence, changes) in written.changes.sorted(by: { $0.key < $1.key }) {
            for case (let key, let value?) in changes where key.starts(with: prefix) {
                expected[key] = (sequence, value)
            }
        }
        // What a removal hides may be gone with the log that a snapshot replaced.
        let removed = Set(written.changes.values.joined().filter { $0.value == nil }.map(\.key))
        for (key, (sequence, value)) in expected where !removed.contains(key) {
            #expect(newest[key]?.0 == sequence && newest[key]?.1 == value)
        }
        #expect(!newest.isEmpty && newest.allSatisfy { expected[$0.key] != nil })
    }

    @Test func filtersAreCombined() async throws {
        let written = try await WrittenStore.make(.log, seed: 32)
        let fileSystem = try written.image.fileSystem()
        let all = try records(fileSystem).records
        var filter = LogFilter()
        filter.prefix = Array("key 1".utf8)
        filter.sequences = 20...50
        filter.kinds = [RecordKind.put.rawValue]
        let some = try records(fileSystem, filter).records
        let expected = all.filter {
            $0.key.starts(with: Array("key 1".utf8)) && (20...50).contains($0.sequence) && $0.kind == .put
        }
        #expect(some.map(\.offset) == expected.map(\.offset) && !some.isEmpty)
        filter = LogFilter()
        filter.times = 0...1_699_999_999_999
        #expect(try records(fileSystem, filter).records.isEmpty)
        filter = LogFilter()
        filter.key = all[3].key
        #expect(
            try records(fileSystem, filter).records.map(\.offset) == all.filter { $0.key == all[3].key }.map(\.offset))
    }

    @Test func afterABadCommitItContinuesAndReportsWhatItSkipped() async throws {
        let written = try await WrittenStore.make(.log, seed: 33)
        let commits = try written.image.logs.flatMap { name in
            try FileLayout(log: written.image.files[name]!).commits.map { (name, $0) }
        }
        let (name, commit) = try #require(commits.first { Set($0.1.records.map(\.sequence)).count > 2 })
        let bad = commit.records[0]
        var image = written.image
        image.files[name]![bad.part.lowerBound + 33] ^= 1
        let (records, skipped, verdict) = try records(try image.fileSystem())
        #expect(verdict == .corrupt)
        #expect(skipped.map(\.offset) == [UInt64(bad.part.lowerBound)])
        #expect(skipped.first?.lost == bad.sequence...bad.sequence)
        let shown = Dictionary(records.map { ($0.sequence, [$0.state]) }, uniquingKeysWith: +)
        for sequence in written.changes.keys {
            let isIn = commit.records.contains { $0.sequence == sequence }
            if sequence == bad.sequence {
                #expect(shown[sequence]?.allSatisfy { $0 == .partial } ?? true)
            } else {
                #expect(shown[sequence]?.allSatisfy { $0 == (isIn ? .salvaged : .whole) } ?? false)
            }
        }
    }

    @Test func aSnapshotIsShownInKeyOrder() async throws {
        let written = try await WrittenStore.make(.compacted, seed: 34)
        let path = DirectoryImage.path + "/" + written.image.snapshots[0]
        var filter = LogFilter()
        filter.withValues = true
        let (records, _, verdict) = try records(try written.image.fileSystem(), filter, path: path)
        #expect(verdict == .clean)
        let covered = UInt64(written.image.snapshots[0].prefix(16), radix: 16)!
        let state = written.state(of: written.changes.keys.filter { $0 <= covered })
        #expect(records.map(\.key) == state.keys.sorted { $0.lexicographicallyPrecedes($1) })
        for record in records {
            #expect(state[record.key] == WrittenStore.Found(value: record.value ?? [], sequence: record.sequence))
        }
    }

    /// Bytes that were read before the proof of their durability may be outdated.
    @Test func aPlaceThatWasReadTooEarlyIsReadAgain() async throws {
        let written = try await WrittenStore.make(.log, seed: 35)
        let name = written.image.logs.last!
        let layout = try FileLayout(log: written.image.files[name]!)
        let commit = try #require(layout.commits.first { !$0.records.isEmpty })
        let base = try written.image.fileSystem()
        // The listing, the header, the walk and the walk's first read ask for the size. Up to then the commit is half
        // written.
        let fileSystem = LateFileSystem(base, path: DirectoryImage.path + "/" + name, late: commit.part, sizes: 4)
        let (records, skipped, verdict) = try records(fileSystem)
        #expect(fileSystem.wasEarly && verdict == .clean && skipped.isEmpty)
        #expect(records.count == written.changes.values.reduce(0) { $0 + $1.count })
    }
}
