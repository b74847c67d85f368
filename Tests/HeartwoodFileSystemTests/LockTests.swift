import Foundation
import HeartwoodFileSystem
import Testing

@Suite struct LockTests {
    @Test(arguments: Implementation.allCases)
    func oneHolderAtATime(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            let path = directory + "/LOCK"
            let lock = try fileSystem.lock(path)
            #expect(try fileSystem.openFile(path, for: .read).text() == "\(getpid())\n")
            let error = expectError(EWOULDBLOCK, .lock) { _ = try fileSystem.lock(path) }
            #expect(error?.isLocked == true)
            #expect(error?.lockHolder == getpid())
            #expect(error?.isLockedByThisProcess == true)
            #expect(error.map { "\($0)".contains("held by this process") } == true)
            lock.unlock()
            #expect(try fileSystem.kind(of: path) == .file)
            let next = try fileSystem.lock(path)
            // A second unlock must not release a lock that was taken in between.
            lock.unlock()
            expectError(EWOULDBLOCK) { _ = try fileSystem.lock(path) }
            next.unlock()
        }
    }

    @Test(arguments: Implementation.allCases)
    func theLastReferenceReleasesIt(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            var lock: (any FileLock)? = try fileSystem.lock(directory + "/LOCK")
            expectError(EWOULDBLOCK) { _ = try fileSystem.lock(directory + "/LOCK") }
            #expect(lock != nil)
            lock = nil
            try fileSystem.lock(directory + "/LOCK").unlock()
        }
    }

    @Test(arguments: Implementation.allCases)
    func anOldHolderIsOverwritten(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            try fileSystem.openFile(directory + "/LOCK", for: .create).write("1234567890 and more\n")
            let lock = try fileSystem.lock(directory + "/LOCK")
            #expect(try fileSystem.openFile(directory + "/LOCK", for: .read).text() == "\(getpid())\n")
            lock.unlock()
        }
    }

    @Test(arguments: Implementation.allCases)
    func aHolderThatIsNotNamedIsNotInvented(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            let lock = try fileSystem.lock(directory + "/LOCK")
            for text in ["", "12", "twelve\n", "99999999999999999999\n"] {
                let file = try fileSystem.openFile(directory + "/LOCK", for: .readWrite)
                try file.truncate(to: 0)
                try file.write(text)
                let error = expectError(EWOULDBLOCK) { _ = try fileSystem.lock(directory + "/LOCK") }
                #expect(error?.lockHolder == nil)
            }
            lock.unlock()
        }
    }

    /// A shell takes the lock, names itself, starts a child that inherits the descriptor, and ends.
    @Test func aChildThatInheritedTheLockIsNotTakenForItsParent() throws {
        try withTemporaryDirectory { directory in
            let path = directory + "/LOCK"
            guard try shell("command -v flock").isEmpty == false else { return }
            let pids = try shell("exec 9<>'\(path)'; flock -n 9 && echo $$ >&9; sleep 600 <&- >&- & echo $$ $!")
                .split(separator: " ").compactMap { Int32($0) }
            try #require(pids.count == 2)
            defer { kill(pids[1], SIGKILL) }
            let error = expectError(EWOULDBLOCK, .lock) { _ = try POSIXFileSystem().lock(path) }
            #expect(error?.lockHolder == pids[0])
            #expect(error?.isLockHolderMissing == true)
            #expect(error.map { "\($0)".contains("a child that process \(pids[0]) has forked") } == true)
        }
    }

    /// The output of a shell, without the last line end. Not by `Process`, whose children the monitor of exit tests
    /// takes.
    private func shell(_ script: String) throws -> String {
        let stream = try #require(popen(script, "r"))
        defer { pclose(stream) }
        var output: [UInt8] = []
        while true {
            let byte = getc(stream)
            if byte == EOF { break }
            output.append(UInt8(truncatingIfNeeded: byte))
        }
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func ownInstancesOfTheSameFileSystemShareTheLock() throws {
        try withTemporaryDirectory { directory in
            let lock = try POSIXFileSystem().lock(directory + "/LOCK")
            expectError(EWOULDBLOCK) { _ = try POSIXFileSystem().lock(directory + "/LOCK") }
            lock.unlock()
        }
    }

    /// The system releases the lock when the process that holds it dies.
    @Test func aDeadProcessHoldsNoLock() async throws {
        let directory = try makeTemporaryDirectory()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let path = directory + "/LOCK"
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let lock = try POSIXFileSystem().lock(path)
            withExtendedLifetime(lock) { _ = kill(getpid(), SIGKILL) }
        }
        let holder = try POSIXFileSystem().openFile(path, for: .read).text()
        #expect(!holder.isEmpty && holder != "\(getpid())\n")
        try POSIXFileSystem().lock(path).unlock()
    }
}
