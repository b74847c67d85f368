/// The readers' side of the tree: the address of its root.
struct TreeReader: Sendable {
    private let cell = SharedWord()

    func destroy() { cell.deallocate() }

    @inline(__always)
    var root: Node { Node(word: cell.value) }

    /// For the writer. Must be called before the old root is freed.
    func setRoot(_ root: Node) { cell.set(root.word) }

    /// The root and a version at which it was the root; nil while it is being changed.
    @inline(__always)
    func openRoot() -> (node: Node, version: UInt64)? {
        let node = root
        let version = node.version
        return version & 1 == 0 && node == root ? (node, version) : nil
    }

    /// The word of a key; nil if the key isn't in the tree. The caller must have an epoch pin.
    func find(_ key: UnsafeRawBufferPointer) -> UInt64? {
        if key.isEmpty { return nil }
        var attempts = 0
        while true {
            if let word = attemptToFind(key) { return word == Self.absent ? nil : word }
            attempts += 1
            pauseBeforeRetry(attempts)
        }
    }

    /// Not a valid word of a leaf.
    private static let absent: UInt64 = 0

    /// The word, or `absent`; nil if the tree changed meanwhile.
    @inline(__always)
    private func attemptToFind(_ key: UnsafeRawBufferPointer) -> UInt64? {
        guard var (node, version) = openRoot() else { return nil }
        while node.level > 0 {
            guard let index = node.childIndex(key, version: version), let word = node.checkedWord(index) else {
                return nil
            }
            if node.level == 1 { Node.prefetchSlots(word: word) }
            guard let next = descend(from: node, version, to: word) else { return nil }
            (node, version) = next
        }
        let found = node.search(key, version: version)
        if found.isTorn { return nil }
        var word = Self.absent
        if found.isEqual {
            guard let read = node.checkedWord(found.index) else { return nil }
            word = read
        }
        return node.isUnchanged(since: version) ? word : nil
    }

    /// The child that `word` names, with a version at which it was the child of that node.
    ///
    /// Checks the node twice: before it uses the child's address, and after it has read the child's version.
    @inline(__always)
    func descend(from node: Node, _ version: UInt64, to word: UInt64) -> (Node, UInt64)? {
        guard node.isUnchanged(since: version) else { return nil }
        let child = Node(word: word)
        let childVersion = child.version
        guard childVersion & 1 == 0, node.isUnchanged(since: version) else { return nil }
        return (child, childVersion)
    }
}

internal import CHeartwood

/// Waits briefly for the writer. A change of a node takes some tens of nanoseconds, unless the writer's thread was
/// suspended during it.
@inline(never)
func pauseBeforeRetry(_ attempts: Int) {
    if attempts % 64 == 0 { heartwood_thread_yield() } else { heartwood_relax() }
}
