internal import Foundation

extension PredicateExpressions.Value: UnderstoodConstant {
    var constant: Any { value }
}

extension PredicateExpressions.NilLiteral: UnderstoodConstant {
    var constant: Any { Wrapped?.none as Any }
}

extension PredicateExpressions.UnaryMinus: UnderstoodConstant {
    var constant: Any {
        guard let value = (wrapped as? any UnderstoodConstant)?.constant as? Wrapped.Output else { return () }
        // The least integer has no negation. The predicate itself traps there.
        if let integer = value as? any FixedWidthInteger { return Self.negated(integer) ?? () }
        return 0 - value
    }

    private static func negated<Integer: FixedWidthInteger>(_ value: Integer) -> Any? {
        let (result, overflow) = Integer.zero.subtractingReportingOverflow(value)
        return overflow ? nil : result
    }
}

extension PredicateExpressions.KeyPath: UnderstoodProperty {
    func path<Model>(in translation: PredicateTranslation<Model>) -> PartialKeyPath<Model>? {
        if translation.isModel(root) { return keyPath as AnyKeyPath as? PartialKeyPath<Model> }
        guard let root = translation.path(root) else { return nil }
        return root.appending(path: keyPath)
    }
}

extension PredicateExpressions.Conjunction: UnderstoodCondition {
    func node<Model>(in translation: PredicateTranslation<Model>) -> FilterNode {
        translation.group(lhs, rhs, isConjunction: true)
    }
}

extension PredicateExpressions.Disjunction: UnderstoodCondition {
    func node<Model>(in translation: PredicateTranslation<Model>) -> FilterNode {
        translation.group(lhs, rhs, isConjunction: false)
    }
}

extension PredicateExpressions.Negation: UnderstoodCondition {
    func node<Model>(in translation: PredicateTranslation<Model>) -> FilterNode {
        translation.negation(wrapped)
    }
}

extension PredicateExpressions.Equal: UnderstoodCondition {
    func node<Model>(in translation: PredicateTranslation<Model>) -> FilterNode {
        translation.equality(lhs, rhs, of: LHS.Output.self)
    }
}

extension PredicateExpressions.NotEqual: UnderstoodCondition {
    func node<Model>(in translation: PredicateTranslation<Model>) -> FilterNode {
        .not(translation.equality(lhs, rhs, of: LHS.Output.self))
    }
}

extension PredicateExpressions.Comparison: UnderstoodCondition {
    func node<Model>(in translation: PredicateTranslation<Model>) -> FilterNode {
        let comparison: EncodedSet.Comparison
        switch op {
        case .lessThan: comparison = .less
        case .lessThanOrEqual: comparison = .atMost
        case .greaterThan: comparison = .greater
        case .greaterThanOrEqual: comparison = .atLeast
        @unknown default: return .unknown
        }
        return translation.comparison(lhs, comparison, rhs, of: LHS.Output.self)
    }
}

extension PredicateExpressions.SequenceStartsWith: UnderstoodCondition {
    /// Of two texts. A text that begins with the characters of another also begins with its normalised scalars.
    func node<Model>(in translation: PredicateTranslation<Model>) -> FilterNode {
        guard let path = translation.path(base), let text = (prefix as? any UnderstoodConstant)?.constant as? String,
            Base.Output.self == String.self
        else { return .unknown }
        return translation.condition(path, in: EncodedSet(textBeginningWith: text), isExact: false)
    }
}

extension PredicateExpressions.SequenceContains: UnderstoodCondition {
    /// A property in a constant collection, or a constant in a property's collection.
    func node<Model>(in translation: PredicateTranslation<Model>) -> FilterNode {
        let isExact = ElementKind.of(RHS.Output.self) != .unknown
        if let path = translation.path(sequence), let element = PredicateTranslation<Model>.constant(element) {
            return translation.condition(path, in: EncodedSet(equalTo: element), isElement: true, isExact: isExact)
        }
        guard let path = translation.path(element),
            let values = (sequence as? any UnderstoodConstant)?.constant as? LHS.Output
        else { return .unknown }
        var spans: [EncodedSet.Span] = []
        for value in values {
            guard let value = value as? any TupleElement else { return .unknown }
            spans += EncodedSet(equalTo: ElementKind.encoded(value)).spans
        }
        return translation.condition(path, in: EncodedSet(unionOf: spans), isExact: isExact)
    }
}

/// An expression that is a range with constant bounds.
private protocol UnderstoodRange {
    func node<Model>(
        of element: Any, in translation: PredicateTranslation<Model>
    ) -> FilterNode
}

extension PredicateExpressions.ClosedRange: UnderstoodRange {
    func node<Model>(of element: Any, in translation: PredicateTranslation<Model>) -> FilterNode {
        .and([
            translation.comparison(element, .atLeast, lower, of: LHS.Output.self),
            translation.comparison(element, .atMost, upper, of: LHS.Output.self),
        ])
    }
}

extension PredicateExpressions.Range: UnderstoodRange {
    func node<Model>(of element: Any, in translation: PredicateTranslation<Model>) -> FilterNode {
        .and([
            translation.comparison(element, .atLeast, lower, of: LHS.Output.self),
            translation.comparison(element, .less, upper, of: LHS.Output.self),
        ])
    }
}

extension PredicateExpressions.RangeExpressionContains: UnderstoodCondition {
    func node<Model>(in translation: PredicateTranslation<Model>) -> FilterNode {
        (range as? any UnderstoodRange)?.node(of: element, in: translation) ?? .unknown
    }
}
