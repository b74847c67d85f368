internal import HeartwoodConcurrency

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif
internal import CHeartwood
internal import Synchronization

/// A file of the operating system.
final class POSIXFile: File {
    let path: String
    private let descriptor: SharedDescriptor
    private let fileSystem: POSIXFileSystem
    /// False once the system has refused to read without waiting, which depends on the file system.
    private let canReadNow = Atomic(true)

    /// Takes ownership of `descriptor` and closes it.
    init(descriptor: Int32, path: String, in fileSystem: POSIXFileSystem) {
        self.descriptor = SharedDescriptor(descriptor)
        self.path = path
        self.fileSystem = fileSystem
    }

    func size() throws(FileSystemError) -> UInt64 {
        UInt64(try status().st_size)
    }

    func kindAndNames() throws(FileSystemError) -> (FileKind, names: UInt64) {
        let status = try status()
        return (FileKind(mode: status.st_mode), UInt64(status.st_nlink))
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        let position = try position(offset, .read)
        return try using(.read) { descriptor throws(FileSystemError) in
            let count = heartwood_read_at(descriptor, buffer.baseAddress, buffer.count, Int64(position))
            guard count >= 0 else { throw .current(.read, path) }
            return count
        }
    }

    func readNow(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int? {
        guard canReadNow.load(ordering: .relaxed) else { return nil }
        let position = try position(offset, .read)
        let count = try using(.read) { descriptor throws(FileSystemError) -> Int? in
            let count = heartwood_read_now(descriptor, buffer.baseAddress, buffer.count, Int64(position))
            if count >= 0 { return count }
            let error = FileSystemError.current(.read, path)
            switch error.code {
            case EAGAIN, EINTR: break
            case EOPNOTSUPP, ENOSYS: canReadNow.store(false, ordering: .relaxed)
            default: throw error
            }
            return nil
        }
        guard let count, count < buffer.count else { return count }
        // The file ends here, or only a part was in memory.
        return try offset + UInt64(count) >= size() ? count : nil
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        let position = try position(offset, .write)
        return try using(.write) { descriptor throws(FileSystemError) in
            let count = pwrite(descriptor, bytes.baseAddress, bytes.count, position)
            guard count >= 0 else { throw .current(.write, path) }
            return count
        }
    }

    func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError) {
        try using(.allocate) { descriptor throws(FileSystemError) in
            try check(heartwood_allocate(descriptor, offset, count), .allocate)
        }
    }

    func truncate(to size: UInt64) throws(FileSystemError) {
        let position = try position(size, .truncate)
        try using(.truncate) { descriptor throws(FileSystemError) in
            guard ftruncate(descriptor, position) == 0 else { throw .current(.truncate, path) }
        }
    }

    func sync(_ kind: SyncKind) throws(FileSystemError) {
        try using(.sync) { descriptor throws(FileSystemError) in
            try check(heartwood_sync(descriptor, kind == .data), .sync)
        }
    }

    func map(_ count: UInt64) throws(FileSystemError) -> (any FileMapping)? {
        guard let bytes = Int(exactly: count), bytes > 0 else { return nil }
        return try using(.read) { descriptor throws(FileSystemError) in
            guard let start = mmap(nil, bytes, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
                throw .current(.read, path)
            }
            return POSIXFileMapping(UnsafeRawBufferPointer(start: start, count: bytes))
        }
    }

