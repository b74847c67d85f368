internal import HeartwoodConcurrency
internal import HeartwoodFileSystem

/// An open file of a ``SimulatedDisk``.
final class SimulatedFile: File {
    let path: String
    private let node: DiskState.Node
    private let isWritable: Bool
    private let disk: SimulatedDisk
    private let isClosed = Locked(false)

    init(path: String, node: DiskState.Node, isWritable: Bool, disk: SimulatedDisk) {
        self.path = path
        self.node = node
        self.isWritable = isWritable
        self.disk = disk
    }

    deinit { release() }

    func size() throws(FileSystemError) -> UInt64 {
        try disk.perform(.status, path, of: node) { state throws(FileSystemError) in
            try checkOpen(.status)
            return Outcome(state.disk.files[node]!.cache.size)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try disk.perform(.read, path, of: node) { state throws(FileSystemError) in
            try checkOpen(.read)
            guard offset <= UInt64(Int64.max) else { throw error(.read, ErrorNumber.EINVAL) }
            let size = state.disk.files[node]!.cache.size
            let count = Int(min(UInt64(buffer.count), size - min(offset, size)))
            return Outcome(count, partial: Outcome.Partial(count: count) { ($0, .none) })
        } then: { state, count in
            // Exposes exactly `count` bytes, so that code that ignores a short read fails.
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            _ = state.disk.files[node]!.cache.read(into: part, at: offset)
        }
    }

    /// Reads at once, with the calls, faults and traces of ``readFully(into:at:)``.
    func readNow(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int? {
        try readFully(into: buffer, at: offset)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(FileSystemError) -> Int {
        try disk.perform(.write, path, of: node) { state throws(FileSystemError) in
            try checkWritable(.write, ErrorNumber.EBADF)
            try checkOffset(offset, .write)
            guard !bytes.isEmpty else { return Outcome(0) }
            try checkEnd(offset, UInt64(bytes.count), .write, limit: SimulatedDisk.largestFile)
            let end = state.endOfSpace(for: node, offset..<(offset + UInt64(bytes.count)))
            guard end > offset else { throw error(.write, ErrorNumber.ENOSPC) }
            let write = { (count: Int) -> (Int, DiskEffect) in
                let part = UnsafeRawBufferPointer(rebasing: bytes[..<count])
                return (count, part.isEmpty ? .none : .write(self.node, offset, Payload(part)))
            }
            let (count, effect) = write(Int(end - offset))
            return Outcome(count, effect, partial: Outcome.Partial(count: count, of: write))
        }
    }

    func allocate(_ count: UInt64, at offset: UInt64) throws(FileSystemError) {
        try disk.perform(.allocate, path, of: node) { state throws(FileSystemError) in
            try checkWritable(.allocate, ErrorNumber.EBADF)
            guard count > 0 else { throw error(.allocate, ErrorNumber.EINVAL) }
            try checkEnd(offset, count, .allocate, limit: SimulatedDisk.largestFile)
            let range = offset..<(offset + count)
            guard state.endOfSpace(for: node, range) == range.upperBound else {
                throw error(.allocate, ErrorNumber.ENOSPC)
            }
            return Outcome((), .allocate(node, range))
        }
    }

    func truncate(to size: UInt64) throws(FileSystemError) {
        try disk.perform(.truncate, path, of: node) { _ throws(FileSystemError) in
            try checkWritable(.truncate, ErrorNumber.EINVAL)
            try checkOffset(size, .truncate)
            try checkEnd(size, 0, .truncate, limit: SimulatedDisk.largestFile)
            return Outcome((), .truncate(node, size))
        }
    }

    func sync(_ kind: SyncKind) throws(FileSystemError) {
        try disk.perform(.sync, path, of: node) { _ throws(FileSystemError) in
            try checkOpen(.sync)
            return Outcome((), .sync(node))
        }
    }

    func mapForWriting(_ count: UInt64) throws(FileSystemError) -> (any WritableMapping)? {
        let isMapped = try disk.perform(.map, path, of: node) { state throws(FileSystemError) in
            try checkWritable(.map, ErrorNumber.EACCES)
            return Outcome(state.allowsMapping && count <= SimulatedDisk.largestFile)
        }
        return isMapped ? SimulatedMapping(count, of: node, path: path, disk: disk) : nil
    }

    func isLinked() throws(FileSystemError) -> Bool {
        try disk.perform(.status, path, of: node) { state throws(FileSystemError) in
            try checkOpen(.status)
            return Outcome(state.disk.tree.path(of: node) != nil)
        }
    }

    func isAt(_ path: String) throws(FileSystemError) -> Bool {
        try disk.perform(.status, path, of: node) { state throws(FileSystemError) in
            try checkOpen(.status)
            return Outcome(try state.disk.tree.node(at: path) == node)
        }
    }

    func close() throws(FileSystemError) {
        guard !isClosed.withLock({ $0 }) else { return }
        try disk.perform(.close, path, of: node) { _ throws(FileSystemError) in
            Outcome(())
        } alsoWhenFailing: {
            release()
        }
    }

    private func release() {
        let wasOpen = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if wasOpen { disk.state.withLock { $0.release(node) } }
    }

    private func checkOpen(_ operation: FileOperation) throws(FileSystemError) {
        guard !isClosed.withLock({ $0 }) else { throw error(operation, ErrorNumber.EBADF) }
    }

    private func checkWritable(_ operation: FileOperation, _ code: Int32) throws(FileSystemError) {
        try checkOpen(operation)
        guard isWritable else { throw error(operation, code) }
    }
}
