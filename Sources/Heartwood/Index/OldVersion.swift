/// A version of a key that a newer one has superseded, in a block of memory of its own.
///
/// A pointer, copied freely; it is sound because an old version is, from `create` to `destroy`, in two structures:
/// - in its key's chain, a list linked both ways that begins at the key's entry (which lives as long as the chain);
/// - in exactly one `OldVersionQueue`, and only who has just taken it from there may `destroy` it.
///
/// So no queue ever holds a version that is gone. Touched under the index's lock only.
struct OldVersion: Hashable {
    struct Node {
        let version: Version
        let entry: KeyEntry
        var newer: OldVersion?
        var older: OldVersion?
        /// The next one in its queue.
        var next: OldVersion?
    }

    private let node: UnsafeMutablePointer<Node>

    static var byteCount: Int { MemoryLayout<Node>.size }

    /// Moves the newest version of `entry` into the chain, to make room for a newer one.
    static func create(fromNewestOf entry: KeyEntry) -> OldVersion {
        let node = UnsafeMutablePointer<Node>.allocate(capacity: 1)
        node.initialize(to: Node(version: entry.newest, entry: entry, newer: nil, older: entry.older, next: nil))
        let version = OldVersion(node: node)
        entry.older?.node.pointee.newer = version
        entry.older = version
        return version
    }

    private init(node: UnsafeMutablePointer<Node>) {
        self.node = node
    }

    /// Takes the version out of the chain and frees it.
    func destroy() {
        let newer = node.pointee.newer
        let older = node.pointee.older
        if let newer {
            newer.node.pointee.older = older
        } else {
            entry.older = older
        }
        older?.node.pointee.newer = newer
        node.deallocate()
    }

    var version: Version { node.pointee.version }

    var entry: KeyEntry { node.pointee.entry }

    var older: OldVersion? { node.pointee.older }

    var newer: OldVersion? { node.pointee.newer }

    var next: OldVersion? {
        get { node.pointee.next }
        nonmutating set { node.pointee.next = newValue }
    }

    /// The sequences at which a reader sees this version: from its own up to that of the version that superseded it.
    ///
    /// Where a version between the two has been dropped the range has grown by that one's, at which nobody reads.
    var sequences: Range<UInt64> {
        let next = node.pointee.newer?.version.sequence ?? entry.newest.sequence
        return version.sequence..<next
    }
}
