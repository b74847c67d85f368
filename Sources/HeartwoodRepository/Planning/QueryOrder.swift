/// The order that a query asks for, without what has no effect.
struct QueryOrder: Sendable {
    /// What remains: positions in the query's list of sorts.
    let sorts: [Int]
    /// The direction of ids at the end.
    let isReversed: Bool
    private let query: [SortProperty]
    private let idPath: PropertyPath?

    /// - Parameters:
    ///   - constants: Properties that are the same in all results.
    ///   - idPath: The id, if keys are in its order.
    init(_ query: [SortProperty], constants: [PropertyPath: [UInt8]], idPath: PropertyPath?) {
        var sorts: [Int] = []
        var isReversed = query.last?.isDescending ?? false
        for (position, sort) in query.enumerated() where constants[sort.path] == nil {
            if sort.path == idPath {
                isReversed = sort.isDescending
                break
            }
            if !sorts.contains(where: { query[$0].path == sort.path }) { sorts.append(position) }
        }
        (self.sorts, self.isReversed, self.query, self.idPath) = (sorts, isReversed, query, idPath)
    }

    /// The parts of keys with these components and the id, if the keys are in this order.
    func keyParts(
        of components: [PropertyPath], constants: [PropertyPath: [UInt8]]
    ) -> [AccessPlan.KeyPart]? {
        var rest = sorts[...]
        var parts: [AccessPlan.KeyPart] = []
        parts.reserveCapacity(components.count)
        for component in components {
            if let constant = constants[component] {
                parts.append(.constant(constant))
            } else if let next = rest.first, query[next].path == component, query[next].isDescending == isReversed {
                parts.append(.sort(next))
                rest.removeFirst()
            } else if rest.isEmpty, component == idPath {
                // What follows an id decides nothing.
                parts.append(.identifier)
                return parts
            } else if let given = sorts.first(where: { query[$0].path == component }), !rest.contains(given) {
                // A component that occurs twice.
                parts.append(.sort(given))
            } else {
                return nil
            }
        }
        return rest.isEmpty ? parts : nil
    }
}

/// A property that a query sorts by.
struct SortProperty: Sendable {
    let path: PropertyPath
    let isDescending: Bool
}
