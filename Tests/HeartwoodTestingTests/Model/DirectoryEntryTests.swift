import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@Suite struct DirectoryEntryTests {
    private let disk = SimulatedDisk()

    @Test func newFileIsPendingUntilItsDirectoryIsSynced() throws {
        let file = try disk.make("/f", [1])
        try file.sync(.full)
        #expect(disk.afterCrash == [Picture(), Picture(["/f": [1]])])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash == [Picture(["/f": [1]])])
    }

    @Test func entriesHaveNoOrder() throws {
        try disk.make("/1")
        try disk.make("/2")
        #expect(
            disk.afterCrash == [
                Picture(), Picture(["/1": []]), Picture(["/2": []]), Picture(["/1": [], "/2": []]),
            ])
    }

    @Test func syncOfTheDirectoryDoesNotSaveTheBytes() throws {
        try disk.make("/f", [1])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash(of: "/f") == [[], [0], [1]])
    }

    @Test func everyDirectoryOfThePathMustBeSynced() throws {
        try disk.createDirectory("/d")
        try disk.makeDurably("/d/f", [1])
        #expect(disk.afterCrash == [Picture(), Picture(["/d/f": [1]], directories: ["/d"])])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash == [Picture(["/d/f": [1]], directories: ["/d"])])
    }

    @Test func removalIsPending() throws {
        try disk.makeDurably("/f", [1])
        try disk.remove("/f")
        #expect(try disk.kind(of: "/f") == nil)
        #expect(disk.afterCrash == [Picture(), Picture(["/f": [1]])])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash == [Picture()])
    }

    @Test func directoryThatIsRemovedIsPending() throws {
        try disk.createDirectory("/d")
        try disk.syncDirectory("/")
        try disk.remove("/d")
        #expect(disk.afterCrash == [Picture(), Picture(directories: ["/d"])])
    }

    @Test func removedAndCreatedAgainIsOldOrNewOrMissing() throws {
        try disk.makeDurably("/f", [1])
        try disk.remove("/f")
        let file = try disk.make("/f", [2])
        try file.sync(.full)
        #expect(disk.afterCrash(of: "/f") == [[1], nil, [2]])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash(of: "/f") == [[2]])
    }

    @Test func createdAndRemovedMayBeThere() throws {
        try disk.make("/f")
        try disk.remove("/f")
        #expect(disk.afterCrash(of: "/f") == [nil, []])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash(of: "/f") == [nil])
    }

    @Test func failedSyncOfADirectoryLeavesEntriesPending() throws {
        try disk.make("/f")
        disk.inject(Fault(.syncDirectory, .error(ErrorNumber.EIO)))
        expectError(ErrorNumber.EIO, .syncDirectory) { try disk.syncDirectory("/") }
        #expect(disk.afterCrash(of: "/f") == [nil, []])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash(of: "/f") == [[]])
    }

    @Test func lockFileIsAnEntryAndItsTextIsNeverOnTheDisk() throws {
        let lock = try disk.lock("/LOCK")
        #expect(try !disk.bytes(of: "/LOCK").isEmpty)
        #expect(disk.afterCrash == [Picture(), Picture(["/LOCK": []])])
        lock.unlock()
    }
}
