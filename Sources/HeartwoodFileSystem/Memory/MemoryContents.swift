internal import HeartwoodConcurrency

/// The bytes of a file in memory. They live while the file has a name or is open.
///
/// One lock guards them, also for readers: a copy takes less time than a read-write lock would save.
final class MemoryContents: Sendable {
    private struct State {
        var bytes = MemoryPages()
        var isLocked = false
        var isLinked = true
    }

    private let state = Locked(State())

    var size: UInt64 {
        state.withLock { state in state.bytes.size }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        state.withLock { state in state.bytes.read(into: buffer, at: offset) }
    }

    /// The end of the bytes must fit in `Int64`; `MemoryFile` checks that.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) {
        state.withLock { state in state.bytes.write(bytes, at: offset) }
    }

    /// Whether the file still has a name.
    var isLinked: Bool { state.withLock { state in state.isLinked } }

    /// Notes that the file's name was removed or given to another file.
    func unlink() { state.withLock { state in state.isLinked = false } }

    func extend(to size: UInt64) {
        state.withLock { state in
            if size > state.bytes.size { state.bytes.resize(to: size) }
        }
    }

    func resize(to size: UInt64) {
        state.withLock { state in state.bytes.resize(to: size) }
    }

    func nextData(from offset: UInt64) -> Range<UInt64>? {
        state.withLock { state in state.bytes.nextData(from: offset) }
    }

    /// Takes the lock unless it is held, and writes the holder into the file.
    func tryLock(holder: Int32) -> Bool {
        state.withLock { state in
            guard !state.isLocked else { return false }
            state.isLocked = true
            let text = Array("\(holder)\n".utf8)
            state.bytes.resize(to: 0)
            text.withUnsafeBytes { state.bytes.write($0, at: 0) }
            return true
        }
    }

    func unlock() {
        state.withLock { state in state.isLocked = false }
    }

    /// The process that the file names.
    var lockHolder: Int32? {
        var text = [UInt8](repeating: 0, count: 32)
        let count = text.withUnsafeMutableBytes { read(into: $0, at: 0) }
        return LockFileText.holder(in: text.prefix(count))
    }
}
