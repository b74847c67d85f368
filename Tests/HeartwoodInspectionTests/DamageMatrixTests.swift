import Foundation
import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodTesting
import Testing

@testable import Heartwood
@testable import HeartwoodInspection

/// Every kind of damage, at every kind of location, in the first, a middle and the last file. The verdict names the
/// exact offset, as an opening does. Repair brings back all batches that the damage doesn't touch, and nothing else.
@Suite struct DamageMatrixTests {
    /// `Tools/test` makes each damage once, `.ci/run` three times, at other offsets.
    private static let rounds = ProcessInfo.processInfo.environment["HEARTWOOD_SWEEPS"] == "1" ? 3 : 1

    /// The first, a middle and the last log file.
    private static func files(of image: DirectoryImage) -> [String] {
        let logs = image.logs
        return Array(Set([logs.first!, logs[logs.count / 2], logs.last!])).sorted()
    }

    @Test(arguments: WrittenStore.Shape.allCases, DamageKind.allCases)
    func damageIsReportedAndRepaired(_ shape: WrittenStore.Shape, _ kind: DamageKind) async throws {
        for closes in [true, false] {
            let seed: UInt64 = closes ? 1 : 2
            let written = try await WrittenStore.make(shape, seed: seed, closes: closes)
            var random = SeededRandom(seed, 62)
            for name in Self.files(of: written.image) {
                let bytes = written.image.files[name]!
                let layout = try FileLayout(log: bytes)
                for location in DamageLocation.allCases {
                    for round in 0..<Self.rounds {
                        guard let offset = location.offset(in: layout, &random), offset < bytes.count else { continue }
                        let damaged = kind.damage(bytes, at: offset, &random)
                        let comment: Comment =
                            "\(shape) \(kind) at \(location) \(offset) of \(name), closed \(closes), round \(round)"
                        try await check(written, name, damaged, comment)
                    }
                }
            }
        }
    }

    /// The padding after the last record of a whole commit in a torn tail doesn't count as part of the tail.
    @Test func aTearEndsBeforePadding() async throws {
        for length in 1...8 {
            let fileSystem = InMemoryFileSystem()
            let store = try await Store.open(
                at: DirectoryImage.path, configuration: WrittenStore.configuration(fileSystem))
            try await store.put("a", "1")
            // Neither is synced: the first isn't known to have been durable.
            try await store.put("b", "2", durability: .written)
            try await store.put("c", [UInt8](repeating: 0x61, count: length), durability: .written)
            var image = try DirectoryImage(of: fileSystem)
            try await store.close()
            let name = try #require(image.logs.first)
            let torn = try FileLayout(log: image.files[name]!).commits[1]
            image.files[name]![Int(torn.part.lowerBound)] ^= 1
            try await expectSameVerdict(image, "a value of \(length) bytes")
        }
    }

    /// Verifies, opens and repairs a copy with one damaged file, and compares each with what the oracle says.
    private func check(_ written: WrittenStore, _ name: String, _ damaged: [UInt8], _ comment: Comment) async throws {
        var image = written.image
        image.files[name] = damaged
        try await expectSameVerdict(image, comment)
        let recoverable = try Oracle(written).recoverable(in: image)
        try await expectRepaired(image, written, recoverable, comment)
    }
}

/// The verdict is that of an opening: to the offset, and to the numbers that are lost.
///
/// - Returns: What the opening shows; nil if it is refused, or if not all can be read.
@discardableResult
func expectSameVerdict(_ image: DirectoryImage, _ comment: Comment) async throws -> [[UInt8]: WrittenStore.Found]? {
    let fileSystem = try image.fileSystem()
    let check = try Verification.run(DirectoryImage.path, fileSystem: fileSystem, patience: .none)
    do {
        let (tail, contents) = try await WrittenStore.opening(of: fileSystem, at: DirectoryImage.path)
        #expect(check.opens, "\(comment): it opens, but \(check.findings)")
        expectSameTail(check, tail, comment)
        do {
            return try contents.get()
        } catch let error as StoreError {
            // A read finds a damaged record of a snapshot; an opening isn't refused.
            #expect(error.code == .corruption && check.verdict == .corrupt, comment)
            #expect(check.findings.contains { $0.file == error.file && $0.offset == error.offset }, comment)
        }
    } catch let error as StoreError where error.code == .corruption {
        let first = check.findings.first { $0.refusesOpening }
        #expect(first?.file == error.file, "\(comment): \(error) instead of \(check.findings)")
        #expect(first?.offset == error.offset, "\(comment): \(error) instead of \(check.findings)")
        #expect(first?.lost == error.lostSequences, "\(comment): \(error) instead of \(check.findings)")
        #expect(check.verdict == .corrupt, comment)
    } catch let error as StoreError where error.code == .unsupportedFormat {
        #expect(check.verdict == .unsupported, "\(comment): \(error) instead of \(check.findings)")
    }
    return nil
}

