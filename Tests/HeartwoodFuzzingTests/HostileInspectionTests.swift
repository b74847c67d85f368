import Heartwood
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodFuzzing
import HeartwoodInspection
import Testing

/// Files that are made to crash an inspection or to keep it busy. Each once caused a trap or an endless run.
@Suite struct HostileInspectionTests {
    /// Numbers at which sums may overflow.
    private static let numbers: [UInt64] = [
        0, 1, 2, 1 << 62, 1 << 63 - 1 << 34, 1 << 63 - 1 << 34 - 1, 1 << 63 - 1 << 33, 1 << 63 - 1 << 32, 1 << 63 - 2,
        1 << 63 - 1, 1 << 63, .max - 4_097, .max - 1, .max,
    ]

    @Test func lostNumbersBeyondCounting() {
        let finding = Finding(.corruption, file: "a", offset: 0, "it is damaged", lost: 1...(.max))
        #expect(finding.description.hasSuffix("writes number 1 to 18446744073709551615 are lost"))
    }

    /// After damage, a commit may claim any first number.
    @Test func aCommitAfterDamageWithANumberThatNoStoreReaches() throws {
        for number in Self.numbers {
            for distance in [number &- 1, number, 1] {
                for mark in [4_096, 4_300] as [UInt64] {
                    var log = HostileStore.log("a")
                    log.bytes += [UInt8](repeating: 1, count: 400)
                    log.commit(firstSequence: number, syncedMark: mark) { offset in
                        HostileLog.record(
                            keyLength: 1, valueLength: 0, distance: distance, payload: [66, 0, 0, 0, 0, 0, 0, 0],
                            at: offset)
                    }
                    log.mark(firstSequence: number &+ 1, time: .max)
                    try HostileStore.check([(StoreFileName.log(1), log.bytes)])
                }
            }
        }
    }

    /// In a damaged commit, a record may claim any distance from the first number.
    @Test func aRecordWithADistanceThatNoStoreReaches() throws {
        for number in Self.numbers {
            for first in [1, 2, 1 << 62, 1 << 63 - 1] as [UInt64] {
                var log = HostileLog(firstSequence: first)
                log.commit(firstSequence: number, recordCount: 2) { offset in
                    let record = HostileLog.record(
                        keyLength: 1, valueLength: 0, distance: number &- first, payload: [66, 0, 0, 0, 0, 0, 0, 0],
                        at: offset)
                    return record + [UInt8](repeating: 2, count: 40)
                }
                try HostileStore.check([(StoreFileName.log(first), log.bytes)])
            }
        }
    }

    @Test func filesWithExtremeNamesAndNumbers() throws {
        for number in Self.numbers {
            let log = HostileLog(firstSequence: FormatConstants.sequences.contains(number) ? number : 1)
            let (snapshot, end) = HostileStore.snapshot(upTo: min(number, 1 << 63 - 1), ["a", "b"])
            let next = HostileLog(firstSequence: max(1, min(number, 1 << 63 - 2) + 1), predecessor: end, salt: 7)
            for damaged in [nil, 8, 33, 60] as [Int?] {
                var files = [
                    (StoreFileName.log(number), log.bytes), (StoreFileName.snapshot(number), snapshot),
                    (StoreFileName.log(number &+ 1), next.bytes),
                ]
                if let damaged { for index in files.indices { files[index].1[damaged] ^= 1 } }
                try HostileStore.check(files)
                try HostileStore.check([files[1]])
            }
        }
    }

    /// An opening fails, because the next segment would get an invalid name.
    @Test func aLogWithTheLastSequenceNumberDoesNotOpen() throws {
        let log = HostileStore.log(first: 1 << 63 - 1, "a")
        let fileSystem = try HostileStore.check([(StoreFileName.log(1 << 63 - 1), log.bytes)])
        #expect(try !Verification.run("/store", fileSystem: fileSystem, patience: .none).opens)
        let report = try Repair.run("/store", output: "/repaired", now: 1, fileSystem: fileSystem)
        #expect(report.batches == 0 && report.losses.count == 1)
    }

    /// Without key blocks, only the records show their order. A repaired store must verify also if they are out of
    /// order.
    @Test func recordsOfASnapshotThatAreNotInOrder() throws {
        for keys in [["b", "a", "c"], ["a", "a", "b"], ["c", "b", "a"]] {
            var (snapshot, end) = HostileStore.snapshot(upTo: 5, keys)
            snapshot.removeLast(64)
            let fileSystem = try HostileStore.check(snapshot, endingAt: end)
            #expect(try Repair.plan("/store", fileSystem: fileSystem).snapshotKeys < 3)
        }
    }

