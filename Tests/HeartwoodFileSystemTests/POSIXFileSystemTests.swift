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

    /// Neither a link on the way that is changed, nor another directory that takes the name, leads elsewhere.
    @Test func aBoundDirectoryStaysTheSame() throws {
        try withTemporaryDirectory { directory in
            for name in ["one", "two", "one/store", "two/store"] {
                try fileSystem.createDirectory(directory + "/" + name)
            }
            #expect(symlink("one", directory + "/way") == 0)
            let path = directory + "/way/store"
            let bound = try fileSystem.bound(to: path)
            let file = try bound.openFile(path + "/file", for: .create)
            try file.write("first")
            try fileSystem.remove(directory + "/way")
            #expect(symlink("two", directory + "/way") == 0)
            try fileSystem.rename(directory + "/one/store", to: directory + "/moved")
            try fileSystem.createDirectory(directory + "/one/store")

            #expect(try bound.openFile(path + "/file", for: .read).text() == "first")
            #expect(try file.isLinked() && file.isAt(path + "/file"))
            try bound.rename(path + "/file", to: path + "/renamed")
            #expect(try file.isAt(path + "/renamed") && !file.isAt(path + "/file"))
            try bound.createDirectory(path + "/directory")
            #expect(try bound.kind(of: path) == .directory && bound.kind(of: path + "/directory") == .directory)
            #expect(try bound.kind(of: path + "/file") == nil)
            #expect(try bound.contents(ofDirectory: path) == ["directory", "renamed"])
            #expect(try bound.contents(ofDirectory: path + "/") == ["directory", "renamed"])
            try bound.syncDirectory(path)
            try bound.remove(path + "/directory")
            let lock = try bound.lock(path + "/LOCK")
            #expect(expectError(EWOULDBLOCK) { _ = try bound.lock(path + "/LOCK") }?.path == path + "/LOCK")
            #expect(bound.availableBytes(at: path) != nil)
            #expect(try fileSystem.contents(ofDirectory: directory + "/moved") == ["LOCK", "renamed"])
            for other in ["/one/store", "/two/store"] {
                #expect(try fileSystem.contents(ofDirectory: directory + other).isEmpty)
            }
            // Only whole names lead into it; all other paths are as before.
            try fileSystem.createDirectory(path + "2")
            #expect(try bound.contents(ofDirectory: path + "2").isEmpty)
            #expect(try bound.contents(ofDirectory: directory + "/two") == ["store", "store2"])
            try bound.rename(path + "/renamed", to: path + "2/out")
            #expect(try fileSystem.openFile(directory + "/two/store2/out", for: .read).text() == "first")
            let error = expectError(ENOENT, .rename) { try bound.rename(path + "/none", to: path + "2/none") }
            #expect(error?.path == path + "/none")

            // A binding of its own, as a feed has.
            let again = try bound.bound(to: path)
            bound.unbind()
            bound.unbind()
            expectError(EBADF, .open) { _ = try bound.openFile(path + "/LOCK", for: .read) }
            expectError(EBADF, .list) { _ = try bound.bound(to: path) }
            #expect(try again.contents(ofDirectory: path) == ["LOCK"])
            #expect(try descriptors(of: directory + "/moved").count == 1)
            for descriptor in try descriptors(of: directory + "/moved") {
                #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
            }
            #expect(try file.text() == "first")
            lock.unlock()
            expectError(ENOTDIR, .list) { _ = try fileSystem.bound(to: directory + "/two/store2/out") }
            expectError(ENOENT, .list) { _ = try fileSystem.bound(to: directory + "/none") }
        }
    }

    /// In a process of its own, whose working directory changes.
    @Test func relativePathsCanBeBound() async {
        await #expect(processExitsWith: .success) {
            try withTemporaryDirectory { directory in
                let fileSystem = POSIXFileSystem()
                #expect(chdir(directory) == 0)
                try fileSystem.createDirectory("store")
                let (store, here) = (try fileSystem.bound(to: "store"), try fileSystem.bound(to: "."))
                #expect(chdir("/") == 0)
                try store.openFile("store/file", for: .create).write("x")
                #expect(try here.contents(ofDirectory: "store") == ["file"])
                #expect(try here.openFile("store/file", for: .read).isAt("store/file"))
                #expect(try here.kind(of: directory) == .directory)
                #expect(try fileSystem.kind(of: "store") == nil)
            }
        }
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