private func expectSameTail(_ check: Verification, _ tail: RecoveryReport.Tail, _ comment: Comment) {
    let torn = check.findings.filter { $0.severity == .torn }
    guard case .torn(let file, let offset, let bytes) = tail else {
        #expect(torn.isEmpty, "\(comment): \(tail) instead of \(torn)")
        #expect(check.isClosed == (tail == .closed), "\(comment): \(tail)")
        return
    }
    #expect(torn.map(\.file) == [file], comment)
    #expect(torn.map(\.offset) == [offset], "\(comment): \(tail) instead of \(torn)")
    #expect(torn.map(\.length) == [bytes], "\(comment): \(tail) instead of \(torn)")
}

/// Checks that a repair makes a store of exactly these batches.
func expectRepaired(
    _ image: DirectoryImage, _ written: WrittenStore, _ recoverable: Oracle.Recoverable, _ comment: Comment,
    _ options: RepairOptions = RepairOptions()
) async throws {
    let fileSystem = try image.fileSystem()
    let report = try Repair.run(
        DirectoryImage.path, output: "/repaired", options, now: 1_700_000_100_000, fileSystem: fileSystem)
    let check = try Verification.run("/repaired", fileSystem: fileSystem, patience: .none)
    #expect(check.verdict == .clean, comment)
    let found = try await WrittenStore.contents(of: fileSystem, at: "/repaired")
    let expected = written.state(of: recoverable.sequences, after: recoverable.base)
    #expect(found == expected, "\(comment): \(difference(found, expected)) \(report.losses)")
    // The log has exactly these batches.
    let repaired = try DirectoryImage(of: fileSystem, at: "/repaired")
    var batches: Set<UInt64> = []
    for log in repaired.logs {
        for record in try FileLayout(log: repaired.files[log]!).commits.flatMap(\.records) where record.keyLength > 0 {
            batches.insert(record.sequence)
        }
    }
    #expect(
        batches == recoverable.sequences, "\(comment): \(batches.symmetricDifference(recoverable.sequences).sorted())")
    let plan = try Repair.plan(DirectoryImage.path, options, fileSystem: fileSystem)
    #expect(plan.batches == report.batches && plan.losses.count == report.losses.count, comment)
    #expect(try DirectoryImage(of: fileSystem).files == image.files, "\(comment): the old files have changed")
}

func difference(_ found: [[UInt8]: WrittenStore.Found], _ expected: [[UInt8]: WrittenStore.Found]) -> String {
    Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }.prefix(5).map { key in
        let name = String(decoding: key, as: UTF8.self)
        return "\(name): \(found[key]?.sequence ?? 0) instead of \(expected[key]?.sequence ?? 0)"
    }.joined(separator: ", ")
}

/// Which batches can be recovered: those whose bytes are all unchanged.
struct Oracle {
    /// What a repair must bring back.
    struct Recoverable {
        /// The contents of the snapshot that it begins with.
        var base: [[UInt8]: WrittenStore.Found] = [:]
        /// Batches after the snapshot.
        var sequences: Set<UInt64> = []
    }

    let written: WrittenStore

    init(_ written: WrittenStore) { self.written = written }

    /// For damage to logs; the snapshot, if there is one, is whole.
    func recoverable(in image: DirectoryImage) throws -> Recoverable {
        var recoverable = Recoverable()
        var base: UInt64 = 0
        if let newest = written.image.snapshots.last, image.files[newest] == written.image.files[newest] {
            base = UInt64(newest.prefix(16), radix: 16)!
            recoverable.base = written.state(of: written.changes.keys.filter { $0 <= base })
        }
        for name in written.image.logs {
            guard let after = image.files[name] else { continue }
            let before = written.image.files[name]!
            let changed = changedBytes(before, after)
            for (sequence, parts) in try FileLayout(log: before).batches where sequence > base {
                if let changed, parts.contains(where: changed.isChanged) { continue }
                recoverable.sequences.insert(sequence)
            }
        }
        return recoverable
    }
}
