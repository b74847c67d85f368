import HeartwoodFileSystem
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The lock of a file.
@Suite struct LockTests {
    @Test(arguments: Implementation.allCases)
    func oneHoldsItAtATime(implementation: Implementation) throws {
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
            // Giving back twice must not give back what somebody else has taken since.
            lock.unlock()
            expectError(EWOULDBLOCK) { _ = try fileSystem.lock(path) }
            next.unlock()
        }
    }

    @Test(arguments: Implementation.allCases)
    func theLastReferenceGivesItBack(implementation: Implementation) throws {
        try implementation.withDirectory { fileSystem, directory in
            var lock: (any FileLock)? = try fileSystem.lock(directory + "/LOCK")
            expectError(EWOULDBLOCK) { _ = try fileSystem.lock(directory + "/LOCK") }
            #expect(lock != nil)
            lock = nil
            try fileSystem.lock(directory + "/LOCK").unlock()
        }
    }

    @Test(arguments: Implementation.allCases)
    func anOldHolderIsForgotten(implementation: Implementation) throws {
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

    @Test func ownInstancesOfTheSameFileSystemShareTheLock() throws {
        try withTemporaryDirectory { directory in
            let lock = try POSIXFileSystem().lock(directory + "/LOCK")
            expectError(EWOULDBLOCK) { _ = try POSIXFileSystem().lock(directory + "/LOCK") }
            lock.unlock()
        }
    }

    /// The system gives the lock back when a process dies with it in hand.
    @Test func aDeadProcessHoldsNoLock() async throws {
        var template = Array("/tmp/heartwood-tests-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!).map { String(cString: $0) } }
        let directory = try #require(made)
        let path = directory + "/LOCK"
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let lock = try POSIXFileSystem().lock(path)
            withExtendedLifetime(lock) { _ = kill(getpid(), SIGKILL) }
        }
        let holder = try POSIXFileSystem().openFile(path, for: .read).text()
        #expect(!holder.isEmpty && holder != "\(getpid())\n")
        try POSIXFileSystem().lock(path).unlock()
        try POSIXFileSystem().remove(path)
        try POSIXFileSystem().remove(directory)
    }
}
