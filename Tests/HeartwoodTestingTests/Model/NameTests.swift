import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// What a crash may leave of names: of files and directories that are made, renamed and removed.
@Suite struct NameTests {
    /// A step, or an expectation.
    enum Step: Sendable {
        /// Makes a file. Its bytes are pending.
        case make(String, [UInt8])
        /// Makes a file with a byte that is on the disk; its name isn't.
        case save(String, UInt8)
        case makeDirectory(String)
        case rename(String, to: String)
        case remove(String)
        /// Syncs a directory.
        case sync(String)
        /// The same, and it fails.
        case failSync(String)
        /// A crash may leave these files, each with its bytes.
        case leaves([[String: [UInt8]]])
        /// A crash may leave these files and directories.
        case leavesPictures(Set<Picture>)
    }

    struct History: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Files that are on the disk at first, with one byte each.
        let files: [String: UInt8]
        let directories: [String]
        let steps: [Step]

        init(_ name: String, with files: [String: UInt8] = [:], in directories: [String] = [], _ steps: Step...) {
            (testDescription, self.files, self.directories, self.steps) = (name, files, directories, steps)
        }
    }

    private func perform(_ step: Step, _ disk: SimulatedDisk, _ name: String) throws {
        switch step {
        case .make(let path, let bytes): try disk.make(path, bytes)
        case .save(let path, let byte): try disk.make(path, [byte]).sync(.full)
        case .makeDirectory(let path): try disk.createDirectory(path)
        case .rename(let path, let new): try disk.rename(path, to: new)
        case .remove(let path):
            try disk.remove(path)
            #expect(try disk.kind(of: path) == nil)
        case .sync(let path): try disk.syncDirectory(path)
        case .failSync(let path):
            disk.inject(Fault(.syncDirectory, .error(ErrorNumber.EIO)))
            expectError(ErrorNumber.EIO, .syncDirectory) { try disk.syncDirectory(path) }
        case .leaves(let images): #expect(Set(disk.afterCrash.map(\.files)) == Set(images), "\(name)")
        case .leavesPictures(let images): #expect(disk.afterCrash == images, "\(name)")
        }
    }

    @Test(arguments: [made, renamed, renamedBetweenDirectories].joined())
    func aCrashLeavesOnlyWhatItMay(history: History) throws {
        var image = DiskImage()
        for directory in history.directories { image.makeDirectory(directory) }
        for (path, byte) in history.files { image[path: path] = [byte] }
        let disk = SimulatedDisk(image: image)
        for (number, step) in history.steps.enumerated() {
            try perform(step, disk, "\(history.testDescription), step \(number)")
        }
    }

    private static let made = [
        History(
            "a new file is pending until its directory is synced", .save("/f", 1), .leaves([[:], ["/f": [1]]]),
            .sync("/"), .leaves([["/f": [1]]])),
        History(
            "entries have no order", .make("/1", []), .make("/2", []),
            .leaves([[:], ["/1": []], ["/2": []], ["/1": [], "/2": []]])),
        History(
            "a sync of the directory doesn't save the bytes", .make("/f", [1]), .sync("/"),
            .leaves([["/f": []], ["/f": [0]], ["/f": [1]]])),
        History(
            "every directory of the path must be synced", .makeDirectory("/d"), .save("/d/f", 1), .sync("/d"),
            .leavesPictures([Picture(), Picture(["/d/f": [1]], directories: ["/d"])]), .sync("/"),
            .leavesPictures([Picture(["/d/f": [1]], directories: ["/d"])])),
        History(
            "a removal is pending", with: ["/f": 1], .remove("/f"), .leaves([[:], ["/f": [1]]]), .sync("/"),
            .leaves([[:]])),
        History(
            "a directory that is removed is pending", .makeDirectory("/d"), .sync("/"), .remove("/d"),
            .leavesPictures([Picture(), Picture(directories: ["/d"])])),
        History(
            "removed and created again it is old or new or missing", with: ["/f": 1], .remove("/f"), .save("/f", 2),
            .leaves([["/f": [1]], [:], ["/f": [2]]]), .sync("/"), .leaves([["/f": [2]]])),
        History(
            "created and removed it may be there", .make("/f", []), .remove("/f"), .leaves([[:], ["/f": []]]),
            .sync("/"), .leaves([[:]])),
        History(
            "a failed sync of a directory leaves entries pending", .make("/f", []), .failSync("/"),
            .leaves([[:], ["/f": []]]), .sync("/"), .leaves([["/f": []]])),
    ]

    private static let renamed = [
        History(
            "a rename is whole or lost", with: ["/a": 1], .rename("/a", to: "/b"), .leaves([["/a": [1]], ["/b": [1]]]),
            .sync("/"), .leaves([["/b": [1]]])),
        History(
            "the replaced file stays until then", with: ["/a": 1, "/b": 2], .rename("/a", to: "/b"),
            .leaves([["/a": [1], "/b": [2]], ["/b": [1]]])),
        History(
            "an earlier rename may be lost and a later one kept", with: ["/a": 1], .rename("/a", to: "/b"),
            .rename("/b", to: "/c"), .leaves([["/a": [1]], ["/b": [1]], ["/c": [1]]])),
        History(
            "a rename of a new file may come without its first name", .save("/a", 1), .rename("/a", to: "/b"),
            .leaves([[:], ["/a": [1]], ["/b": [1]]])),
        History(
            "contents may be missing under the new name", with: ["/b": 2], .make("/a", [1]), .rename("/a", to: "/b"),
            .sync("/"), .leaves([["/b": []], ["/b": [0]], ["/b": [1]]])),
        History(
            "a name that is used again is one file or the other", with: ["/f": 1], .save("/tmp", 2),
            .rename("/tmp", to: "/f"), .save("/tmp", 3), .rename("/tmp", to: "/f"),
            .leaves([
                ["/f": [1]], ["/f": [1], "/tmp": [2]], ["/f": [2]], ["/f": [1], "/tmp": [3]],
                ["/f": [2], "/tmp": [3]], ["/f": [3]],
                // The second rename without the first: the first file still has its temporary name.
                ["/f": [3], "/tmp": [2]],
            ])),
        History(
            "a renamed directory keeps its contents", with: ["/d/a": 1], .rename("/d", to: "/e"),
            .leaves([["/d/a": [1]], ["/e/a": [1]]])),
        History(
            "a rename to itself changes nothing", with: ["/a": 1], .rename("/a", to: "/./a"), .leaves([["/a": [1]]])),
    ]

    private static let renamedBetweenDirectories =
        ["/d", "/e"].map { synced in
            History(
                "a sync of \(synced) saves the rename", with: ["/d/a": 1], in: ["/e"], .rename("/d/a", to: "/e/a"),
                .leaves([["/d/a": [1]], ["/e/a": [1]]]), .sync(synced), .leaves([["/e/a": [1]]]))
        } + [
            History(
                "a sync of the target removes the first name too", in: ["/d", "/e"], .save("/d/a", 1),
                .rename("/d/a", to: "/e/a"), .sync("/e"), .leaves([["/e/a": [1]]])),
            History(
                "a durable rename is not undone by an earlier one", with: ["/d/a": 1], in: ["/e", "/f"],
                .rename("/d/a", to: "/e/a"), .rename("/e/a", to: "/f/a"), .sync("/f"), .leaves([["/f/a": [1]]])),
            History(
                "a durable rename is not undone by the file that had the name", with: ["/e/y": 2], in: ["/d"],
                .save("/d/x", 1), .rename("/e/y", to: "/d/x"), .sync("/e"), .leaves([["/d/x": [2]]])),
            History(
                "a durable removal is not undone by an earlier rename", in: ["/d", "/e"], .save("/d/a", 1),
                .rename("/d/a", to: "/e/a"), .remove("/e/a"), .sync("/e"), .leaves([[:]])),
        ]

    @Test func lockFileIsAnEntryAndItsTextIsNeverOnTheDisk() throws {
        let disk = SimulatedDisk()
        let lock = try disk.lock("/LOCK")
        #expect(try !disk.bytes(of: "/LOCK").isEmpty)
        #expect(disk.afterCrash == [Picture(), Picture(["/LOCK": []])])
        lock.unlock()
    }
}