    /// A removal, an unknown kind, and records with numbers after the snapshot's.
    @Test func recordsThatNoSnapshotHas() throws {
        for (kind, distance) in [(3, 0), (200, 0), (1, 5), (1, .max)] as [(UInt8, UInt64)] {
            var (snapshot, end) = HostileStore.snapshot(upTo: 5, ["a"], kind: kind, distance: distance)
            // Everything after the record.
            snapshot.removeLast(snapshot.count - 4_136)
            let fileSystem = try HostileStore.check(snapshot, endingAt: end)
            #expect(try Repair.plan("/store", fileSystem: fileSystem).snapshotKeys == 0)
        }
    }

    /// A log of 200 separately damaged commits, followed by `rest`.
    private static func damagedLog(_ rest: (inout HostileLog) -> Void = { _ in }) throws -> CountingFileSystem {
        var log = HostileStore.log("a")
        for number: UInt64 in 2...201 {
            HostileStore.add("b", number, first: 1, to: &log)
            log.bytes[log.bytes.count - 1] = 1
        }
        rest(&log)
        return CountingFileSystem(try HostileLog.fileSystem([(1, log)]))
    }

    /// The log must not be searched for a proof once for each torn commit.
    @Test func manyTornCommitsAreSearchedOnce() throws {
        let fileSystem = try Self.damagedLog { $0.bytes += [UInt8](repeating: 1, count: 3 << 20) }
        let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
        #expect(check.verdict == .torn)
        #expect(fileSystem.count.bytes < 60 << 20, "\(fileSystem.count)")
    }

    /// The same if a commit at the end proves that all of them were durable.
    @Test func manyDamagedCommitsBeforeOneProofAreSearchedOnce() throws {
        let fileSystem = try Self.damagedLog { log in
            log.bytes += [UInt8](repeating: 1, count: 3 << 20)
            let size = UInt64(log.bytes.count)
            log.commit(firstSequence: 1_000, syncedMark: size) { offset in
                HostileLog.record(
                    keyLength: 1, valueLength: 0, distance: 999, payload: [66, 0, 0, 0, 0, 0, 0, 0], at: offset)
            }
        }
        let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
        #expect(check.verdict == .corrupt && check.findings.count == 201)
        #expect(fileSystem.count.bytes < 60 << 20, "\(fileSystem.count)")
    }

    /// Verify waits half a second for a writer to complete a torn commit, once for all of them.
    @Test func manyTornCommitsAreWaitedForOnce() throws {
        let fileSystem = try Self.damagedLog()
        #expect(try Verification.run("/store", fileSystem: fileSystem).verdict == .torn)
        #expect(fileSystem.count.reads < 300, "\(fileSystem.count)")
    }

    /// Adjacent valid headers, each of a value that claims to reach the end of the file but doesn't verify.
    @Test func longValuesThatAreNotThereAreNotAllReadToTheEnd() throws {
        let size = 5 << 20
        var log = HostileStore.log("a")
        log.bytes += [UInt8](repeating: 1, count: 64)
        for _ in 0..<2_000 {
            let offset = UInt64(log.bytes.count)
            let length = UInt32(size - log.bytes.count - 48)
            log.bytes += HostileLog.record(keyLength: 1, valueLength: length, distance: 1, checksum: 4, at: offset)
        }
        log.bytes += [UInt8](repeating: 1, count: size - log.bytes.count)
        let fileSystem = CountingFileSystem(try HostileLog.fileSystem([(1, log)]))
        #expect(try Verification.run("/store", fileSystem: fileSystem, patience: .none).verdict == .torn)
        #expect(fileSystem.count.bytes < 500 << 20, "\(fileSystem.count)")
    }

    /// If a file is truncated after its size was read, the rest of a key is missing.
    @Test func aKeyThatIsCutOffWhileItIsRead() throws {
        var log = HostileStore.log("a")
        let start = log.bytes.count
        log.commit(firstSequence: 2, recordCount: 3) { offset in
            HostileLog.record(
                keyLength: 9_000, valueLength: 0, distance: 1, payload: [UInt8](repeating: 65, count: 9_000), at: offset
            )
        }
        let base = try HostileLog.fileSystem([(1, log)])
        for end in [100, 2_000, 5_000, 8_000] {
            let fileSystem = CountingFileSystem(base, endingAt: start + end)
            try LogReading.run("/store", fileSystem: fileSystem, patience: .none) { _ in true }
            _ = try StoreSurvey.make(
                of: "/store", now: 1, records: RecordSelection(), fileSystem: fileSystem, patience: .none)
            _ = try Repair.plan("/store", fileSystem: fileSystem)
        }
    }
}
