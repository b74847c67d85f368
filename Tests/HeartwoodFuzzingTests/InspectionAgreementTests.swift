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
        #expect(plan.isComplete && plan.batches == 1)
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

    @Test func anEndThatIsRecordedWithinTheHeaderWasTakenForReached() throws {
        let end = FileHeader.Predecessor(salt: HostileLog.salt, lastSequence: 0, endOffset: 4_088)
        let fileSystem = try HostileStore.check([
            (StoreFileName.log(1), HostileLog().bytes),
            (StoreFileName.log(2), HostileLog(firstSequence: 2, predecessor: end, salt: 7).bytes),
        ])
        #expect(try Verification.run("/store", fileSystem: fileSystem, patience: .none).verdict == .corrupt)
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
