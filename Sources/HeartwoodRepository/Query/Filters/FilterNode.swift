/// What a filter says, as far as planning is concerned.
indirect enum FilterNode: Sendable {
    case constant(Bool)
    case condition(FilterCondition)
    case not(FilterNode)
    case and(FilterNode, FilterNode)
    case or(FilterNode, FilterNode)
    /// A test of its own. What was understood of it only narrows the reading.
    case opaque(understood: FilterNode)
    /// A part of an opaque test of which nothing was understood.
    case unknown
}

/// A condition on one property.
struct FilterCondition: Sendable {
    let path: PropertyPath
    /// Whether the property is a collection, one element of which must be in `values`.
    let isElement: Bool
    /// What the encoded value must be.
    let values: EncodedSet
    /// Whether it is enough that the value is one of `values`.
    let isExact: Bool
    /// As a person would write it.
    let text: @Sendable () -> String
}

extension Filter {
    /// A condition that compares encoded values.
    init<Value: TupleElement>(
        _ path: any KeyPath<Model, Value> & Sendable, in values: EncodedSet, text: @escaping @Sendable () -> String
    ) {
        self.init(
            .condition(
                FilterCondition(
                    path: PropertyPath(path), isElement: false, values: values, isExact: true, text: text))
        ) { model, encoder in
            encoder.removeAll()
            encoder.append(model[keyPath: path])
            return values.contains(encoder.bytes)
        }
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
        case .condition(let condition): condition.text()
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
