/// Conditions that all hold: for each property the values that it may have.
struct Conjunction: Sendable {
    /// What a property must be. Each property occurs once; none is ``EncodedSet/all``.
    private(set) var values: [(path: PropertyPath, set: EncodedSet)] = []
    /// What collections must contain: one element each. A collection may occur more than once.
    private(set) var elements: [(path: PropertyPath, element: [UInt8])] = []
    /// Whether a model that meets all this passes the filter. Otherwise it only may.
    var isExact = true

    /// More properties or elements than this are left out, and only evaluated: each one is looked for among the others.
    static var maximum: Int { 64 }

    /// No condition: every model, or every model perhaps.
    init(isExact: Bool) { self.isExact = isExact }

    init(_ condition: FilterCondition) {
        isExact = condition.isExact
        if !condition.isElement {
            restrict(condition.path, to: condition.values)
        } else if let element = condition.values.onlyPoint {
            require(condition.path, element)
        } else {
            isExact = false
        }
    }

    var hasConditions: Bool { !values.isEmpty || !elements.isEmpty }
    /// Whether no model can meet it.
    var isImpossible: Bool { values.contains { $0.set.isEmpty } }

    func set(of path: PropertyPath) -> EncodedSet? { values.first { $0.path == path }?.set }

    /// How many spans its sets have.
    var spanCount: Int { values.reduce(elements.count) { $0 + $1.set.spans.count } }

    mutating func restrict(_ path: PropertyPath, to set: EncodedSet) {
        if let position = values.firstIndex(where: { $0.path == path }) {
            values[position].set = values[position].set.intersection(set)
        } else if !set.isAll {
            if values.count == Self.maximum { isExact = false } else { values.append((path, set)) }
        }
    }

    private mutating func require(_ path: PropertyPath, _ element: [UInt8]) {
        if contains(path, element) { return }
        if elements.count == Self.maximum { isExact = false } else { elements.append((path, element)) }
    }

    func and(_ other: Conjunction) -> Conjunction {
        var result = self
        result.isExact = isExact && other.isExact
        for (path, set) in other.values { result.restrict(path, to: set) }
        for (path, element) in other.elements { result.require(path, element) }
        return result
    }

    /// What all of them say.
    static func common(_ alternatives: [Conjunction]) -> Conjunction {
        var result = Conjunction(isExact: false)
        for (path, _) in alternatives.first?.values ?? [] {
            let sets = alternatives.compactMap { $0.set(of: path) }
            if sets.count == alternatives.count {
                result.restrict(path, to: EncodedSet(unionOf: sets.flatMap(\.spans)))
            }
        }
        for (path, element) in alternatives.first?.elements ?? []
        where alternatives.allSatisfy({ $0.contains(path, element) }) {
            result.elements.append((path, element))
        }
        return result
    }

    private func contains(_ path: PropertyPath, _ element: [UInt8]) -> Bool {
        elements.contains { $0.path == path && $0.element == element }
    }

    /// One conjunction that means the same as two alternatives, if they differ in no more than one property.
    func or(_ other: Conjunction) -> Conjunction? {
        guard isExact == other.isExact, values.count == other.values.count, elements.count == other.elements.count,
            elements.allSatisfy({ other.contains($0.path, $0.element) })
        else { return nil }
        var result = self
        var hasDifference = false
        for (position, (path, set)) in values.enumerated() {
            guard let otherSet = other.set(of: path) else { return nil }
            if set == otherSet { continue }
            if hasDifference { return nil }
            hasDifference = true
            result.values[position].set = set.union(otherSet)
        }
        result.values.removeAll { $0.set.isAll }
        return result
    }
}

/// Alternatives: what a filter says, in a form that indexes can be compared with (its disjunctive normal form).
///
/// Every model that passes the filter meets at least one of them. Where the form would be too large, or a part of the
/// filter can't be expressed in it, the alternatives are wider than the filter and aren't exact.
struct Alternatives: Sendable {
    /// More alternatives than this aren't made: part of the filter is then only evaluated.
    static var maximum: Int { 64 }

