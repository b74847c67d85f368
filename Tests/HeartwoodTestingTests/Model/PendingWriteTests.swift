import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@Suite struct PendingWriteTests {
    private let disk = SimulatedDisk()

    @Test func writeIsPendingUntilItsFileIsSynced() throws {
        let file = try disk.makeDurably("/f", sectors(1))
        try file.write(sectors(2))
        #expect(disk.afterCrash(of: "/f") == [sectors(1), sectors(2)])
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [sectors(2)])
    }

    @Test(arguments: [SyncKind.data, .full])
    func syncConcernsItsOwnFileOnly(kind: SyncKind) throws {
        let first = try disk.makeDurably("/1", sectors(1))
        let second = try disk.makeDurably("/2", sectors(1))
        try first.write(sectors(2))
        try second.write(sectors(2))
        try first.sync(kind)
        #expect(disk.afterCrash(of: "/1") == [sectors(2)])
        #expect(disk.afterCrash(of: "/2") == [sectors(1), sectors(2)])
    }

    @Test func readersSeeWhatIsPending() throws {
        let file = try disk.makeDurably("/f", sectors(1))
        try file.write([7], at: 100)
        #expect(try disk.bytes(of: "/f") == file.bytes())
        #expect(try file.bytes()[99...101] == [1, 7, 1])
        #expect(disk.image[path: "/f"] == (try file.bytes()))
    }

    @Test func aSyncOfAnyHandleIsEnough() throws {
        let file = try disk.makeDurably("/f", sectors(1))
        try file.write(sectors(2))
        try disk.openFile("/f", for: .read).sync(.full)
        #expect(disk.afterCrash(of: "/f") == [sectors(2)])
    }

    @Test func closingMakesNothingDurable() throws {
        let file = try disk.makeDurably("/f", sectors(1))
        try file.write(sectors(2))
        try file.close()
        #expect(disk.afterCrash(of: "/f") == [sectors(1), sectors(2)])
    }

    @Test func rewritingTheSameBytesAddsNoState() throws {
        let file = try disk.makeDurably("/f", sectors(1, 2))
        try file.write(sectors(1, 3))
        let crash = disk.crash(losing: .nothing)
        #expect(crash.possibleStates == 2)
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 2), sectors(1, 3)])
    }

    @Test func writingTheOldBytesBackMayLeaveTheBytesBetween() throws {
        let file = try disk.makeDurably("/f", sectors(1))
        try file.write(sectors(2))
        try file.write(sectors(1))
        #expect(disk.afterCrash(of: "/f") == [sectors(1), sectors(2)])
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [sectors(1)])
    }

    @Test func losingEverythingLeavesWhatWasSyncedLast() throws {
        let first = try disk.makeDurably("/1", sectors(1))
        let second = try disk.makeDurably("/2", sectors(1))
        for fill: UInt8 in 2...4 {
            try first.write(sectors(fill, fill))
            try second.write(sectors(fill))
            if fill < 4 { try first.sync(.data) }
        }
        try disk.make("/3")
        #expect(Picture(disk.crash().image) == Picture(["/1": sectors(3, 3), "/2": sectors(1)]))
        let kept = Picture(["/1": sectors(4, 4), "/2": sectors(4), "/3": []])
        #expect(Picture(disk.crash(losing: .nothing).image) == kept)
    }

    @Test func unlinkedFileIsWrittenToAndSyncedWithoutAName() throws {
        let file = try disk.makeDurably("/f", sectors(1))
        try disk.remove("/f")
        try disk.syncDirectory("/")
        try file.write(sectors(2))
        try file.sync(.full)
        #expect(try file.bytes() == sectors(2))
        #expect(disk.afterCrash == [Picture()])
    }
}
