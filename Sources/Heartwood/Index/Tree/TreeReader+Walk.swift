extension TreeReader {
    /// Calls `body` with the keys of a range and their words, in order or against it, until it says false. The caller is
    /// pinned, and the key is valid during the call only.
    ///
    /// Each leaf is copied, so that nothing is held while `body` works. Between leaves the walk goes on from where it
    /// is, or, where the tree changed there, seeks the last key again: keys that come or go meanwhile are seen or not,
    /// all others exactly once.
    @inline(__always)
    func walk(
        _ range: KeyRange, reversed: Bool, _ body: (UnsafeRawBufferPointer, UInt64) -> Bool
    ) {
        if range.isEmpty { return }
        withUnsafeTemporaryAllocation(byteCount: Node.byteCount + LeafWalk.keyBytes, alignment: 64) { memory in
            withUnsafeTemporaryAllocation(of: LeafWalk.Step.self, capacity: KeyTree.maximumDepth) { steps in
                var walk = LeafWalk(
                    self, range, reversed: reversed, memory: memory.baseAddress!, steps: steps.baseAddress!)
                while walk.next() {
                    if !walk.visit(body) { return }
                }
            }
        }
    }
}

/// A walk from leaf to leaf.
struct LeafWalk {
    /// An inner node on the way to the leaf, with the version at which it was on it.
    struct Step {
        var node: Node
        var version: UInt64
        var index: Int
        var count: Int
    }

    /// Room to put a key together that lies in a node.
    static let keyBytes = 1_024

    private let tree: TreeReader
    private let range: KeyRange
    private let reversed: Bool
    /// The copy of the leaf.
    private let copy: Node
    private let key: UnsafeMutableRawPointer
    private let steps: UnsafeMutablePointer<Step>
    private var depth = 0
    /// Slots of the copy that belong to the range.
    private var slots = 0..<0
    private var prefix = 0
    /// The last key of the walk so far, once it has left a leaf: from there it goes on if it loses its way.
    private var last: [UInt8]?
    private var state = State.unstarted

    private enum State { case unstarted, inLeaf, ended }

    init(
        _ tree: TreeReader, _ range: KeyRange, reversed: Bool, memory: UnsafeMutableRawPointer,
        steps: UnsafeMutablePointer<Step>
    ) {
        self.tree = tree
        self.range = range
        self.reversed = reversed
        copy = Node(memory)
        key = memory + Node.byteCount
        self.steps = steps
    }

    /// Goes to the next leaf; false at the end.
    mutating func next() -> Bool {
        switch state {
        case .ended: return false
        case .unstarted: seek()
        case .inLeaf:
            rememberLast()
            if !step() { seek() }
        }
        if state == .ended { return false }
        state = .inLeaf
        return true
    }

    /// Calls `body` for the slots of the leaf; false if it doesn't want more.
    @inline(__always)
    func visit(_ body: (UnsafeRawBufferPointer, UInt64) -> Bool) -> Bool {
        var index = reversed ? slots.upperBound - 1 : slots.lowerBound
        let step = reversed ? -1 : 1
        for _ in 0..<slots.count {
            let slot = Node.Slot(
                bits: copy.base.load(fromByteOffset: Node.headerBytes + 8 * index, as: UInt64.self))
            let cell = copy.base + slot.offset
            let word = cell.loadUnaligned(as: UInt64.self)
            let isWanted: Bool
            if slot.isExternal {
                isWanted = visitLong(slot, word, body)
            } else {
                key.storeBytes(of: slot.head.bigEndian, toByteOffset: prefix, as: UInt32.self)
                let rest = slot.length - 4
                ShortCopy.copy(key + (prefix + 4), from: cell + 8, rest)
                isWanted = body(UnsafeRawBufferPointer(start: key, count: prefix + slot.length), word)
            }
            if !isWanted { return false }
            index += step
        }
        return true
    }

    @inline(never)
    private func visitLong(
        _ slot: Node.Slot, _ word: UInt64, _ body: (UnsafeRawBufferPointer, UInt64) -> Bool
    ) -> Bool {
        body(copy.longKey(slot).key, word)
    }

    // MARK: - From leaf to leaf

    /// Finds the leaf in which the walk begins or goes on.
    @inline(never)
    private mutating func seek() {
        let rest = last.map { range.remainder(after: $0, reversed: reversed) } ?? range
        var attempts = 0
        while !attemptToSeek(rest) {
            attempts += 1
            pauseBeforeRetry(attempts)
        }
    }

    private mutating func attemptToSeek(_ range: KeyRange) -> Bool {
        guard let (root, version) = tree.openRoot() else { return false }
        depth = 0
        let bound = reversed ? range.upper : range.lower
        guard let (leaf, leafVersion) = descend(from: root, version, to: bound) else { return false }
        return open(leaf, leafVersion)
    }

