import Foundation
import HeartwoodConcurrency
import HeartwoodFileSystem
import Testing

/// The loops around system calls that transfer less than asked, against a file that follows a script.
@Suite struct FileLoopTests {
    @Test func readsContinueAfterShortAndInterruptedReads() throws {
        let file = ScriptedFile("0123456789", [.atMost(3), .fails(EINTR), .fails(EINTR), .atMost(1)])
        #expect(try file.bytes(8, at: 1) == Array("12345678".utf8))
        #expect(file.calls == [.read(1, 8), .read(4, 5), .read(4, 5), .read(4, 5), .read(5, 4)])
    }

    @Test func readsStopAtTheEnd() throws {
        let file = ScriptedFile("0123", [.atMost(2)])
        #expect(try file.bytes(8) == Array("0123".utf8))
        #expect(file.calls == [.read(0, 8), .read(2, 6), .read(4, 4)])
    }

    @Test func readsReportErrors() throws {
        let file = ScriptedFile("0123", [.atMost(2), .fails(EIO)])
        expectError(EIO, .read) { _ = try file.bytes(4) }
    }

    @Test func writesContinueAfterShortAndInterruptedWrites() throws {
        let file = ScriptedFile("", [.fails(EINTR), .atMost(2), .fails(EINTR), .atMost(3)])
        try file.write("abcdefgh", at: 1)
        #expect(file.text == "\0abcdefgh")
        #expect(file.calls == [.write(1, 8), .write(1, 8), .write(3, 6), .write(3, 6), .write(6, 3)])
    }

    @Test func writesOfNothingAreErrors() throws {
        let file = ScriptedFile("", [.atMost(2), .atMost(0)])
        expectError(EIO, .write) { try file.write("abcd") }
        #expect(file.calls.count == 2)
    }

    @Test func writesReportErrors() throws {
        let file = ScriptedFile("", [.atMost(2), .fails(ENOSPC)])
        let error = expectError(ENOSPC, .write) { try file.write("abcd") }
        #expect(error?.isOutOfSpace == true)
    }

    @Test func emptyTransfersMakeNoCalls() throws {
        let file = ScriptedFile("", [])
        try file.write("")
        try file.zero(from: 0, count: 0)
        try file.allocateFully(0, at: 0)
        #expect(try file.bytes(0).isEmpty)
        #expect(file.calls.isEmpty)
    }

    /// The memory is reserved but never touched, so it costs nothing.
    @Test func transfersAreLimitedToOneGiB() throws {
        let count = (1 << 30) + 5
        let memory: UnsafeMutableRawPointer? = mmap(
            nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON | MAP_NORESERVE, -1, 0)
        try #require(memory != MAP_FAILED)
        let buffer = UnsafeMutableRawBufferPointer(start: memory, count: count)
        defer { munmap(memory, count) }
        let file = ScriptedFile("", [.pretends, .pretends])
        try file.writeFully(UnsafeRawBufferPointer(buffer), at: 7)
        #expect(file.calls == [.write(7, 1 << 30), .write(7 + (1 << 30), 5)])
        let reader = ScriptedFile("", [.pretends, .pretends])
        #expect(try reader.readFully(into: buffer, at: 7) == count)
        #expect(reader.calls == [.read(7, 1 << 30), .read(7 + (1 << 30), 5)])
    }

    @Test func zerosAreWrittenInBlocks() throws {
        let file = ScriptedFile("abc", [])
        try file.zero(from: 1, count: 300_000)
        #expect(file.calls == [.write(1, 262_144), .write(262_145, 37_856)])
        #expect(file.content == [UInt8(ascii: "a")] + [UInt8](repeating: 0, count: 300_000))
    }

    @Test func allocationIsRetriedWhenInterrupted() throws {
        let file = ScriptedFile("", [.fails(EINTR), .fails(EINTR)])
        try file.allocateFully(10, at: 0)
        #expect(file.calls == [.allocate(0, 10), .allocate(0, 10), .allocate(0, 10)])
    }

