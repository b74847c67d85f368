import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@Suite struct RenameTests {
    /// A disk with these files and directories, durable; each file holds one byte.
    private func disk(_ files: [String: UInt8], directories: [String] = []) throws -> SimulatedDisk {
        var image = DiskImage()
        for directory in directories { image.makeDirectory(directory) }
        for (path, byte) in files { image[path: path] = [byte] }
        return SimulatedDisk(image: image)
    }

    private func names(_ disk: SimulatedDisk) -> Set<[String: UInt8]> {
        Set(disk.afterCrash.map { $0.files.mapValues { $0.first ?? 0 } })
    }

    @Test func renameIsWholeOrLost() throws {
        let disk = try disk(["/a": 1])
        try disk.rename("/a", to: "/b")
        #expect(names(disk) == [["/a": 1], ["/b": 1]])
        try disk.syncDirectory("/")
        #expect(names(disk) == [["/b": 1]])
    }

    @Test func theReplacedFileStaysUntilThen() throws {
        let disk = try disk(["/a": 1, "/b": 2])
        try disk.rename("/a", to: "/b")
        #expect(names(disk) == [["/a": 1, "/b": 2], ["/b": 1]])
    }

    @Test func earlierOneMayBeLostAndALaterOneKept() throws {
        let disk = try disk(["/a": 1])
        try disk.rename("/a", to: "/b")
        try disk.rename("/b", to: "/c")
        #expect(names(disk) == [["/a": 1], ["/b": 1], ["/c": 1]])
    }

    @Test func renameOfANewFileMayComeWithoutItsFirstName() throws {
        let disk = try disk([:])
        try disk.make("/a", [1]).sync(.full)
        try disk.rename("/a", to: "/b")
        #expect(names(disk) == [[:], ["/a": 1], ["/b": 1]])
    }

    @Test func contentsMayBeMissingUnderTheNewName() throws {
        let disk = try disk(["/b": 2])
        try disk.make("/a", [1])
        try disk.rename("/a", to: "/b")
        try disk.syncDirectory("/")
        #expect(disk.afterCrash(of: "/b") == [[], [0], [1]])
    }

    @Test func nameThatIsUsedAgainIsOneFileOrTheOther() throws {
        let disk = try disk(["/f": 1])
        for byte: UInt8 in 2...3 {
            try disk.make("/tmp", [byte]).sync(.full)
            try disk.rename("/tmp", to: "/f")
        }
        #expect(
            names(disk) == [
                ["/f": 1], ["/f": 1, "/tmp": 2], ["/f": 2], ["/f": 1, "/tmp": 3], ["/f": 2, "/tmp": 3], ["/f": 3],
                // The second rename without the first: the first file still has its temporary name.
                ["/f": 3, "/tmp": 2],
            ])
    }

    @Test(arguments: ["/d", "/e"])
    func syncOfEitherDirectorySavesIt(synced: String) throws {
        let disk = try disk(["/d/a": 1], directories: ["/e"])
        try disk.rename("/d/a", to: "/e/a")
        #expect(names(disk) == [["/d/a": 1], ["/e/a": 1]])
        try disk.syncDirectory(synced)
        #expect(names(disk) == [["/e/a": 1]])
    }

    @Test func syncOfTheTargetRemovesTheFirstNameToo() throws {
        let disk = try disk([:], directories: ["/d", "/e"])
        try disk.make("/d/a", [1]).sync(.full)
        try disk.rename("/d/a", to: "/e/a")
        try disk.syncDirectory("/e")
        #expect(names(disk) == [["/e/a": 1]])
    }

    @Test func durableRenameIsNotUndoneByAnEarlierOne() throws {
        let disk = try disk(["/d/a": 1], directories: ["/e", "/f"])
        try disk.rename("/d/a", to: "/e/a")
        try disk.rename("/e/a", to: "/f/a")
        try disk.syncDirectory("/f")
        #expect(names(disk) == [["/f/a": 1]])
    }

    @Test func durableRenameIsNotUndoneByTheFileThatHadTheName() throws {
        let disk = try disk(["/e/y": 2], directories: ["/d"])
        try disk.make("/d/x", [1]).sync(.full)
        try disk.rename("/e/y", to: "/d/x")
        try disk.syncDirectory("/e")
        #expect(names(disk) == [["/d/x": 2]])
    }

    @Test func durableRemovalIsNotUndoneByAnEarlierRename() throws {
        let disk = try disk([:], directories: ["/d", "/e"])
        try disk.make("/d/a", [1]).sync(.full)
        try disk.rename("/d/a", to: "/e/a")
        try disk.remove("/e/a")
        try disk.syncDirectory("/e")
        #expect(names(disk) == [[:]])
    }

    @Test func renamedDirectoryKeepsItsContents() throws {
        let disk = try disk(["/d/a": 1])
        try disk.rename("/d", to: "/e")
        #expect(names(disk) == [["/d/a": 1], ["/e/a": 1]])
    }

    @Test func renameToItselfChangesNothing() throws {
        let disk = try disk(["/a": 1])
        try disk.rename("/a", to: "/./a")
        #expect(names(disk) == [["/a": 1]])
    }
}