    /// Goes down to the leaf where a bound lies.
    private mutating func descend(from start: Node, _ startVersion: UInt64, to bound: KeyBound) -> (Node, UInt64)? {
        var (node, version) = (start, startVersion)
        var levels = 0
        while node.level > 0 {
            let count = node.count
            let index: Int?
            switch bound {
            case .unbounded: index = reversed ? count - 1 : 0
            case .included(let key), .excluded(let key):
                index = key.withUnsafeBytes { node.childIndex(key: $0, version) }
            }
            guard levels < KeyTree.maximumDepth, let index, let next = enter(node, version, index, count) else {
                return nil
            }
            (node, version) = next
            levels += 1
        }
        return (node, version)
    }

    /// Notes the step to a child, and takes it.
    private mutating func enter(_ node: Node, _ version: UInt64, _ index: Int, _ count: Int) -> (Node, UInt64)? {
        guard index >= 0, index < min(count, Node.maximumCount), depth < KeyTree.maximumDepth,
            let word = node.checkedWord(index), let next = tree.descend(from: node, version, to: word)
        else { return nil }
        steps[depth] = Step(node: node, version: version, index: index, count: count)
        depth += 1
        return next
    }

    /// The leaf beside this one; the end where there is none. False if the tree changed on the way.
    private mutating func step() -> Bool {
        if isBehindRange { return end() }
        while depth > 0 {
            depth -= 1
            let step = steps[depth]
            let index = reversed ? step.index - 1 : step.index + 1
            if index >= 0, index < step.count {
                guard let (node, version) = enter(step.node, step.version, index, step.count),
                    let (leaf, leafVersion) = descend(from: node, version, to: .unbounded)
                else { return false }
                return open(leaf, leafVersion)
            }
            // There is no neighbour under this node, if it is still as it was.
            guard step.node.isUnchanged(since: step.version) else { return false }
        }
        return end()
    }

    private mutating func end() -> Bool {
        state = .ended
        return true
    }

    /// Copies a leaf and finds the slots that belong to the range. False if it changed meanwhile.
    private mutating func open(_ leaf: Node, _ version: UInt64) -> Bool {
        Shared.copyOut(copy.base, from: leaf.base, Node.byteCount)
        guard leaf.isUnchanged(since: version) else { return false }
        let rest = last.map { range.remainder(after: $0, reversed: reversed) } ?? range
        let count = copy.count
        let lower: Int
        switch rest.lower {
        case .unbounded: lower = 0
        case .included(let key): lower = gap(of: key, behindEqual: false)
        case .excluded(let key): lower = gap(of: key, behindEqual: true)
        }
        let upper: Int
        switch rest.upper {
        case .unbounded: upper = count
        case .included(let key): upper = gap(of: key, behindEqual: true)
        case .excluded(let key): upper = gap(of: key, behindEqual: false)
        }
        slots = lower..<max(lower, upper)
        isBehindRange = reversed ? lower > 0 : upper < count
        if !isBehindRange { prefetchNext() }
        prefix = copy.prefix
        if prefix > 0 { key.copyMemory(from: copy.lowerFence!.baseAddress!, byteCount: prefix) }
        return true
    }

    /// Asks for the next leaf, so that it is there when this one has been visited.
    private func prefetchNext() {
        guard depth > 0 else { return }
        let step = steps[depth - 1]
        let index = reversed ? step.index - 1 : step.index + 1
        if index >= 0, index < step.count, let word = step.node.checkedWord(index) { Node.prefetch(word: word) }
    }

    /// Whether a key of this leaf lies beyond the range, so that no leaf behind it is of interest.
    private var isBehindRange = false

    /// The place of a bound among the keys of the copy. A bound need not belong there: it may lie before or behind.
    private func gap(of bound: [UInt8], behindEqual: Bool) -> Int {
        bound.withUnsafeBytes { bound in
            let prefix = copy.prefix
            if prefix > 0 {
                let fence = UnsafeRawBufferPointer(rebasing: copy.lowerFence!.prefix(prefix))
                let start = UnsafeRawBufferPointer(rebasing: bound.prefix(prefix))
                let order = KeyOrder.compare(start, fence)
                if order != 0 { return order < 0 ? 0 : copy.count }
            }
            let found = copy.search(bound, version: copy.version)
            return found.isEqual && behindEqual ? found.index + 1 : found.index
        }
    }

    /// The last key of the leaf is where the walk has got to.
    private mutating func rememberLast() {
        guard !slots.isEmpty else { return }
        let slot = copy.slot(reversed ? slots.lowerBound : slots.upperBound - 1)
        last = copy.withKey(slot) { [UInt8]($0) }
    }
}

extension Node {
    fileprivate func childIndex(key: UnsafeRawBufferPointer, _ version: UInt64) -> Int? {
        // A bound may be empty, which no key is.
        key.isEmpty ? 0 : childIndex(key, version: version)
    }
}
