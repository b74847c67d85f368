/// Keys with their versions, in the order of a walk. Reused for the next page, which keeps the memory. For one thread.
///
/// Raw memory, because a scan lends every key from here. With arrays, lending a mapped record took 240 ns instead of
/// 70, for copies and reference counts.
final class KeyPage {
    private struct Entry {
        /// End of the key in `bytes`. It starts where the previous key ends.
        var end: Int
        var version: Version
    }

    private var bytes: UnsafeMutableRawPointer
    private var byteCount = 0
    private var byteCapacity = 4_096
    private var entries: UnsafeMutablePointer<Entry>
    private var entryCapacity = 64
    private(set) var count = 0

    init() {
        bytes = .allocate(byteCount: byteCapacity, alignment: 16)
        entries = .allocate(capacity: entryCapacity)
    }

    deinit {
        bytes.deallocate()
        entries.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    func removeAll() {
        byteCount = 0
        count = 0
    }

    /// - Parameter key: From the memory of a walk, where at least `ShortCopy.excess` bytes after a short key are
    ///   readable.
    @inline(__always)
    func append(_ key: UnsafeRawBufferPointer, _ version: Version) {
        if byteCount &+ key.count &+ ShortCopy.excess > byteCapacity || count == entryCapacity { grow(for: key.count) }
        ShortCopy.copy(bytes + byteCount, from: key.baseAddress.unsafelyUnwrapped, key.count)
        byteCount &+= key.count
        (entries + count).initialize(to: Entry(end: byteCount, version: version))
        count &+= 1
    }

    @inline(never)
    private func grow(for more: Int) {
        let more = more + ShortCopy.excess
        if byteCount + more > byteCapacity {
            byteCapacity = max(2 * byteCapacity, byteCount + more)
            let larger = UnsafeMutableRawPointer.allocate(byteCount: byteCapacity, alignment: 16)
            larger.copyMemory(from: bytes, byteCount: byteCount)
            bytes.deallocate()
            bytes = larger
        }
        if count == entryCapacity {
            entryCapacity *= 2
            let larger = UnsafeMutablePointer<Entry>.allocate(capacity: entryCapacity)
            larger.moveInitialize(from: entries, count: count)
            entries.deallocate()
            entries = larger
        }
    }

    @inline(__always)
    func version(_ index: Int) -> Version {
        assert(index < count)
        return entries[index].version
    }

    /// Valid until the page is filled again.
    @inline(__always)
    func lentKey(_ index: Int) -> UnsafeRawBufferPointer {
        assert(index < count)
        let start = index == 0 ? 0 : entries[index &- 1].end
        return UnsafeRawBufferPointer(start: bytes + start, count: entries[index].end &- start)
    }

    func key(_ index: Int) -> [UInt8] { [UInt8](lentKey(index)) }
}
