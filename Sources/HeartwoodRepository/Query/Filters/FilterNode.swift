/// What a filter consists of.
indirect enum FilterNode<Model: Sendable>: Sendable {
    case constant(Bool)
    case leaf(FilterLeaf<Model>)
    case not(FilterNode)
    case and(FilterNode, FilterNode)
    case or(FilterNode, FilterNode)
    /// A test of its own. What was understood of it only narrows the reading.
    case opaque(test: @Sendable (Model) throws -> Bool, understood: FilterNode)
    /// A part of an opaque test of which nothing was understood.
    case unknown

    /// Whether a model passes. `encoder` is scratch memory.
    func matches(_ model: Model, _ encoder: inout TupleEncoder) throws -> Bool {
        switch self {
        case .constant(let value): value
        case .leaf(let leaf): leaf.test(model, &encoder)
        case .not(let node): try !node.matches(model, &encoder)
        case .and(let left, let right): try left.matches(model, &encoder) && right.matches(model, &encoder)
        case .or(let left, let right): try left.matches(model, &encoder) || right.matches(model, &encoder)
        case .opaque(let test, _): try test(model)
        case .unknown: true
        }
    }
}

/// A condition on one property.
struct FilterLeaf<Model: Sendable>: Sendable {
    let path: PropertyPath<Model>
    /// Whether the property is a collection, one element of which must be in `values`.
    let isElement: Bool
    /// What the encoded value must be.
    let values: EncodedSet
    /// Whether it is enough that the value is one of `values`.
    let isExact: Bool
    /// Evaluates it.
    let test: @Sendable (Model, inout TupleEncoder) -> Bool
    /// As a person would write it.
    let text: @Sendable () -> String
}

extension FilterLeaf {
    /// A condition that compares encoded values.
    init<Value: TupleElement>(
        _ path: any KeyPath<Model, Value> & Sendable, in values: EncodedSet, text: @escaping @Sendable () -> String
    ) {
        self.init(
            path: PropertyPath(path), isElement: false, values: values, isExact: true,
            test: { model, encoder in
                encoder.removeAll()
                encoder.append(model[keyPath: path])
                return values.contains(encoder.bytes)
            },
            text: text)
    }
}

extension TupleEncoder {
    /// Removes prefix and elements. The memory is kept.
    mutating func removeAll() { storage.removeAll(keepingCapacity: true) }
}

extension FilterNode: CustomStringConvertible {
    var description: String {
        switch self {
        case .constant(let value): "\(value)"
        case .leaf(let leaf): leaf.text()
        case .not(let node): "!(\(node))"
        case .and(let left, let right): "\(left.operand) && \(right.operand)"
        case .or(let left, let right): "\(left.description) || \(right.description)"
        case .opaque: "#Predicate"
        case .unknown: "?"
        }
    }

    private var operand: String {
        if case .or = self { "(\(description))" } else { description }
    }
}
