/// A key of the index with its newest version and the way to the older ones: one block of raw memory.
///
/// Layout: `Header`, then the bytes of the key. This is a pointer, copied freely; it is sound because
/// - only `create` makes a block, and sizes it for the key whose length it records, once and for all;
/// - the tree has exactly one slot for an entry, and who takes the entry out of it calls `destroy`;
/// - an `OldVersion` points to its entry, and an entry goes only when it has no older version left;
/// - all of it is touched under the index's lock only, and no pointer leaves the lock.
struct KeyEntry: Equatable {
    struct Header {
        var older: OldVersion?
        var newest: Version
        let keyLength: UInt16
    }

    private let header: UnsafeMutablePointer<Header>

    private static var keyOffset: Int { MemoryLayout<Header>.stride }

    static func create(key: UnsafeRawBufferPointer, newest: Version) -> KeyEntry {
        precondition(!key.isEmpty && key.count <= Int(UInt16.max), "a key has 1 to 65,535 bytes")
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: keyOffset + key.count, alignment: MemoryLayout<Header>.alignment)
        let header = Header(older: nil, newest: newest, keyLength: UInt16(key.count))
        UnsafeMutableRawBufferPointer(start: memory + keyOffset, count: key.count).copyMemory(from: key)
        return KeyEntry(header: memory.initializeMemory(as: Header.self, to: header))
    }

    private init(header: UnsafeMutablePointer<Header>) {
        self.header = header
    }

    /// The entry that lies at an address got from `memory`.
    @inline(__always)
    init(memory: UnsafeMutableRawPointer) {
        header = memory.assumingMemoryBound(to: Header.self)
    }

    func destroy() {
        memory.deallocate()
    }

    @inline(__always)
    var memory: UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(header)
    }

    var byteCount: Int {
        KeyEntry.keyOffset + Int(header.pointee.keyLength)
    }

    /// Valid as long as the entry is.
    @inline(__always)
    var key: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: memory + KeyEntry.keyOffset, count: Int(header.pointee.keyLength))
    }

    @inline(__always)
    var newest: Version {
        get { header.pointee.newest }
        nonmutating set { header.pointee.newest = newValue }
    }

    @inline(__always)
    var older: OldVersion? {
        get { header.pointee.older }
        nonmutating set { header.pointee.older = newValue }
    }

    /// The newest version that a reader at `sequence` sees, tombstones included.
    @inline(__always)
    func version(at sequence: UInt64) -> Version? {
        if header.pointee.newest.sequence <= sequence { return header.pointee.newest }
        var candidate = older
        while let old = candidate {
            if old.version.sequence <= sequence { return old.version }
            candidate = old.older
        }
        return nil
    }

    /// A removal with nothing under it tells no reader anything that the key's absence doesn't.
    var isObsolete: Bool {
        newest.isTombstone && older == nil
    }
}
