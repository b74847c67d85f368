/// What a filter says, as far as planning is concerned. Its functions call themselves for each group in a group.
indirect enum FilterNode: Sendable {
    case constant(Bool)
    case condition(FilterCondition)
    case not(FilterNode)
    /// Groups have two nodes or more.
    case and([FilterNode])
    case or([FilterNode])
    /// A test of its own. What was understood of it only narrows the reading.
    case opaque(understood: FilterNode)
    /// A part of an opaque test of which nothing was understood.
    case unknown
    /// A filter with more than ``maximumDepth`` groups in each other. No query runs with it.
    case tooDeep
}

extension FilterNode {
    /// How many groups may be in each other: each one is a call on the stack.
    static var maximumDepth: Int { 128 }

    /// The first property that it names and that meets a condition.
    func firstPath(where isWanted: (PropertyPath) -> Bool) -> PropertyPath? {
        switch self {
        case .constant, .unknown, .tooDeep: return nil
        case .condition(let condition): return isWanted(condition.path) ? condition.path : nil
        case .not(let node), .opaque(let node): return node.firstPath(where: isWanted)
        case .and(let nodes), .or(let nodes):
            for node in nodes { if let path = node.firstPath(where: isWanted) { return path } }
            return nil
        }
    }
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

extension FilterNode: CustomStringConvertible {
    var description: String {
        switch self {
        case .constant(let value): "\(value)"
        case .condition(let condition): condition.text()
        case .not(let node): "!(\(node))"
        case .and(let nodes): nodes.map(\.operand).joined(separator: " && ")
        case .or(let nodes): nodes.map(\.description).joined(separator: " || ")
        case .opaque: "#Predicate"
        case .unknown: "?"
        case .tooDeep: "more than \(Self.maximumDepth) groups in each other"
        }
    }

    private var operand: String {
        if case .or = self { "(\(description))" } else { description }
    }
}
