import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@Suite struct DirectoryEntryTests {
    @Test func newFileIsPendingUntilItsDirectoryIsSynced() throws {
        let disk = SimulatedDisk()
        let file = try disk.make("/f", [1])
        try file.sync(.full)
        #expect(disk.afterCrash == [Picture(), Picture(["/f": [1]])])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash == [Picture(["/f": [1]])])
    }

    @Test func entriesHaveNoOrder() throws {
        let disk = SimulatedDisk()
        try disk.make("/1")
        try disk.make("/2")
        #expect(
            disk.afterCrash == [
                Picture(), Picture(["/1": []]), Picture(["/2": []]), Picture(["/1": [], "/2": []]),
            ])
    }

    @Test func syncOfTheDirectoryDoesNotSaveTheBytes() throws {
        let disk = SimulatedDisk()
        try disk.make("/f", [1])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash(of: "/f") == [[], [0], [1]])
    }

    @Test func everyDirectoryOfThePathMustBeSynced() throws {
        let disk = SimulatedDisk()
        try disk.createDirectory("/d")
        try disk.makeDurably("/d/f", [1])
        #expect(disk.afterCrash == [Picture(), Picture(["/d/f": [1]], directories: ["/d"])])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash == [Picture(["/d/f": [1]], directories: ["/d"])])
    }

    @Test func removalIsPending() throws {
        let disk = SimulatedDisk()
        try disk.makeDurably("/f", [1])
        try disk.remove("/f")
        #expect(try disk.kind(of: "/f") == nil)
        #expect(disk.afterCrash == [Picture(), Picture(["/f": [1]])])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash == [Picture()])
    }

    @Test func directoryThatIsRemovedIsPending() throws {
        let disk = SimulatedDisk()
        try disk.createDirectory("/d")
        try disk.syncDirectory("/")
        try disk.remove("/d")
        #expect(disk.afterCrash == [Picture(), Picture(directories: ["/d"])])
    }

    @Test func removedAndMadeAgainIsOldOrNewOrNone() throws {
        let disk = SimulatedDisk()
        try disk.makeDurably("/f", [1])
        try disk.remove("/f")
        let file = try disk.make("/f", [2])
        try file.sync(.full)
        #expect(disk.afterCrash(of: "/f") == [[1], nil, [2]])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash(of: "/f") == [[2]])
    }

    @Test func madeAndRemovedMayBeThere() throws {
        let disk = SimulatedDisk()
        try disk.make("/f")
        try disk.remove("/f")
        #expect(disk.afterCrash(of: "/f") == [nil, []])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash(of: "/f") == [nil])
    }

    @Test func failedSyncOfADirectoryLeavesEntriesPending() throws {
        let disk = SimulatedDisk()
        try disk.make("/f")
        disk.inject(Fault(.syncDirectory, .error(ErrorNumber.EIO)))
        expectError(ErrorNumber.EIO, .syncDirectory) { try disk.syncDirectory("/") }
        #expect(disk.afterCrash(of: "/f") == [nil, []])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash(of: "/f") == [[]])
    }

    @Test func lockFileIsAnEntryAndItsTextIsNeverOnTheDisk() throws {
        let disk = SimulatedDisk()
        let lock = try disk.lock("/LOCK")
        #expect(try !disk.bytes(of: "/LOCK").isEmpty)
        #expect(disk.afterCrash == [Picture(), Picture(["/LOCK": []])])
        lock.unlock()
    }
}
