import Heartwood
import HeartwoodFileSystem
import HeartwoodFormat
import HeartwoodFuzzing
import HeartwoodInspection
import Testing

/// Where verify, inspect and repair once said something else than an opening, each other, or the files.
@Suite struct InspectionAgreementTests {
    /// The first segment of a repaired store begins where its first batch does, and nothing is missing before it.
    @Test func whatARepairLostAtTheStartWasLostAgainInTheNext() throws {
        let fileSystem = try HostileStore.check([(StoreFileName.log(7), HostileStore.log(first: 7, "a").bytes)])
        let plan = try Repair.plan("/store", fileSystem: fileSystem)
        #expect(plan.losses.isEmpty && plan.batches == 1)
    }

    @Test func aNewerCommitBehindATearWasSaidToRefuseAnOpening() throws {
        var log = HostileStore.log("a")
        log.bytes += [UInt8](repeating: 1, count: 64)
        log.commit(firstSequence: 2, flags: CommitHeader.Flags(rawValue: 4)) { _ in [UInt8](repeating: 0, count: 40) }
        let fileSystem = try HostileStore.check([(StoreFileName.log(1), log.bytes)])
        let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
        #expect(check.opens && check.verdict == .unsupported)
    }

    @Test func aLogWhoseNumbersItsSnapshotCoversWasSaidToOpen() throws {
        let (snapshot, end) = HostileStore.snapshot(upTo: 5, ["a", "b"])
        let log = HostileLog(firstSequence: 5, predecessor: end, salt: 7)
        let fileSystem = try HostileStore.check([
            (StoreFileName.snapshot(5), snapshot), (StoreFileName.log(5), log.bytes),
        ])
        #expect(try !Verification.run("/store", fileSystem: fileSystem, patience: .none).opens)
    }

    /// An opening that meets it looks for no other one, even if that would do.
    @Test func aSnapshotOfANewerVersionWasSaidToBeDamaged() throws {
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

    @Test func ofTwoDamagedSnapshotsTheOlderOneWasTakenForTheNewest() throws {
        let fileSystem = try HostileStore.check([
            (StoreFileName.snapshot(9), []), (StoreFileName.snapshot(3), HostileLog().bytes),
            (StoreFileName.log(5), HostileLog(firstSequence: 5).bytes),
        ])
        // Nothing that is here goes on behind number 9.
        #expect(try !Verification.run("/store", fileSystem: fileSystem, patience: .none).opens)
    }

    /// A clock that was set back: by the newest commit the value has expired, if that is a mark, too.
    @Test func whatHadExpiredWasBroughtBackByARepair() throws {
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

    /// Of many thousand segments, two may have drawn the same salt.
    @Test func aSegmentWasCutWhereAnotherOneWithItsSaltEnds() throws {
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

    @Test func anEndThatIsRecordedWithinTheHeaderWasTakenForReached() throws {
        let end = FileHeader.Predecessor(salt: HostileLog.salt, lastSequence: 0, endOffset: 4_088)
        let fileSystem = try HostileStore.check([
            (StoreFileName.log(1), HostileLog().bytes),
            (StoreFileName.log(2), HostileLog(firstSequence: 2, predecessor: end, salt: 7).bytes),
        ])
        #expect(try Verification.run("/store", fileSystem: fileSystem, patience: .none).verdict == .corrupt)
    }

    /// An opening asks for the id of the snapshot that it takes, and for no other one's.
    @Test func anotherStoresSnapshotThatIsNotReadWasSaidToRefuseAnOpening() throws {
        let (snapshot, _) = HostileStore.snapshot(upTo: 3, ["a"], storeID: StoreID(low: 8, high: 8))
        let (newest, end) = HostileStore.snapshot(upTo: 5, ["a", "b"])
        let fileSystem = try HostileStore.check([
            (StoreFileName.snapshot(3), snapshot), (StoreFileName.snapshot(5), newest),
            (StoreFileName.log(6), HostileLog(firstSequence: 6, predecessor: end, salt: 7).bytes),
        ])
        let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
        #expect(check.opens && check.verdict == .corrupt, "it belongs to another store all the same")
    }

    /// An opening refuses it. A record that is counted, and is not there, may have been any key.
    @Test func aFooterThatCountsMoreThanThereIs() throws {
        // So long that the records have room for another one.
        let keys = ["a", "b", "c"].map { $0 + String(repeating: "-", count: 30) }
        var (snapshot, end) = HostileStore.snapshot(upTo: 5, keys)
        try HostileStore.changeFooter(of: &snapshot) { $0.recordCount += 1 }
        let log = HostileLog(firstSequence: 6, predecessor: end, salt: 7)
        let fileSystem = try HostileStore.check([
            (StoreFileName.snapshot(5), snapshot), (StoreFileName.log(6), log.bytes),
        ])
        let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
        #expect(!check.opens && check.verdict == .corrupt)
        let report = try Repair.plan("/store", fileSystem: fileSystem)
        #expect(report.snapshotKeys == 3 && report.certainty == .incomplete)
        #expect(report.losses.count == 1 && report.losses.first?.keyRange?.contains("b".utf8) == true)
    }

    /// The records behind the place that it names were taken for damaged keys.
    @Test func aFooterThatEndsTheRecordsTooEarly() throws {
        for kept: UInt64 in 1...2 {
            var (snapshot, end) = HostileStore.snapshot(upTo: 5, ["a", "b", "c"])
            try HostileStore.changeFooter(of: &snapshot) {
                ($0.keySectionOffset, $0.recordCount, $0.keyBytes) = (4_096 + 40 * kept, kept, kept)
            }
            let log = HostileLog(firstSequence: 6, predecessor: end, salt: 7)
            let fileSystem = try HostileStore.check([
                (StoreFileName.snapshot(5), snapshot), (StoreFileName.log(6), log.bytes),
            ])
            let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
            #expect(!check.opens && check.verdict == .corrupt)
            #expect(try Repair.plan("/store", fileSystem: fileSystem).snapshotKeys == 3, "\(kept)")
        }
    }

    /// An opening refuses it, and a repair took it for whole.
    @Test func aRecordThatNoBlockTellsOfWasTakenForASnapshots() throws {
        let (snapshot, end) = HostileStore.snapshot(upTo: 5, ["a", "b", "c"], told: 2)
        let log = HostileLog(firstSequence: 6, predecessor: end, salt: 7)
        let fileSystem = try HostileStore.check([
            (StoreFileName.snapshot(5), snapshot), (StoreFileName.log(6), log.bytes),
        ])
        let check = try Verification.run("/store", fileSystem: fileSystem, patience: .none)
        #expect(!check.opens && check.verdict == .corrupt)
        // What verifies is brought back all the same.
        let report = try Repair.run("/store", output: "/repaired", now: 1, fileSystem: fileSystem)
        #expect(report.snapshotKeys == 3)
        #expect(try Repair.plan("/store", fileSystem: fileSystem).snapshotKeys == 3)
    }
}
