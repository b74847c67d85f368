internal import HeartwoodConcurrency
internal import HeartwoodFileSystem

/// A file of a ``SimulatedDisk`` that is mapped as writable memory. Every store is a change of its own, in the order in
/// which the stores were reported. So a crash may happen between any two stores, and may tear or drop each of them.
///
/// The invariant for `@unchecked Sendable`: the address never changes, and the users coordinate who stores where.
final class SimulatedMapping: WritableMapping, @unchecked Sendable {
    let memory: UnsafeMutableRawBufferPointer
    private let node: DiskState.Node
    private let path: String
    private let disk: SimulatedDisk
    private let populated = Locked(BlockSet(blockSize: 4096))

    init(_ count: UInt64, of node: DiskState.Node, path: String, disk: SimulatedDisk) {
        memory = .allocate(byteCount: Int(count), alignment: 4096)
        self.node = node
        self.path = path
        self.disk = disk
    }

    deinit { memory.deallocate() }

    func populate(_ range: Range<UInt64>) throws(FileSystemError) {
        let part = part(range)
        try disk.perform(.map, path, of: node) { state throws(FileSystemError) in
            // A real system would end the process.
            precondition(state.disk.files[node]!.blocks.contains(range), "the range to populate has no blocks")
            return Outcome(())
        } then: { (state: inout SimulatedDisk.State, _: Void) in
            populated.withLock { $0.insert(range) }
            part.initializeMemory(as: UInt8.self, repeating: 0)
            _ = state.disk.files[node]!.cache.read(into: part, at: range.lowerBound)
        }
    }

    var isWatched: Bool { true }

    func stored(_ range: Range<UInt64>) {
        precondition(populated.withLock { $0.contains(range) }, "a store to a range that was not populated")
        disk.store(UnsafeRawBufferPointer(part(range)), at: range.lowerBound, of: node, path)
    }

    private func part(_ range: Range<UInt64>) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: memory[Int(range.lowerBound)..<Int(range.upperBound)])
    }
}
