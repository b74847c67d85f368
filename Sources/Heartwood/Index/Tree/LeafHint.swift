/// The leaf in which a key was found to belong, by the version of the node above it.
///
/// As long as that node has the version, the leaf is its child and the key belongs there. So who adds the key later needs
/// no descent; and the leaf itself, which is in no cache as a rule, need not be waited for meanwhile.
struct LeafHint: Sendable {
    fileprivate let parent: UInt64
    fileprivate let version: UInt64
    fileprivate let leaf: UInt64

    /// No leaf.
    static var none: LeafHint { LeafHint(parent: 0, version: 0, leaf: 0) }

    /// The leaf, if it is still the one. By the writer.
    @inline(__always)
    var node: Node? {
        guard parent != 0, Shared.load64(Node(word: parent).base) == version else { return nil }
        return Node(word: leaf)
    }
}

extension TreeReader {
    /// Goes down to the leaf where a key belongs, and asks for its memory without waiting for it. The caller need not be
    /// pinned: nodes stay mapped, and keys outside of them aren't looked at.
    @inline(__always)
    func approach(_ key: UnsafeRawBufferPointer) -> LeafHint {
        guard !key.isEmpty, var (node, version) = openRoot() else { return .none }
        while true {
            let level = node.level
            guard level > 0, let index = node.childIndex(key, version: version, followsLongKeys: false),
                let word = node.checkedWord(index)
            else { return .none }
            if level == 1 {
                guard node.isUnchanged(since: version) else { return .none }
                Node.prefetchSlots(word: word)
                return LeafHint(parent: node.word, version: version, leaf: word)
            }
            guard let next = descend(from: node, version, to: word) else { return .none }
            (node, version) = next
        }
    }
}
