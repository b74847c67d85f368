/// Models whose property equals a value. NaN equals nothing.
public func == <Model, Value: TupleElement>(
    path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Filter<Model> {
    let values = EncodedSet(equalTo: ElementKind.encoded(value))
    return Filter(path, in: values) { "\(PropertyPath(path).name) == \(Filter<Model>.text(value))" }
}

/// Models whose property doesn't equal a value; also those where it is nil or NaN, as in Swift.
public func != <Model, Value: TupleElement>(
    path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Filter<Model> {
    let values = EncodedSet(equalTo: ElementKind.encoded(value)).complement
    return Filter(path, in: values) { "\(PropertyPath(path).name) != \(Filter<Model>.text(value))" }
}

/// Models whose property is less than a value, and isn't NaN.
public func < <Model, Value: TupleElement & Comparable>(
    path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Filter<Model> { .comparing(path, .less, value) }

/// Models whose property is at most a value, and isn't NaN.
public func <= <Model, Value: TupleElement & Comparable>(
    path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Filter<Model> { .comparing(path, .atMost, value) }

/// Models whose property is greater than a value, and isn't NaN.
public func > <Model, Value: TupleElement & Comparable>(
    path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Filter<Model> { .comparing(path, .greater, value) }

/// Models whose property is at least a value, and isn't NaN.
public func >= <Model, Value: TupleElement & Comparable>(
    path: any KeyPath<Model, Value> & Sendable, value: Value
) -> Filter<Model> { .comparing(path, .atLeast, value) }

/// Models whose property is less than a value, and is neither nil nor NaN.
public func < <Model, Value: TupleElement & Comparable>(
    path: any KeyPath<Model, Value?> & Sendable, value: Value
) -> Filter<Model> { .comparing(path, .less, value) }

/// Models whose property is at most a value, and is neither nil nor NaN.
public func <= <Model, Value: TupleElement & Comparable>(
    path: any KeyPath<Model, Value?> & Sendable, value: Value
) -> Filter<Model> { .comparing(path, .atMost, value) }

/// Models whose property is greater than a value, and is neither nil nor NaN.
public func > <Model, Value: TupleElement & Comparable>(
    path: any KeyPath<Model, Value?> & Sendable, value: Value
) -> Filter<Model> { .comparing(path, .greater, value) }

/// Models whose property is at least a value, and is neither nil nor NaN.
public func >= <Model, Value: TupleElement & Comparable>(
    path: any KeyPath<Model, Value?> & Sendable, value: Value
) -> Filter<Model> { .comparing(path, .atLeast, value) }

extension Filter {
    static func comparing<Property: TupleElement>(
        _ path: any KeyPath<Model, Property> & Sendable, _ comparison: EncodedSet.Comparison,
        _ value: some TupleElement
    ) -> Filter {
        let values = EncodedSet(comparison, ElementKind.encoded(value), .of(Property.self))
        return Filter(path, in: values) { "\(PropertyPath(path).name) \(comparison.rawValue) \(text(value))" }
    }

    /// A value, as a person would write it.
    static func text(_ value: some TupleElement) -> String { EncodedText.element(ElementKind.encoded(value)) }
}
