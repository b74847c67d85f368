import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@Suite struct ScriptedFaultTests {
    private let disk = SimulatedDisk()
    private let error = Fault.Effect.error(ErrorNumber.EIO)

    /// The numbers of the syncs that fail, out of ten on a new disk.
    private func failingSyncs(_ faults: Fault...) throws -> [Int] {
        let disk = SimulatedDisk()
        let file = try disk.make("/f.log")
        for fault in faults { disk.inject(fault) }
        return (1...10).filter { _ in (try? file.sync(.data)) == nil }
    }

    @Test func failsTheNthCallOnceOrFromThenOn() throws {
        #expect(try failingSyncs(Fault(.sync, error)) == [1])
        #expect(try failingSyncs(Fault(.sync, error, at: 3)) == [3])
        #expect(try failingSyncs(Fault(.sync, error, at: 3, times: 2)) == [3, 4])
        #expect(try failingSyncs(Fault(.sync, error, at: 8, times: .max)) == [8, 9, 10])
        #expect(try failingSyncs(Fault(.sync, error, at: .max, times: .max)) == [])
        #expect(try failingSyncs(Fault(.sync, error, times: 0)) == [])
        #expect(try failingSyncs(Fault(.sync, error, at: 0)) == [1])
    }

    @Test func choosesByKindAndByPath() throws {
        #expect(try failingSyncs(Fault(.write, error, times: .max)) == [])
        #expect(try failingSyncs(Fault([.write, .sync], error)) == [1])
        #expect(try failingSyncs(Fault([], error, at: 2)) == [2])
        #expect(try failingSyncs(Fault(.sync, error, path: ".log")) == [1])
        #expect(try failingSyncs(Fault(.sync, error, path: ".tmp", times: .max)) == [])
    }

    /// A file that was opened as a temporary file and renamed has its new name, in the trace too.
    @Test func openFileHasItsCurrentName() throws {
        try disk.createDirectory("/d")
        let file = try disk.make("/d/new.tmp")
        try disk.rename("/d/new.tmp", to: "/d/1.log")
        try disk.rename("/d", to: "/e")
        disk.inject(Fault(.sync, .error(ErrorNumber.EIO), path: ".log"))
        expectError(ErrorNumber.EIO) { try file.sync(.data) }
        #expect(disk.injected.map(\.path) == ["/e/1.log"])
        let other = try disk.make("/other")
        try disk.rename("/other", to: "/e/1.log")
        try file.sync(.data)
        try other.sync(.data)
        #expect(disk.trace.calls.suffix(2).map(\.path) == ["/d/new.tmp", "/e/1.log"])
    }

    @Test func eachFaultCountsItsOwnCalls() throws {
        #expect(try failingSyncs(Fault(.sync, error, at: 2), Fault(.sync, error, at: 4)) == [2, 4])
        #expect(try failingSyncs(Fault(.sync, error, at: 2), Fault([], error, at: 2, times: 2)) == [2, 3])
    }

    @Test(arguments: [
        ErrorNumber.EIO, ErrorNumber.ENOSPC, ErrorNumber.EDQUOT, ErrorNumber.EINTR, ErrorNumber.EMFILE,
    ])
    func givesTheErrorThatWasAskedFor(code: Int32) throws {
        disk.inject(Fault(.open, .error(code)))
        expectError(code, .open) { try disk.make("/f") }
        #expect(try disk.kind(of: "/f") == nil)
        let failed = try #require(disk.injected.first)
        #expect(disk.injected.count == 1)
        #expect(failed.failure == code && failed.isInjected && failed.operation == .open && failed.path == "/f")
    }

    @Test func healingEndsFaults() throws {
        disk.inject(Fault([], .error(ErrorNumber.EIO), times: .max))
        disk.inject(RandomFaults(oneIn: 1))
        expectError(ErrorNumber.EIO) { try disk.make("/f") }
        disk.heal()
        try disk.make("/f", [1])
    }

    @Test func shortReadsAndWrites() throws {
        let file = try disk.make("/f")
        disk.inject(Fault([.read, .write], .short(2), times: .max))
        #expect(try [1, 2, 3].withUnsafeBytes { try file.write($0, at: 0) } == 2)
        #expect(try file.size() == 2)
        try file.write([1, 2, 3, 4, 5])
        var buffer = [UInt8](repeating: 9, count: 5)
        #expect(try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: 0) } == 2)
        // Bytes that were not read are unchanged.
        #expect(buffer == [1, 2, 9, 9, 9])
        #expect(try file.bytes() == [1, 2, 3, 4, 5])
        #expect(try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: 5) } == 0)
        #expect(try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: 4) } == 1)
    }

    @Test func aShortCallTransfersAtLeastOneByte() throws {
        let file = try disk.make("/f", [1, 2])
        disk.inject(Fault([], .short(0), times: .max))
        #expect(try [7, 8].withUnsafeBytes { try file.write($0, at: 0) } == 1)
        #expect(try file.bytes() == [7, 2])
        try file.sync(.data)
    }

    @Test func halfOfAWriteIsDoneWithItsError() throws {
        let file = try disk.make("/f")
        disk.inject(Fault(.write, .errorHalfway(ErrorNumber.EIO), times: 2))
        expectError(ErrorNumber.EIO, .write) { try file.write([1, 2, 3, 4]) }
        #expect(try file.bytes() == [1, 2])
        expectError(ErrorNumber.EIO, .write) { try file.write([9]) }
        #expect(try file.bytes() == [1, 2])
    }

    @Test func aCallThatFailsDoesNothing() throws {
        let file = try disk.makeDurably("/f", [1, 2])
        let before = disk.image
        var buffer: [UInt8] = [0]
        disk.inject(Fault([], .error(ErrorNumber.EIO), times: .max))
        expectError(ErrorNumber.EIO, .write) { try file.write([9]) }
        expectError(ErrorNumber.EIO, .truncate) { try file.truncate(to: 0) }
        expectError(ErrorNumber.EIO, .allocate) { try file.allocate(9, at: 0) }
        expectError(ErrorNumber.EIO, .read) {
            _ = try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        }
        expectError(ErrorNumber.EIO, .status) { _ = try file.size() }
        expectError(ErrorNumber.EIO, .rename) { try disk.rename("/f", to: "/g") }
        expectError(ErrorNumber.EIO, .remove) { try disk.remove("/f") }
        expectError(ErrorNumber.EIO, .createDirectory) { try disk.createDirectory("/d") }
        expectError(ErrorNumber.EIO, .list) { _ = try disk.contents(ofDirectory: "/") }
        expectError(ErrorNumber.EIO, .status) { _ = try disk.kind(of: "/f") }
        expectError(ErrorNumber.EIO, .lock) { _ = try disk.lock("/LOCK") }
        expectError(ErrorNumber.EIO, .syncDirectory) { try disk.syncDirectory("/") }
        expectError(ErrorNumber.EIO, .sync) { try file.sync(.data) }
        #expect(disk.image == before)
        #expect(disk.crash().image == before)
        disk.heal()
        _ = try disk.lock("/LOCK")
    }

    @Test func aCallThatFailsAfterwardsHasItsWholeEffect() throws {
        let file = try disk.makeDurably("/f", [1, 2])
        disk.inject(Fault([], .errorAfterwards(ErrorNumber.EIO), times: .max))
        expectError(ErrorNumber.EIO, .write) { try file.write([9]) }
        expectError(ErrorNumber.EIO, .allocate) { try file.allocate(3, at: 0) }
        expectError(ErrorNumber.EIO, .sync) { try file.sync(.data) }
        expectError(ErrorNumber.EIO, .createDirectory) { try disk.createDirectory("/d") }
        expectError(ErrorNumber.EIO, .rename) { try disk.rename("/f", to: "/d/f") }
        expectError(ErrorNumber.EIO, .open) { _ = try disk.openFile("/new", for: .create) }
        expectError(ErrorNumber.EIO, .syncDirectory) { try disk.syncDirectory("/") }
        expectError(ErrorNumber.EIO, .lock) { _ = try disk.lock("/LOCK") }
        disk.heal()
        #expect(disk.crash().image.files == ["/d/f", "/new"])
        #expect(disk.crash().image[path: "/d/f"] == [9, 2, 0])
        // The lock file exists, and no process holds the lock.
        #expect(try disk.contents(ofDirectory: "/") == ["LOCK", "d", "new"])
        _ = try disk.lock("/LOCK")
    }

    @Test func closingThatFailsHasClosed() throws {
        let file = try disk.make("/f", [1])
        disk.inject(Fault(.close, .error(ErrorNumber.EIO), times: .max))
        expectError(ErrorNumber.EIO, .close) { try file.close() }
        // The second close makes no call, so none can fail.
        try file.close()
        expectError(ErrorNumber.EBADF) { _ = try file.size() }
        #expect(disk.trace.calls.filter { $0.operation == .close }.count == 1)
    }

    @Test func refusedLockIsACallThatFailed() throws {
        let lock = try disk.lock("/LOCK")
        expectError(ErrorNumber.EWOULDBLOCK, .lock) { _ = try disk.lock("/LOCK") }
        let call = try #require(disk.trace.calls.last)
        #expect(call.failure == ErrorNumber.EWOULDBLOCK && !call.isInjected)
        lock.unlock()
        _ = try disk.lock("/LOCK")
    }

    @Test func isDescribed() {
        let faults = [
            Fault(.sync, .error(5), path: ".log", at: 3), Fault([.write, .allocate], .error(28), times: .max),
            Fault([], .short(7), at: 2, times: 4),
        ]
        #expect(
            faults.map(\.description) == [
                "sync of *.log, call 3: error(5)", "allocate, write of *, from call 1 on: error(28)",
                "any of *, 4 from call 2 on: short(7)",
            ])
    }
}
