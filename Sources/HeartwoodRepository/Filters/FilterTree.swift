/// The conditions of a filter as they were written. Each operator takes O(1), whatever its operands have.
///
/// A chain such as `a || b || c || …` is as deep as it is long. So no function of it calls itself once for each
/// operator, and neither does its release.
final class FilterTree<Model: Sendable>: Sendable {
    typealias Test = @Sendable (Model, inout TupleEncoder) throws -> Bool

    enum Kind: Sendable {
        case condition(FilterNode, Test)
        /// One operand.
        case not
        /// Two operands.
        case and, or
    }

    let kind: Kind
    /// How many conditions it has.
    let count: Int
    /// Changed only by `deinit`, when there is no other reference.
    nonisolated(unsafe) private var operands: [FilterTree]

    init(_ kind: Kind, _ operands: FilterTree...) {
        (self.kind, self.operands) = (kind, operands)
        count = operands.isEmpty ? 1 : operands.reduce(0) { $0 + $1.count }
    }

    deinit {
        var released = takeOperands()
        while var tree = released.popLast() {
            // Otherwise the release of `tree` would release its operands, and so on.
            if isKnownUniquelyReferenced(&tree) { released += tree.takeOperands() }
        }
    }

    private func takeOperands() -> [FilterTree] {
        defer { operands = [] }
        return operands
    }
}

extension FilterTree {
    /// The same for planning: a chain of one operator is one group.
    ///
    /// - Parameter level: How many groups it is in.
    /// - Throws: `.invalidArgument` if more than ``FilterNode/maximumDepth`` groups are in each other.
    /// - Complexity: O(conditions).
    func node(_ level: Int = 0) throws(StoreError) -> FilterNode {
        var (tree, isNegated) = (self, false)
        while case .not = tree.kind { (tree, isNegated) = (tree.operands[0], !isNegated) }
        if case .condition(let node, _) = tree.kind {
            if case .tooDeep = node { throw .filterTooDeep }
            return isNegated ? .not(node) : node
        }
        guard level < FilterNode.maximumDepth else { throw .filterTooDeep }
        var nodes: [FilterNode] = []
        for part in tree.chain { nodes.append(try part.node(level + 1)) }
        let group = tree.isConjunction ? FilterNode.and(nodes) : .or(nodes)
        return isNegated ? .not(group) : group
    }

    private var isConjunction: Bool { if case .and = kind { true } else { false } }

    /// The operands of a chain of one operator, from left to right.
    private var chain: [FilterTree] {
        var parts: [FilterTree] = []
        var rest = [self]
        while let tree = rest.popLast() {
            switch (tree.kind, isConjunction) {
            case (.and, true), (.or, false): rest += tree.operands.reversed()
            default: parts.append(tree)
            }
        }
        return parts
    }

    /// The tests in the order in which they run. O(conditions).
    var program: FilterProgram<Model> {
        var program = FilterProgram<Model>(capacity: count)
        var rest = [(tree: self, passing: FilterProgram<Model>.passed, failing: FilterProgram<Model>.failed)]
        while let (tree, passing, failing) = rest.popLast() {
            switch tree.kind {
            case .condition(_, let test): program.append(test, passing: passing, failing: failing)
            case .not: rest.append((tree.operands[0], failing, passing))
            case .and, .or:
                // The second operand's tests follow those of the first one, which are the next ones.
                let second = program.count + tree.operands[0].count
                rest.append((tree.operands[1], passing, failing))
                let isAnd = tree.isConjunction
                rest.append((tree.operands[0], isAnd ? second : passing, isAnd ? failing : second))
            }
        }
        return program
    }
}

/// The tests of a filter, each with the test that runs next if it passes or fails. So a filter is evaluated without
/// recursion, and as `&&` and `||` do: a test that decides nothing doesn't run.
struct FilterProgram<Model: Sendable>: Sendable {
    private struct Step {
        let test: FilterTree<Model>.Test
        let passing: Int
        let failing: Int
    }

    static var passed: Int { -1 }
    static var failed: Int { -2 }

    private var steps: [Step] = []

    init(capacity: Int) { steps.reserveCapacity(capacity) }

    var count: Int { steps.count }

    mutating func append(_ test: @escaping FilterTree<Model>.Test, passing: Int, failing: Int) {
        steps.append(Step(test: test, passing: passing, failing: failing))
    }

    /// Whether a model passes. The encoder is scratch memory.
    ///
    /// - Throws: What a predicate throws.
    func passes(_ model: Model, _ encoder: inout TupleEncoder) throws -> Bool {
        var next = 0
        while next >= 0 {
            let step = steps[next]
            next = try step.test(model, &encoder) ? step.passing : step.failing
        }
        return next == Self.passed
    }
}

extension StoreError {
    static let filterTooDeep = StoreError(
        .invalidArgument,
        "a filter has more than \(FilterNode.maximumDepth) groups of conditions in each other: write it with fewer, "
            + "such as by .isIn; a chain of only && or only || is one group")
}