    func mapForWriting(_ count: UInt64) throws(FileSystemError) -> (any WritableMapping)? {
        guard let bytes = Int(exactly: count), bytes > 0 else { return nil }
        return try using(.map) { descriptor throws(FileSystemError) in
            guard heartwood_keeps_in_place(descriptor) else { return nil }
            guard let start = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0), start != MAP_FAILED
            else { throw .current(.map, path) }
            return POSIXWritableMapping(UnsafeMutableRawBufferPointer(start: start, count: bytes), path: path)
        }
    }

    func startWriteback(from offset: UInt64, count: UInt64, waiting: Bool) {
        guard let number = descriptor.enter() else { return }
        heartwood_write_back(number, offset, count, waiting)
        descriptor.leave()
    }

    func forgetCache() {
        guard let number = descriptor.enter() else { return }
        heartwood_forget(number)
        descriptor.leave()
    }

    func isLinked() throws(FileSystemError) -> Bool {
        try using(.status) { descriptor throws(FileSystemError) in
            var count: UInt64 = 0
            let code = heartwood_link_count(descriptor, &count)
            guard code == 0 else { throw FileSystemError(operation: .status, path: path, code: code) }
            return count > 0
        }
    }

    func isAt(_ path: String) throws(FileSystemError) -> Bool {
        let own = try status()
        guard let found = try fileSystem.status(path) else { return false }
        return own.st_dev == found.st_dev && own.st_ino == found.st_ino
    }

    func nextData(from offset: UInt64) throws(FileSystemError) -> Range<UInt64>? {
        let position = try position(offset, .read)
        return try using(.read) { descriptor throws(FileSystemError) in
            var (start, end) = (Int64(position), Int64(position))
            let code = heartwood_next_data(descriptor, Int64(position), &start, &end)
            guard code == 0 else { throw FileSystemError(operation: .read, path: path, code: code) }
            return start < end ? UInt64(start)..<UInt64(end) : nil
        }
    }

    func close() throws(FileSystemError) {
        try check(descriptor.close(), .close)
    }

    private func status() throws(FileSystemError) -> stat {
        try using(.status) { descriptor throws(FileSystemError) in
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw .current(.status, path) }
            return status
        }
    }

    /// Keeps the descriptor open while `body` uses it.
    @inline(__always)
    private func using<R>(
        _ operation: FileSystemError.Operation, _ body: (Int32) throws(FileSystemError) -> R
    ) throws(FileSystemError) -> R {
        guard let number = descriptor.enter() else {
            throw FileSystemError(operation: operation, path: path, code: EBADF)
        }
        defer { descriptor.leave() }
        return try body(number)
    }

    /// Converts an offset. The system's offsets are signed.
    @inline(__always)
    private func position(
        _ offset: UInt64, _ operation: FileSystemError.Operation
    ) throws(FileSystemError) -> off_t {
        guard let position = off_t(exactly: offset) else {
            throw FileSystemError(operation: operation, path: path, code: EINVAL)
        }
        return position
    }

    private func check(_ error: Int32, _ operation: FileSystemError.Operation) throws(FileSystemError) {
        guard error == 0 else { throw FileSystemError(operation: operation, path: path, code: error) }
    }
}

/// A mapped file of the operating system. Its descriptor may be closed.
///
/// The invariant for `@unchecked Sendable`: the memory is only read, and is unmapped when the last reference is
/// released.
final class POSIXFileMapping: FileMapping, @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress!), bytes.count) }
}

/// A file of the operating system that is mapped for writing. Its descriptor may be closed.
///
/// The invariant for `@unchecked Sendable`: the address never changes, and the memory is unmapped when the last
/// reference is released. The users coordinate who stores where.
final class POSIXWritableMapping: WritableMapping, @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer
    private let path: String
    /// Everything up to this offset was released.
    private let released = Locked<UInt64>(0)

    init(_ memory: UnsafeMutableRawBufferPointer, path: String) {
        self.memory = memory
        self.path = path
    }

    deinit { munmap(memory.baseAddress!, memory.count) }

    func populate(_ range: Range<UInt64>) throws(FileSystemError) {
        let start = memory.baseAddress! + Int(range.lowerBound)
        let code = heartwood_populate(start, range.count)
        guard code == 0 else { throw FileSystemError(operation: .map, path: path, code: code) }
        // The result is ignored. If the limit allows no more locked pages, stores still work until the system reclaims
        // them.
        mlock(start, range.count)
    }

    func release(before end: UInt64) {
        released.withLock { released in
            let end = min(end & ~4095, UInt64(memory.count))
            guard released < end else { return }
            let start = memory.baseAddress! + Int(released)
            munlock(start, Int(end - released))
            madvise(start, Int(end - released), MADV_DONTNEED)
            released = end
        }
    }
}
