internal import Foundation

/// Makes a filter of a `Predicate`, as far as it is understood. Every model that passes the predicate also passes the
/// filter.
///
/// The nodes of a predicate are generic types. Each type that is understood conforms to one of the protocols below; a
/// dynamic cast finds out whether a node is of such a type.
struct PredicateTranslation<Model: Sendable> {
    private let variable: PredicateExpressions.VariableID
    /// In how many operators the expression is.
    private var level = 0

    private init(_ variable: PredicateExpressions.VariableID) { self.variable = variable }

    /// - Returns: `.tooDeep` for a predicate that isn't to be evaluated: Foundation evaluates it by recursion.
    static func understood(_ predicate: Predicate<Model>) -> FilterNode {
        PredicateTranslation(predicate.variable.key).node(predicate.expression)
    }

    func node(_ expression: Any) -> FilterNode {
        guard let condition = expression as? any UnderstoodCondition else { return .unknown }
        guard level <= FilterNode.maximumDepth else { return .tooDeep }
        var inner = self
        inner.level += 1
        return condition.node(in: inner)
    }

    /// A group of two expressions, as one with what is in each of them if that is joined by the same operator.
    func group(_ left: Any, _ right: Any, isConjunction: Bool) -> FilterNode {
        // What is in it isn't always understood, so its own level is looked at, too.
        guard level <= FilterNode.maximumDepth else { return .tooDeep }
        var nodes: [FilterNode] = []
        for node in [node(left), node(right)] {
            switch (node, isConjunction) {
            case (.tooDeep, _): return .tooDeep
            case (.and(let inner), true), (.or(let inner), false): nodes += inner
            default: nodes.append(node)
            }
        }
        return isConjunction ? .and(nodes) : .or(nodes)
    }

    /// What an expression doesn't say.
    func negation(_ expression: Any) -> FilterNode {
        guard level <= FilterNode.maximumDepth else { return .tooDeep }
        let node = node(expression)
        if case .tooDeep = node { return node }
        return .not(node)
    }

    /// The property of the model that an expression is.
    func path(_ expression: Any) -> PartialKeyPath<Model>? {
        guard let property = expression as? any UnderstoodProperty else { return nil }
        return property.path(in: self)
    }

    /// Whether an expression is the model.
    func isModel(_ expression: Any) -> Bool {
        (expression as? PredicateExpressions.Variable<Model>)?.key == variable
    }

    /// A condition on a property. The types of the program may have an equality or an order of their own.
    func condition(
        _ path: PartialKeyPath<Model>, in values: EncodedSet, isElement: Bool = false, isExact: Bool
    ) -> FilterNode {
        .condition(
            FilterCondition(
                path: PropertyPath(ofPredicate: path), isElement: isElement, values: values, isExact: isExact,
                text: { "#Predicate" }))
    }

    /// Whether two expressions of a type are equal, if one is a property and the other one a constant.
    func equality<Value>(_ left: Any, _ right: Any, of type: Value.Type) -> FilterNode {
        guard let (path, constant, _) = sides(left, right) else { return .unknown }
        return condition(path, in: EncodedSet(equalTo: constant), isExact: ElementKind.of(type) != .unknown)
    }

    /// A comparison of two expressions of a type. Only types whose order is known are understood.
    func comparison<Value>(
        _ left: Any, _ comparison: EncodedSet.Comparison, _ right: Any, of type: Value.Type
    ) -> FilterNode {
        let kind = ElementKind.of(type)
        guard kind != .unknown, let (path, constant, isSwapped) = sides(left, right) else { return .unknown }
        return condition(
            path, in: EncodedSet(isSwapped ? comparison.swapped : comparison, constant, kind), isExact: true)
    }

    private func sides(_ left: Any, _ right: Any) -> (PartialKeyPath<Model>, [UInt8], isSwapped: Bool)? {
        if let path = path(left), let constant = Self.constant(right) { return (path, constant, false) }
        if let path = path(right), let constant = Self.constant(left) { return (path, constant, true) }
        return nil
    }

    /// The encoded value of an expression that doesn't depend on the model.
    static func constant(_ expression: Any) -> [UInt8]? {
        guard let value = (expression as? any UnderstoodConstant)?.constant as? any TupleElement else { return nil }
        return ElementKind.encoded(value)
    }
}

extension EncodedSet.Comparison {
    /// With the sides exchanged.
    fileprivate var swapped: Self {
        switch self {
        case .less: .greater
        case .atMost: .atLeast
        case .greater: .less
        case .atLeast: .atMost
        }
    }
}

/// An expression that is a condition.
protocol UnderstoodCondition {
    func node<Model>(in translation: PredicateTranslation<Model>) -> FilterNode
}

/// An expression that may be a property of the model.
protocol UnderstoodProperty {
    func path<Model>(in translation: PredicateTranslation<Model>) -> PartialKeyPath<Model>?
}

/// An expression without the model.
protocol UnderstoodConstant {
    var constant: Any { get }
}
