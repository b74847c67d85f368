import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@Suite struct DiskImageTests {
    @Test func settingAFileCreatesItsParentDirectories() {
        var image = DiskImage()
        image[path: "/a/b/c"] = [1]
        #expect(image.files == ["/a/b/c"])
        #expect(image.directories == ["/a", "/a/b"])
        #expect(image[path: "/a/b/c"] == [1])
        #expect(image[path: "/a"] == nil && image[path: "/x"] == nil)
    }

    @Test func pathsAreNormalized() {
        var image = DiskImage()
        image[path: "a//b/"] = [1]
        image.makeDirectory("//d//")
        image[path: "/"] = [1]
        #expect(image.files == ["/a/b"])
        #expect(image.directories == ["/a", "/d"])
        #expect(image[path: "/a/b"] == [1])
    }

    @Test func conflictingEntriesAreReplaced() throws {
        var image = DiskImage()
        image[path: "/a"] = [1]
        image[path: "/a/b/c"] = [2]
        #expect(image.files == ["/a/b/c"])
        image[path: "/a/b"] = [3]
        #expect(image.files == ["/a/b"])
        image.makeDirectory("/a")
        #expect(image.files == ["/a/b"])
        image[path: "/a"] = nil
        #expect(image == DiskImage())
        // A disk can be made from it.
        image[path: "/x/y"] = [1]
        #expect(try SimulatedDisk(image: image).bytes(of: "/x/y") == [1])
    }

    @Test func equalImagesHaveTheSameFingerprint() throws {
        var first = DiskImage()
        first[path: "/f"] = [1] + [UInt8](repeating: 0, count: 9000)
        let disk = SimulatedDisk()
        let file = try disk.make("/f", [1, 2])
        try file.truncate(to: 1)
        try file.truncate(to: 9001)
        #expect(disk.image == first)
        #expect(disk.image.fingerprint() == first.fingerprint())

        var others = [first, first, first, first]
        others[0][path: "/f"]![8000] = 1
        others[1][path: "/f"]!.append(0)
        others[2][path: "/g"] = []
        others[3].makeDirectory("/g")
        for (number, other) in others.enumerated() {
            #expect(other != first, "\(number)")
            #expect(other.fingerprint() != first.fingerprint(), "\(number)")
        }
        #expect(others[2].fingerprint { $0 == "/g" } == first.fingerprint())
    }

    @Test func isWrittenToAndReadFromAnotherFileSystem() throws {
        var image = DiskImage()
        image[path: "/d/e/f"] = [UInt8](0...255)
        image[path: "/empty"] = []
        image.makeDirectory("/nothing")
        let files = InMemoryFileSystem()
        try image.write(into: "/copy", of: files)
        #expect(try DiskImage(readingFrom: "/copy", of: files) == image)
        expectError(ErrorNumber.EEXIST) { try image.write(into: "/copy", of: files) }
        let disk = SimulatedDisk(image: image)
        #expect(try DiskImage(readingFrom: "/", of: disk) == image)
    }

    @Test func isDescribedByItsFiles() {
        var image = DiskImage()
        image[path: "/d/f"] = [1, 2, 3]
        #expect("\(image)" == "/d/\n/d/f: 3 bytes")
    }
}
