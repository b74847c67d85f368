import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@Suite struct FailedSyncTests {
    /// A file with two synced sectors, the first of which was written again before a sync failed.
    private func diskAfterFailedSync() throws -> (SimulatedDisk, any File) {
        let disk = SimulatedDisk()
        let file = try disk.makeDurably("/f", sectors(1, 1))
        try file.write(sectors(2))
        disk.inject(Fault(.sync, .error(ErrorNumber.EIO)))
        expectError(ErrorNumber.EIO, .sync) { try file.sync(.data) }
        return (disk, file)
    }

    @Test func readersStillSeeWhatItDropped() throws {
        let (disk, file) = try diskAfterFailedSync()
        #expect(try file.bytes() == sectors(2, 1))
        #expect(try disk.bytes(of: "/f") == sectors(2, 1))
    }

    @Test func nextSyncSucceedsAndSavesNothing() throws {
        let (disk, file) = try diskAfterFailedSync()
        try file.sync(.full)
        try file.sync(.data)
        // Some of it may have reached the disk before the failure.
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 1), sectors(2, 1)])
    }

    @Test func syncOfOtherSectorsSavesNothingOfIt() throws {
        let (disk, file) = try diskAfterFailedSync()
        try file.write(sectors(3), at: 512)
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 3), sectors(2, 3)])
    }

    @Test func writingTheSameBytesAgainAndSyncingSavesThem() throws {
        let (disk, file) = try diskAfterFailedSync()
        try file.write(sectors(2))
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 1), sectors(2, 1)])
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [sectors(2, 1)])
    }

    @Test func writingPartOfTheSectorSavesAllOfIt() throws {
        let (disk, file) = try diskAfterFailedSync()
        try file.write([9], at: 511)
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [Array(sectors(2, 1)[..<511]) + [9] + sectors(1)])
    }

    @Test func writesOfOneSectorBeforeAndAfterItKeepTheirOrder() throws {
        let (disk, file) = try diskAfterFailedSync()
        try file.write(sectors(3))
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 1), sectors(2, 1), sectors(3, 1)])
    }

    @Test func failureOfAnotherFileChangesNothing() throws {
        let (disk, _) = try diskAfterFailedSync()
        let other = try disk.makeDurably("/g", sectors(1))
        try other.write(sectors(2))
        try other.sync(.data)
        #expect(disk.afterCrash(of: "/g") == [sectors(2)])
    }

    @Test func sizeIsDroppedToo() throws {
        let disk = SimulatedDisk()
        let file = try disk.makeDurably("/f", [1])
        try file.write([2], at: 1)
        disk.inject(Fault(.sync, .error(ErrorNumber.EIO)))
        expectError(ErrorNumber.EIO) { try file.sync(.data) }
        try file.sync(.data)
        #expect(try file.size() == 2)
        #expect(disk.afterCrash(of: "/f") == [[1], [1, 0], [1, 2]])
        // Bytes that are durable can be read: so the size comes with them.
        try file.write([3], at: 2)
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [[1, 2, 3]])
    }

    @Test func sizeComesBackWithAnyOtherSector() throws {
        let disk = SimulatedDisk()
        let file = try disk.makeDurably("/f", sectors(1))
        try file.write(sectors(2), at: 512)
        disk.inject(Fault(.sync, .error(ErrorNumber.EIO)))
        expectError(ErrorNumber.EIO) { try file.sync(.data) }
        try file.write(sectors(3))
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [sectors(3, 0), sectors(3, 2)])
    }

    @Test func cutThatItDroppedMayStayUndone() throws {
        let disk = SimulatedDisk()
        let file = try disk.makeDurably("/f", sectors(1, 1))
        try file.truncate(to: 512)
        disk.inject(Fault(.sync, .error(ErrorNumber.EIO)))
        expectError(ErrorNumber.EIO) { try file.sync(.data) }
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [sectors(1), sectors(1, 0), sectors(1, 1)])
        try file.truncate(to: 1024)
        try file.sync(.data)
        #expect(try file.bytes() == sectors(1, 0))
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 0), sectors(1, 1)])
    }

    @Test func secondFailureDropsWhatWasWrittenAgain() throws {
        let (disk, file) = try diskAfterFailedSync()
        disk.inject(Fault(.sync, .error(ErrorNumber.EIO)))
        try file.write(sectors(2))
        expectError(ErrorNumber.EIO) { try file.sync(.data) }
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 1), sectors(2, 1)])
    }

    @Test func errorAfterwardsHasSavedEverything() throws {
        let disk = SimulatedDisk()
        let file = try disk.makeDurably("/f", [1])
        try file.write([2])
        disk.inject(Fault(.sync, .errorAfterwards(ErrorNumber.EIO)))
        expectError(ErrorNumber.EIO) { try file.sync(.data) }
        #expect(disk.afterCrash(of: "/f") == [[2]])
    }
}
