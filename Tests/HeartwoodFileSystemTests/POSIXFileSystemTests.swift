import Foundation
import HeartwoodFileSystem
import Testing

/// What only a real operating system has: modes, descriptors, links.
@Suite struct POSIXFileSystemTests {
    private let fileSystem = POSIXFileSystem()

    @Test func onlyTheOwnerHasAccess() throws {
        try withTemporaryDirectory { directory in
            _ = try fileSystem.openFile(directory + "/file", for: .create)
            try fileSystem.createDirectory(directory + "/directory")
            try fileSystem.lock(directory + "/LOCK").unlock()
            #expect(try status(directory + "/file").st_mode & 0o7777 == 0o600)
            #expect(try status(directory + "/LOCK").st_mode & 0o7777 == 0o600)
            #expect(try status(directory + "/directory").st_mode & 0o7777 == 0o700)
        }
    }

    @Test func onlyRegularFilesAreOpened() throws {
        try withTemporaryDirectory { directory in
            let (pipe, link, target) = (directory + "/pipe", directory + "/link", directory + "/target")
            #expect(mkfifo(pipe, 0o600) == 0)
            try fileSystem.openFile(target, for: .create).write("precious")
            #expect(symlink(target, link) == 0)
            // Opening must not wait for the other end of the pipe.
            for access in [FileAccess.read, .readWrite] {
                let error = expectError(ENXIO, .open) { _ = try fileSystem.openFile(pipe, for: access) }
                #expect(error?.isNoRegularFile == true)
            }
            #expect(expectError(ENXIO, .lock) { _ = try fileSystem.lock(pipe) }?.isNoRegularFile == true)
            #expect(expectError(ELOOP, .lock) { _ = try fileSystem.lock(link) }?.isNoRegularFile == true)
            #expect(try fileSystem.openFile(link, for: .read).text() == "precious")
            #expect(try descriptors(of: pipe).isEmpty)
        }
    }

    @Test func descriptorsAreClosedByExec() throws {
        try withTemporaryDirectory { directory in
            let created = try fileSystem.openFile(directory + "/file", for: .create)
            let reader = try fileSystem.openFile(directory + "/file", for: .read)
            let writer = try fileSystem.openFile(directory + "/file", for: .readWrite)
            let lock = try fileSystem.lock(directory + "/LOCK")
            try withExtendedLifetime((created, reader, writer, lock)) {
                #expect(try descriptors(of: directory + "/file").count == 3)
                #expect(try descriptors(of: directory + "/LOCK").count == 1)
                let all = try descriptors(of: directory + "/file") + descriptors(of: directory + "/LOCK")
                for descriptor in all {
                    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
                }
            }
        }
    }

    @Test func descriptorsAreReleased() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/file"
            var file: (any File)? = try fileSystem.openFile(path, for: .create)
            #expect(try descriptors(of: path).count == 1)
            try file?.close()
            #expect(try descriptors(of: path).isEmpty)
            file = try fileSystem.openFile(path, for: .read)
            #expect(try descriptors(of: path).count == 1)
            #expect(file != nil)
            file = nil
            #expect(try descriptors(of: path).isEmpty)
            expectError(EISDIR) { _ = try fileSystem.openFile(directory, for: .read) }
            #expect(try descriptors(of: directory).isEmpty)
        }
    }

    @Test func theLastUserClosesTheDescriptor() throws {
        let number = open("/", O_RDONLY | O_CLOEXEC)
        // A high number: no other test gets it by accident meanwhile.
        let high = fcntl(number, F_DUPFD_CLOEXEC, 200)
        try #require(close(number) == 0 && high >= 200)
        let descriptor = SharedDescriptor(high)
        #expect(descriptor.enter() == high)
        #expect(descriptor.enter() == high)
        #expect(descriptor.close() == 0)
        #expect(descriptor.enter() == nil)
        descriptor.leave()
        #expect(fcntl(high, F_GETFD) >= 0)
        descriptor.leave()
        #expect(fcntl(high, F_GETFD) == -1)
        // After the close, the number belongs to the next file that is opened.
        let other = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, high)
        try #require(other == high)
        #expect(descriptor.enter() == nil)
        #expect(descriptor.close() == 0)
        #expect(fcntl(high, F_GETFD) >= 0)
        close(other)
    }

    @Test func otherKindsAndLinks() throws {
        try withTemporaryDirectory { directory in
            #expect(mkfifo(directory + "/pipe", 0o600) == 0)
            #expect(symlink("nowhere", directory + "/dangling") == 0)
            #expect(symlink(".", directory + "/link") == 0)
            #expect(try fileSystem.kind(of: directory + "/pipe") == .other)
            #expect(try fileSystem.kind(of: directory + "/dangling") == nil)
            #expect(try fileSystem.kind(of: directory + "/link") == .directory)
            // This removes the link, not its target.
            try fileSystem.remove(directory + "/link")
            #expect(try fileSystem.contents(ofDirectory: directory) == ["dangling", "pipe"])
        }
    }

    private func status(_ path: String) throws -> stat {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status
    }

    /// The open descriptors of this process for a file.
    private func descriptors(of path: String) throws -> [Int32] {
        let wanted = try status(path)
        let all = try FileManager.default.contentsOfDirectory(atPath: "/dev/fd").compactMap { Int32($0) }
        return all.filter { descriptor in
            var status = stat()
            return fstat(descriptor, &status) == 0 && status.st_ino == wanted.st_ino && status.st_dev == wanted.st_dev
        }
    }
}
