import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@Suite struct FailedSyncTests {
    private let disk = SimulatedDisk()

    /// A file with two synced sectors, the first of which was written again before a sync failed.
    private func fileAfterFailedSync() throws -> any File {
        let file = try disk.makeDurably("/f", sectors(1, 1))
        try file.write(sectors(2))
        failSync(of: file)
        return file
    }

    private func failSync(of file: any File) {
        disk.inject(Fault(.sync, .error(ErrorNumber.EIO)))
        expectError(ErrorNumber.EIO, .sync) { try file.sync(.data) }
    }

    @Test func readersStillSeeWhatItDropped() throws {
        let file = try fileAfterFailedSync()
        #expect(try file.bytes() == sectors(2, 1))
        #expect(try disk.bytes(of: "/f") == sectors(2, 1))
    }

    @Test func nextSyncSucceedsAndSavesNothing() throws {
        let file = try fileAfterFailedSync()
        try file.sync(.full)
        try file.sync(.data)
        // Some of it may have reached the disk before the failure.
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 1), sectors(2, 1)])
    }

    @Test func syncOfOtherSectorsSavesNothingOfIt() throws {
        let file = try fileAfterFailedSync()
        try file.write(sectors(3), at: 512)
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 3), sectors(2, 3)])
    }

    @Test func writingTheSameBytesAgainAndSyncingSavesThem() throws {
        let file = try fileAfterFailedSync()
        try file.write(sectors(2))
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 1), sectors(2, 1)])
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [sectors(2, 1)])
    }

    @Test func writingPartOfTheSectorSavesAllOfIt() throws {
        let file = try fileAfterFailedSync()
        try file.write([9], at: 511)
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [Array(sectors(2, 1)[..<511]) + [9] + sectors(1)])
    }

    @Test func writesOfOneSectorBeforeAndAfterItKeepTheirOrder() throws {
        let file = try fileAfterFailedSync()
        try file.write(sectors(3))
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 1), sectors(2, 1), sectors(3, 1)])
    }

    @Test func failureOfAnotherFileChangesNothing() throws {
        _ = try fileAfterFailedSync()
        let other = try disk.makeDurably("/g", sectors(1))
        try other.write(sectors(2))
        try other.sync(.data)
        #expect(disk.afterCrash(of: "/g") == [sectors(2)])
    }

    @Test func sizeIsDroppedToo() throws {
        let file = try disk.makeDurably("/f", [1])
        try file.write([2], at: 1)
        failSync(of: file)
        try file.sync(.data)
        #expect(try file.size() == 2)
        #expect(disk.afterCrash(of: "/f") == [[1], [1, 0], [1, 2]])
        // A sync that makes bytes durable makes the size durable too.
        try file.write([3], at: 2)
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [[1, 2, 3]])
    }

    @Test func sizeComesBackWithAnyOtherSector() throws {
        let file = try disk.makeDurably("/f", sectors(1))
        try file.write(sectors(2), at: 512)
        failSync(of: file)
        try file.write(sectors(3))
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [sectors(3, 0), sectors(3, 2)])
    }

    @Test func truncationThatItDroppedMayStayUndone() throws {
        let file = try disk.makeDurably("/f", sectors(1, 1))
        try file.truncate(to: 512)
        failSync(of: file)
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [sectors(1), sectors(1, 0), sectors(1, 1)])
        try file.truncate(to: 1024)
        try file.sync(.data)
        #expect(try file.bytes() == sectors(1, 0))
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 0), sectors(1, 1)])
    }

    @Test func secondFailureDropsWhatWasWrittenAgain() throws {
        let file = try fileAfterFailedSync()
        try file.write(sectors(2))
        failSync(of: file)
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 1), sectors(2, 1)])
    }

    @Test func errorAfterwardsHasSavedEverything() throws {
        let file = try disk.makeDurably("/f", [1])
        try file.write([2])
        disk.inject(Fault(.sync, .errorAfterwards(ErrorNumber.EIO)))
        expectError(ErrorNumber.EIO) { try file.sync(.data) }
        #expect(disk.afterCrash(of: "/f") == [[2]])
    }
}
