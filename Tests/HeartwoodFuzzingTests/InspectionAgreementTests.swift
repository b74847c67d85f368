import Heartwood
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodFuzzing
import HeartwoodInspection
import Testing

/// Verify, inspect, repair and an opening must agree. Each test is a case in which they once didn't.
@Suite struct InspectionAgreementTests {
    /// The first segment of a repaired store begins at its first batch, and no earlier number counts as lost.
    @Test func aRepairedStoreHasLostNothingAtItsStart() throws {
        let fileSystem = try HostileStore.check([(StoreFileName.log(7), HostileStore.log(first: 7, "a").bytes)])
        let plan = try Repair.plan("/store", fileSystem: fileSystem)
        #expect(plan.losses.isEmpty && plan.batches == 1)
    }

    @Test func aNewerCommitAfterATornTailDoesNotPreventOpening() throws {
        var log = HostileStore.log("a")
        log.bytes += [UInt8](repeating: 1, count: 64)
        log.commit(firstSequence: 2, flags: CommitHeader.Flags(rawValue: 4)) { _ in [UInt8](repeating: 0, count: 40) }
        let fileSystem = try HostileStore.check([(StoreFileName.log(1), log.bytes)])
        let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
        #expect(check.opens && check.verdict == .unsupported)
    }

    @Test func aLogWhoseNumbersItsSnapshotCoversDoesNotOpen() throws {
        let (snapshot, end) = HostileStore.snapshot(upTo: 5, ["a", "b"])
        let log = HostileLog(firstSequence: 5, predecessor: end, salt: 7)
        let fileSystem = try HostileStore.check([
            (StoreFileName.snapshot(5), snapshot), (StoreFileName.log(5), log.bytes),
        ])
        #expect(try !Verification.run("/store", fileSystem: fileSystem, patience: .none).opens)
    }

    /// An opening that finds such a snapshot tries no other one, even if that would succeed.
    @Test func aSnapshotOfANewerVersionIsUnsupported() throws {
        var (snapshot, end) = HostileStore.snapshot(upTo: 5, ["a", "b"])
        HostileStore.setFooterFlags(of: &snapshot)
        let first = HostileLog()
        let fileSystem = try HostileStore.check([
            (StoreFileName.snapshot(5), snapshot), (StoreFileName.log(1), first.bytes),
            (StoreFileName.log(6), HostileLog(firstSequence: 6, predecessor: end, salt: 7).bytes),
        ])
        let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
        #expect(check.verdict == .unsupported && !check.opens)
        let survey = try StoreSurvey.make(of: "/store", now: 1, fileSystem: fileSystem, patience: .none)
        #expect(survey.findings.count { $0.offset > 4_096 } == 1, "once: \(survey.findings)")
    }

    @Test func theNewestOfTwoDamagedSnapshotsCounts() throws {
        let fileSystem = try HostileStore.check([
            (StoreFileName.snapshot(9), []), (StoreFileName.snapshot(3), HostileLog().bytes),
            (StoreFileName.log(5), HostileLog(firstSequence: 5).bytes),
        ])
        // No file continues after number 9.
        #expect(try !Verification.run("/store", fileSystem: fileSystem, patience: .none).opens)
    }

    /// After a clock was set back, a value that has expired by the time of the newest commit stays expired. A mark
    /// counts.
    @Test func aRepairDoesNotRestoreExpiredRecords() throws {
        var log = HostileLog()
        log.commit(time: 1 << 50) { offset in
            HostileLog.record(
                kind: 2, keyLength: 1, valueLength: 0, expiry: 1 << 45, payload: [65, 0, 0, 0, 0, 0, 0, 0], at: offset)
        }
        log.mark(firstSequence: 2, time: 1 << 60)
        let fileSystem = try HostileStore.check([(StoreFileName.log(1), log.bytes)])
        _ = try Repair.run("/store", output: "/repaired", now: 1, fileSystem: fileSystem)
        let survey = try StoreSurvey.make(of: "/repaired", now: 1, fileSystem: fileSystem, patience: .none)
        #expect(survey.now == 1 << 60 && survey.totals.expired == 1)
    }

