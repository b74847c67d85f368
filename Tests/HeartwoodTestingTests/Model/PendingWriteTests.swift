import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// Beside the sets of states of one file that `FileModelTests` computes: several files and handles, and what draws add.
@Suite struct PendingWriteTests {
    private let disk = SimulatedDisk()

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

    @Test func filesHaveNoOrder() throws {
        let first = try disk.makeDurably("/1", [1])
        let second = try disk.makeDurably("/2", [1])
        try first.write([2])
        try second.write([2])
        var expected: Set<Picture> = []
        for one: UInt8 in 1...2 { for two: UInt8 in 1...2 { expected.insert(Picture(["/1": [one], "/2": [two]])) } }
        #expect(disk.afterCrash == expected)
    }

    /// Allocated blocks whose bytes did not reach the disk hold what was in them earlier.
    @Test func garbageIsOnlyWhereTheFileNeverWas() throws {
        let file = try disk.makeDurably("/f", sectors(0, 0))
        try file.write(sectors(1, 1, 1))
        let events = disk.trace.events.count
        var hasGarbage = false
        for seed: UInt64 in 0..<400 {
            let crash = disk.trace.crash(CrashState(events: events, losses: .drawn(seed)))
            let bytes = try #require(crash.image[path: "/f"])
            for sector in 0..<2 {
                let part = Array(bytes[(sector * 512)..<((sector + 1) * 512)])
                #expect(part == sectors(0) || part == sectors(1), "\(crash.state)")
            }
            let last = Array(bytes[1024...])
            if !last.isEmpty, last != sectors(0), last != sectors(1) { hasGarbage = true }
        }
        #expect(hasGarbage)
    }

    @Test func failureOfAnotherFileChangesNothing() throws {
        let failing = try disk.makeDurably("/f", sectors(1))
        try failing.write(sectors(2))
        disk.inject(Fault(.sync, .error(ErrorNumber.EIO)))
        expectError(ErrorNumber.EIO, .sync) { try failing.sync(.data) }
        let other = try disk.makeDurably("/g", sectors(1))
        try other.write(sectors(2))
        try other.sync(.data)
        #expect(disk.afterCrash(of: "/g") == [sectors(2)])
    }
}