    let alternatives: [Conjunction]
    /// How many spans were joined to make it: what planning costs.
    let effort: Int

    /// - Complexity: O(conditions * log conditions) for ordinary filters; at most O(conditions * maximum²).
    init(_ node: FilterNode) { self.init(node, negated: false) }

    private init(_ alternatives: [Conjunction], effort: Int = 0) {
        (self.alternatives, self.effort) = (alternatives, effort)
    }

    private static var anything: Alternatives { Alternatives([Conjunction(isExact: false)]) }

    private init(_ node: FilterNode, negated: Bool) {
        switch node {
        case .constant(let value): self.init(value != negated ? [Conjunction(isExact: true)] : [])
        case .condition(let condition): self = Self.condition(condition, negated: negated)
        case .not(let node): self.init(node, negated: !negated)
        case .unknown, .tooDeep: self = .anything
        case .opaque(let understood): self = Alternatives(understood, negated: negated).inexact
        case .and(let nodes): self.init(nodes[...], isConjunction: !negated, negated: negated)
        case .or(let nodes): self.init(nodes[...], isConjunction: negated, negated: negated)
        }
    }

    /// Joins the nodes by halves, so that a large set is joined with one of its size, and not with one condition after
    /// the other.
    private init(_ nodes: ArraySlice<FilterNode>, isConjunction: Bool, negated: Bool) {
        if nodes.count == 1, let node = nodes.first { self.init(node, negated: negated); return }
        let middle = nodes.startIndex + nodes.count / 2
        let left = Alternatives(nodes[..<middle], isConjunction: isConjunction, negated: negated)
        let right = Alternatives(nodes[middle...], isConjunction: isConjunction, negated: negated)
        let joined = isConjunction ? left.and(right) : left.or(right)
        let spans =
            left.alternatives.reduce(0) { $0 + $1.spanCount } + right.alternatives.reduce(0) { $0 + $1.spanCount }
        self.init(joined.alternatives, effort: left.effort + right.effort + spans)
    }

    private static func condition(_ condition: FilterCondition, negated: Bool) -> Alternatives {
        guard negated else {
            return condition.values.isEmpty ? Alternatives([]) : Alternatives([Conjunction(condition)])
        }
        // An index over elements has no entry that says that an element is absent.
        guard condition.isExact, !condition.isElement else { return .anything }
        let values = condition.values.complement
        if values.isEmpty { return Alternatives([]) }
        var result = Conjunction(isExact: true)
        result.restrict(condition.path, to: values)
        return Alternatives([result])
    }

    private var inexact: Alternatives {
        Alternatives(
            alternatives.map { conjunction in
                var result = conjunction
                result.isExact = false
                return result
            })
    }

    private func and(_ other: Alternatives) -> Alternatives {
        let (left, right) = (alternatives, other.alternatives)
        if left.count * right.count > Self.maximum { return left.count <= right.count ? inexact : other.inexact }
        return Alternatives(left.flatMap { a in right.map { b in a.and(b) } }.filter { !$0.isImpossible }).merged
    }

    private func or(_ other: Alternatives) -> Alternatives { Alternatives(alternatives + other.alternatives).merged }

    /// The same with fewer alternatives, where two of them can be one.
    private var merged: Alternatives {
        var result: [Conjunction] = []
        for next in alternatives {
            if !next.hasConditions { return Alternatives([next]).orInexact(with: alternatives) }
            var (candidate, position) = (next, 0)
            while position < result.count {
                if let union = result[position].or(candidate) {
                    result.remove(at: position)
                    (candidate, position) = (union, 0)
                } else {
                    position += 1
                }
            }
            if !candidate.hasConditions { return Alternatives([candidate]).orInexact(with: alternatives) }
            result.append(candidate)
        }
        return result.count > Self.maximum ? .anything : Alternatives(result)
    }

    /// An alternative without conditions makes the others superfluous. If it isn't exact, nothing is known.
    private func orInexact(with all: [Conjunction]) -> Alternatives {
        all.contains { !$0.hasConditions && $0.isExact } || alternatives[0].isExact
            ? Alternatives([Conjunction(isExact: true)]) : .anything
    }
}