    /// Of many thousand segments, two may have the same random salt.
    @Test func segmentsWithTheSameSaltHaveTheirOwnEnds() throws {
        let first = HostileStore.log("a")
        let (size, salt) = (UInt64(first.bytes.count), HostileLog.salt)
        let middle = HostileLog(
            firstSequence: 2, predecessor: FileHeader.Predecessor(salt: salt, lastSequence: 1, endOffset: size), salt: 7
        )
        var last = HostileLog(
            firstSequence: 4, predecessor: FileHeader.Predecessor(salt: 7, lastSequence: 1, endOffset: 4_096))
        for number: UInt64 in 4...6 { HostileStore.add("b", number, first: 4, to: &last) }
        let fileSystem = try HostileStore.check([
            (StoreFileName.log(1), first.bytes), (StoreFileName.log(2), middle.bytes),
            (StoreFileName.log(4), last.bytes),
        ])
        #expect(try Repair.plan("/store", fileSystem: fileSystem).batches == 4)
    }

    @Test func aRecordedEndWithinTheHeaderIsCorruption() throws {
        let end = FileHeader.Predecessor(salt: HostileLog.salt, lastSequence: 0, endOffset: 4_088)
        let fileSystem = try HostileStore.check([
            (StoreFileName.log(1), HostileLog().bytes),
            (StoreFileName.log(2), HostileLog(firstSequence: 2, predecessor: end, salt: 7).bytes),
        ])
        #expect(try Verification.run("/store", fileSystem: fileSystem, patience: .none).verdict == .corrupt)
    }

    /// An opening checks the store id of the snapshot that it uses, and of no other.
    @Test func anUnreadSnapshotOfAnotherStoreDoesNotPreventOpening() throws {
        let (snapshot, _) = HostileStore.snapshot(upTo: 3, ["a"], storeID: StoreID(low: 8, high: 8))
        let (newest, end) = HostileStore.snapshot(upTo: 5, ["a", "b"])
        let fileSystem = try HostileStore.check([
            (StoreFileName.snapshot(3), snapshot), (StoreFileName.snapshot(5), newest),
            (StoreFileName.log(6), HostileLog(firstSequence: 6, predecessor: end, salt: 7).bytes),
        ])
        let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
        #expect(check.opens && check.verdict == .corrupt, "the file of another store is still reported")
    }

    /// An opening fails. A record that is counted but missing may have had any key.
    @Test func aFooterThatCountsMoreThanThereIs() throws {
        // So long that the footer's count is possible for the size of the records.
        let keys = ["a", "b", "c"].map { $0 + String(repeating: "-", count: 30) }
        var (snapshot, end) = HostileStore.snapshot(upTo: 5, keys)
        try HostileStore.changeFooter(of: &snapshot) { $0.recordCount += 1 }
        let fileSystem = try HostileStore.check(snapshot, endingAt: end)
        let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
        #expect(!check.opens && check.verdict == .corrupt)
        let report = try Repair.plan("/store", fileSystem: fileSystem)
        #expect(report.snapshotKeys == 3 && report.certainty == .incomplete)
        #expect(report.losses.count == 1 && report.losses.first?.keyRange?.contains("b".utf8) == true)
    }

    /// The records after the recorded end must not count as damaged keys.
    @Test func aFooterThatEndsTheRecordsTooEarly() throws {
        for kept: UInt64 in 1...2 {
            var (snapshot, end) = HostileStore.snapshot(upTo: 5, ["a", "b", "c"])
            try HostileStore.changeFooter(of: &snapshot) {
                ($0.keySectionOffset, $0.recordCount, $0.keyBytes) = (4_096 + 40 * kept, kept, kept)
            }
            let fileSystem = try HostileStore.check(snapshot, endingAt: end)
            let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
            #expect(!check.opens && check.verdict == .corrupt)
            #expect(try Repair.plan("/store", fileSystem: fileSystem).snapshotKeys == 3, "\(kept)")
        }
    }

    /// An opening fails, and the snapshot must not count as complete.
    @Test func aRecordThatNoBlockListsIsCorruption() throws {
        let (snapshot, end) = HostileStore.snapshot(upTo: 5, ["a", "b", "c"], listed: 2)
        let fileSystem = try HostileStore.check(snapshot, endingAt: end)
        let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
        #expect(!check.opens && check.verdict == .corrupt)
        // A repair still recovers all valid records.
        let report = try Repair.run("/store", output: "/repaired", now: 1, fileSystem: fileSystem)
        #expect(report.snapshotKeys == 3)
        #expect(try Repair.plan("/store", fileSystem: fileSystem).snapshotKeys == 3)
    }
}