    @Test(arguments: [EOPNOTSUPP, ENOTSUP, ENOSYS, EINVAL])
    func allocationFallsBackToZeros(code: Int32) throws {
        let file = ScriptedFile("abcdef", [.fails(code)])
        try file.allocateFully(10, at: 2)
        #expect(file.calls == [.allocate(2, 10), .write(6, 6)])
        #expect(file.text == "abcdef\0\0\0\0\0\0")
        let inside = ScriptedFile("abcdef", [.fails(code)])
        try inside.allocateFully(2, at: 1)
        #expect(inside.text == "abcdef")
    }

    @Test func allocationReportsAFullDisk() throws {
        let file = ScriptedFile("", [.fails(ENOSPC)])
        expectError(ENOSPC, .allocate) { try file.allocateFully(10, at: 0) }
        #expect(file.calls == [.allocate(0, 10)])
        let zeroed = ScriptedFile("", [.fails(EOPNOTSUPP), .fails(ENOSPC)])
        expectError(ENOSPC, .write) { try zeroed.allocateFully(10, at: 0) }
    }

    /// A file that can't tell whether it would have to wait isn't asked.
    @Test func byDefaultNothingIsReadWithoutWaiting() throws {
        let file = ScriptedFile("0123", [])
        var buffer: [UInt8] = [0, 0]
        #expect(try buffer.withUnsafeMutableBytes { try file.readNow(into: $0, at: 0) } == nil)
        #expect(file.calls == [])
    }
}

/// A file whose calls follow a script, and succeed after its end.
private final class ScriptedFile: File {
    enum Step: Sendable {
        case fails(Int32)
        case atMost(Int)
        /// Reports success and moves no bytes.
        case pretends
    }

    enum Call: Hashable, Sendable {
        case read(UInt64, Int)
        case write(UInt64, Int)
        case allocate(UInt64, UInt64)
    }

    private struct State {
        var content: [UInt8]
        var script: [Step]
        var calls: [Call] = []
    }

    let path = "scripted"
    private let state: Locked<State>

    init(_ text: String, _ script: [Step]) {
        state = Locked(State(content: Array(text.utf8), script: script))
    }

    var calls: [Call] { state.withLock { $0.calls } }
    var content: [UInt8] { state.withLock { $0.content } }
    var text: String { String(decoding: content, as: UTF8.self) }

    func size() throws(FileSystemError) -> UInt64 { UInt64(content.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        switch next(.read(offset, buffer.count)) {
        case .fails(let code): throw FileSystemError(operation: .read, path: path, code: code)
        case .pretends: return buffer.count
        case .atMost(let limit):
            let rest = content.dropFirst(Int(offset)).prefix(min(limit, buffer.count))
            buffer.copyBytes(from: rest)
            return rest.count
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        switch next(.write(offset, bytes.count)) {
        case .fails(let code): throw FileSystemError(operation: .write, path: path, code: code)
        case .pretends: return bytes.count
        case .atMost(let limit):
            let taken = bytes.prefix(limit)
            state.withLock { state in
                let end = Int(offset) + taken.count
                if state.content.count < end {
                    state.content += [UInt8](repeating: 0, count: end - state.content.count)
                }
                state.content.replaceSubrange(Int(offset)..<end, with: taken)
            }
            return taken.count
        }
    }

    func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError) {
        if case .fails(let code) = next(.allocate(offset, count)) {
            throw FileSystemError(operation: .allocate, path: path, code: code)
        }
    }

    func truncate(to size: UInt64) throws(FileSystemError) {}
    func sync(_ kind: SyncKind) throws(FileSystemError) {}
    func close() throws(FileSystemError) {}

    private func next(_ call: Call) -> Step {
        state.withLock { state in
            state.calls.append(call)
            return state.script.isEmpty ? .atMost(.max) : state.script.removeFirst()
        }
    }
}
