extension TreeReader {
    /// Calls `body` with the keys of a range and their words until it returns false. The caller must have an epoch pin.
    /// The key is valid only during the call.
    ///
    /// Each leaf is copied, so `body` delays no writer. From leaf to leaf the walk follows its path. If the tree has
    /// changed there, it seeks the last key again. Keys that are added or removed meanwhile may be visited or not; all
    /// others are visited exactly once.
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
    /// An inner node on the path to the leaf, with its version at that time.
    struct Step {
        var node: Node
        var version: UInt64
        var index: Int
        var count: Int
    }

    /// The size of the buffer in which a key is assembled that is stored in a node.
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
    /// The last key of the previous leaf. If the path is lost, the walk continues from there.
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

    /// Moves to the next leaf; false at the end.
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

    /// Calls `body` for the slots of the leaf; false if `body` returned false.
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

    /// Finds the leaf in which the walk starts or continues.
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

    /// Descends to the leaf that contains a bound.
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

    /// Records the step to a child, and takes it.
    private mutating func enter(_ node: Node, _ version: UInt64, _ index: Int, _ count: Int) -> (Node, UInt64)? {
        guard index >= 0, index < min(count, Node.maximumCount), depth < KeyTree.maximumDepth,
            let word = node.checkedWord(index), let next = tree.descend(from: node, version, to: word)
        else { return nil }
        steps[depth] = Step(node: node, version: version, index: index, count: count)
        depth += 1
        return next
    }

    /// Moves to the neighbouring leaf, or to the end if there is none. False if the tree changed on the path.
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
            // This node has no further child, if it is unchanged.
            guard step.node.isUnchanged(since: step.version) else { return false }
        }
        return end()
    }

    private mutating func end() -> Bool {
        state = .ended
        return true
    }

    /// Copies a leaf and finds the slots that belong to the range. False if the leaf changed meanwhile.
    private mutating func open(_ leaf: Node, _ version: UInt64) -> Bool {
        Shared.copyOut(copy.base, from: leaf.base, Node.byteCount)
        guard leaf.isUnchanged(since: version) else { return false }
        let rest = last.map { range.remainder(after: $0, reversed: reversed) } ?? range
        let count = copy.count
        let lower: Int
        switch rest.lower {
        case .unbounded: lower = 0
        case .included(let key): lower = gap(of: key, afterEqual: false)
        case .excluded(let key): lower = gap(of: key, afterEqual: true)
        }
        let upper: Int
        switch rest.upper {
        case .unbounded: upper = count
        case .included(let key): upper = gap(of: key, afterEqual: true)
        case .excluded(let key): upper = gap(of: key, afterEqual: false)
        }
        slots = lower..<max(lower, upper)
        isBehindRange = reversed ? lower > 0 : upper < count
        if !isBehindRange { prefetchNext() }
        prefix = copy.prefix
        if prefix > 0 { key.copyMemory(from: copy.lowerFence!.baseAddress!, byteCount: prefix) }
        return true
    }

    /// Prefetches the next leaf while this one is visited.
    private func prefetchNext() {
        guard depth > 0 else { return }
        let step = steps[depth - 1]
        let index = reversed ? step.index - 1 : step.index + 1
        if index >= 0, index < step.count, let word = step.node.checkedWord(index) { Node.prefetch(word: word) }
    }

    /// Whether a key of this leaf is beyond the range, so the walk ends with this leaf.
    private var isBehindRange = false

    /// The index of a bound among the keys of the copy. The bound may also be below or above all of them.
    private func gap(of bound: [UInt8], afterEqual: Bool) -> Int {
        bound.withUnsafeBytes { bound in
            let prefix = copy.prefix
            if prefix > 0 {
                let fence = UnsafeRawBufferPointer(rebasing: copy.lowerFence!.prefix(prefix))
                let start = UnsafeRawBufferPointer(rebasing: bound.prefix(prefix))
                let order = KeyOrder.compare(start, fence)
                if order != 0 { return order < 0 ? 0 : copy.count }
            }
            let found = copy.search(bound, version: copy.version)
            return found.isEqual && afterEqual ? found.index + 1 : found.index
        }
    }

    private mutating func rememberLast() {
        guard !slots.isEmpty else { return }
        let slot = copy.slot(reversed ? slots.lowerBound : slots.upperBound - 1)
        last = copy.withKey(slot) { [UInt8]($0) }
    }
}

extension Node {
    fileprivate func childIndex(key: UnsafeRawBufferPointer, _ version: UInt64) -> Int? {
        // Unlike a key, a bound may be empty.
        key.isEmpty ? 0 : childIndex(key, version: version)
    }
}
