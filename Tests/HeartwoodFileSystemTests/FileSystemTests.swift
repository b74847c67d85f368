import Foundation
import HeartwoodFileSystem
import Testing

/// The behaviour of every file system.
@Suite struct FileSystemTests {
    @Test(arguments: Implementation.allCases)
    func createsFilesOnce(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            let path = directory + "/a"
            expectError(ENOENT, .open) { _ = try fileSystem.openFile(path, for: .read) }
            expectError(ENOENT, .open) { _ = try fileSystem.openFile(path, for: .readWrite) }
            let file = try fileSystem.openFile(path, for: .create)
            #expect(file.path == path)
            #expect(try file.size() == 0)
            let error = expectError(EEXIST, .open) { _ = try fileSystem.openFile(path, for: .create) }
            #expect(error?.path == path)
            try file.write("hello")
            #expect(try fileSystem.openFile(path, for: .read).text() == "hello")
            try fileSystem.openFile(path, for: .readWrite).write("j")
            #expect(try file.text() == "jello")
        }
    }

    @Test(arguments: Implementation.allCases)
    func refusesWhatIsNotADirectoryOrAFile(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            _ = try fileSystem.openFile(directory + "/file", for: .create)
            for access in [FileAccess.read, .readWrite] {
                expectError(EISDIR, .open) { _ = try fileSystem.openFile(directory, for: access) }
            }
            expectError(EEXIST, .open) { _ = try fileSystem.openFile(directory, for: .create) }
            expectError(EISDIR, .lock) { _ = try fileSystem.lock(directory) }
            expectError(ENOTDIR, .open) { _ = try fileSystem.openFile(directory + "/file/x", for: .create) }
            expectError(ENOENT, .open) { _ = try fileSystem.openFile(directory + "/no/x", for: .create) }
            expectError(ENOTDIR, .list) { _ = try fileSystem.contents(ofDirectory: directory + "/file") }
            expectError(ENOENT, .list) { _ = try fileSystem.contents(ofDirectory: directory + "/no") }
            expectError(ENOTDIR, .syncDirectory) { try fileSystem.syncDirectory(directory + "/file") }
            expectError(ENOENT, .syncDirectory) { try fileSystem.syncDirectory(directory + "/no") }
            expectError(ENOENT, .open) { _ = try fileSystem.openFile("", for: .read) }
            try fileSystem.syncDirectory(directory)
        }
    }

    @Test(arguments: Implementation.allCases)
    func makesDirectories(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            try fileSystem.createDirectory(directory + "/d")
            expectError(EEXIST, .createDirectory) { try fileSystem.createDirectory(directory + "/d") }
            expectError(ENOENT, .createDirectory) { try fileSystem.createDirectory(directory + "/no/d") }
            _ = try fileSystem.openFile(directory + "/d/../d/./f", for: .create)
            #expect(try fileSystem.contents(ofDirectory: directory + "/d/") == ["f"])
            expectError(ENOTDIR, .createDirectory) { try fileSystem.createDirectory(directory + "/d/f/g") }
            expectError(EEXIST, .createDirectory) { try fileSystem.createDirectory(directory + "/d/f") }
        }
    }

    @Test(arguments: Implementation.allCases)
    func listsNamesInOrder(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            #expect(try fileSystem.contents(ofDirectory: directory).isEmpty)
            let names = ["b", "0000000000000001.log", "LOCK", "a", "0000000000000010.log", ".hidden"]
            for name in names { _ = try fileSystem.openFile(directory + "/" + name, for: .create) }
            #expect(try fileSystem.contents(ofDirectory: directory) == names.sorted())
        }
    }

    @Test(arguments: Implementation.allCases)
    func reportsKinds(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            _ = try fileSystem.openFile(directory + "/file", for: .create)
            #expect(try fileSystem.kind(of: directory + "/file") == .file)
            #expect(try fileSystem.kind(of: directory) == .directory)
            #expect(try fileSystem.kind(of: directory + "/no") == nil)
            #expect(try fileSystem.kind(of: directory + "/no/no") == nil)
            expectError(ENOTDIR, .status) { _ = try fileSystem.kind(of: directory + "/file/x") }
        }
    }

    @Test(arguments: Implementation.allCases)
    func removes(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            try fileSystem.createDirectory(directory + "/d")
            _ = try fileSystem.openFile(directory + "/d/f", for: .create)
            expectError(ENOTEMPTY, .remove) { try fileSystem.remove(directory + "/d") }
            try fileSystem.remove(directory + "/d/f")
            try fileSystem.remove(directory + "/d")
            expectError(ENOENT, .remove) { try fileSystem.remove(directory + "/d") }
            #expect(try fileSystem.contents(ofDirectory: directory).isEmpty)
        }
    }

    @Test(arguments: Implementation.allCases)
    func renamesFiles(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            let (old, new) = (directory + "/old", directory + "/new")
            try fileSystem.openFile(old, for: .create).write("old")
            try fileSystem.rename(old, to: old)
            try fileSystem.rename(old, to: new)
            #expect(try fileSystem.contents(ofDirectory: directory) == ["new"])
            expectError(ENOENT, .rename) { try fileSystem.rename(old, to: new) }
            expectError(ENOENT, .rename) { try fileSystem.rename(new, to: directory + "/no/x") }
            // A file that has the new name already is replaced.
            try fileSystem.openFile(old, for: .create).write("replacement")
            try fileSystem.rename(old, to: new)
            #expect(try fileSystem.openFile(new, for: .read).text() == "replacement")
        }
    }

    @Test(arguments: Implementation.allCases)
    func filesReportWhetherTheyHaveAName(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            try fileSystem.createDirectory(directory + "/d")
            let (path, other) = (directory + "/d/file", directory + "/d/other")
            let file = try fileSystem.openFile(path, for: .create)
            #expect(try file.isLinked() && file.isAt(path))
            #expect(try !file.isAt(other) && !file.isAt(directory) && !file.isAt(directory + "/no/file"))
            try fileSystem.rename(path, to: other)
            #expect(try file.isLinked() && file.isAt(other) && !file.isAt(path))
            try fileSystem.rename(directory + "/d", to: directory + "/e")
            #expect(try file.isLinked() && file.isAt(directory + "/e/other") && !file.isAt(other))
            let same = try fileSystem.openFile(directory + "/e/other", for: .read)
            #expect(try same.isAt(directory + "/e/other"))
            let replacement = try fileSystem.openFile(directory + "/e/new", for: .create)
            try fileSystem.rename(directory + "/e/new", to: directory + "/e/other")
            #expect(try !file.isLinked() && !file.isAt(directory + "/e/other"))
            #expect(try replacement.isLinked() && replacement.isAt(directory + "/e/other"))
            try fileSystem.remove(directory + "/e/other")
            #expect(try !replacement.isLinked() && !replacement.isAt(directory + "/e/other"))
            try file.close()
            expectError(EBADF, .status) { _ = try file.isLinked() }
            expectError(EBADF, .status) { _ = try file.isAt(path) }
        }
    }

    @Test(arguments: Implementation.allCases)
    func renamesDirectories(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            try fileSystem.createDirectory(directory + "/a")
            try fileSystem.createDirectory(directory + "/b")
            _ = try fileSystem.openFile(directory + "/f", for: .create)
            _ = try fileSystem.openFile(directory + "/b/f", for: .create)
            expectError(ENOTEMPTY, .rename) { try fileSystem.rename(directory + "/a", to: directory + "/b") }
            expectError(EISDIR, .rename) { try fileSystem.rename(directory + "/f", to: directory + "/a") }
            expectError(ENOTDIR, .rename) { try fileSystem.rename(directory + "/a", to: directory + "/f") }
            expectError(EINVAL, .rename) { try fileSystem.rename(directory + "/b", to: directory + "/b/c") }
            try fileSystem.rename(directory + "/b", to: directory + "/a")
            #expect(try fileSystem.contents(ofDirectory: directory + "/a") == ["f"])
            #expect(try fileSystem.kind(of: directory + "/b") == nil)
        }
    }

    @Test(arguments: Implementation.allCases)
    func openFilesOutliveTheirNames(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            try fileSystem.openFile(directory + "/a", for: .create).write("first")
            let file = try fileSystem.openFile(directory + "/a", for: .read)
            try fileSystem.rename(directory + "/a", to: directory + "/b")
            #expect(try file.text() == "first")
            try fileSystem.openFile(directory + "/a", for: .create).write("second")
            try fileSystem.rename(directory + "/a", to: directory + "/b")
            #expect(try file.text() == "first")
            try fileSystem.remove(directory + "/b")
            #expect(try file.text() == "first")
        }
    }

    @Test(arguments: Implementation.allCases)
    func randomNumbersDiffer(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, _ in
            #expect(Set((0..<100).map { _ in fileSystem.randomUInt64() }).count == 100)
        }
    }
}
