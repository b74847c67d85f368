internal import HeartwoodConcurrency

/// Chooses what is read for a query. It reads nothing. The choice depends on the query and on the indexes, not on data.
///
/// A filter is alternatives, each of which is conditions on properties. For each alternative the best of these is
/// taken, the first one in this list:
///
/// 1. records by id, if the id is given;
/// 2. a unique index, all components of which are given;
/// 3. the index of which the most components, from the first on, are given by equality; with as many, the one of which
///    the next component is in a range; then the one that is in the order of the query; then the range with two ends;
///    then the index with fewer components;
/// 4. all records, in the order of their ids.
///
/// `isIn` is several equalities, up to 128 in all. Alternatives that use the same index are read together. If one
/// alternative can use no index, none is used, except for the order.
struct QueryPlanner {
    let indexes: [ReadyIndex]
    /// The id, if it is a part of keys as it is, and in order.
    private(set) var idPath: PropertyPath?
    private let identifiers = IdentifierPaths()

    init(indexes: [ReadyIndex], idPath: PropertyPath?) { (self.indexes, self.idPath) = (indexes, idPath) }

    /// The same planner with the id's path as a query or an index writes it.
    ///
    /// A repository knows the id as `\Model.id` of any model, a program as `\City.id`: two paths that aren't equal.
    /// They are of one type, from one type, and have one name.
    private func naming(id paths: [PropertyPath], _ filter: FilterNode) -> QueryPlanner {
        guard let idPath else { return self }
        func isID(_ path: PropertyPath) -> Bool { identifiers.has(path, like: idPath) }
        guard
            let written = filter.firstPath(where: isID) ?? paths.first(where: isID)
                ?? indexes.lazy.flatMap(\.components).map(\.path).first(where: isID)
        else { return self }
        var planner = self
        planner.idPath = written
        return planner
    }

    /// - Complexity: O(conditions * (log conditions + indexes)).
    func plan(_ filter: FilterNode, _ sort: [SortProperty]) -> AccessPlan {
        naming(id: sort.map(\.path), filter).plan(Alternatives(filter).alternatives, sort)
    }

    private func plan(_ alternatives: [Conjunction], _ sort: [SortProperty]) -> AccessPlan {
        let constants = Self.constants(alternatives)
        let order = QueryOrder(sort, constants: constants, idPath: idPath)
        guard !alternatives.isEmpty else {
            return AccessPlan(steps: [], isFiltering: false, ordering: .asRead(isReversed: false))
        }
        var matches = alternatives.compactMap { best($0, order, constants) }
        if matches.count > 1, !matches.allSatisfy(\.isNarrowing) {
            matches = [best(.common(alternatives), order, constants)].compactMap { $0 }
        }
        let steps = united(matches.map(\.step))
        let isFiltering = !matches.allSatisfy(\.isCovering)
        guard let step = steps.first, steps.count == 1 else {
            return AccessPlan(
                steps: steps, isFiltering: isFiltering,
                ordering: order.sorts.isEmpty
                    ? .byIdentifier(isReversed: order.isReversed)
                    : .inMemory(reason: "results of several reads are united"))
        }
        let parts = keyParts(step, order, constants)
        if parts != nil || step.isLookup && step.keys.spans.count <= 1 {
            return AccessPlan(
                steps: steps, isFiltering: isFiltering, ordering: .asRead(isReversed: order.isReversed),
                keyParts: parts)
        }
        return AccessPlan(
            steps: steps, isFiltering: isFiltering,
            ordering: order.sorts.isEmpty
                ? .byIdentifier(isReversed: order.isReversed)
                : .inMemory(reason: "what is read isn't in this order"))
    }

    private func best(
        _ conjunction: Conjunction, _ order: QueryOrder, _ constants: [PropertyPath: [UInt8]]
    ) -> KeyMatch? {
        candidates(conjunction, order, constants).max { $0.rank.lexicographicallyPrecedes($1.rank) }
    }

    /// Every way to read what may meet the conjunction. Of equal ones the first is taken.
    private func candidates(
        _ conjunction: Conjunction, _ order: QueryOrder, _ constants: [PropertyPath: [UInt8]]
    ) -> [KeyMatch] {
        var matches = indexes.indices.compactMap { position in
            KeyMatch.index(indexes[position], at: position, conjunction, idPath: idPath)
        }
        matches.append(.records(conjunction, idPath: idPath))
        for position in matches.indices {
            matches[position].isSorted = keyParts(matches[position].step, order, constants) != nil
        }
        return matches
    }

    private func keyParts(
        _ step: AccessPlan.Step, _ order: QueryOrder, _ constants: [PropertyPath: [UInt8]]
    ) -> [AccessPlan.KeyPart]? {
        switch step.place {
        case .records: return order.keyParts(of: [], constants: constants).map { $0 + [.identifier] }
        case .index(let position):
            var constants = constants
            let index = indexes[position]
            let components = index.components
            // The element that is looked for.
            if let collection = components.firstIndex(where: \.isCollection) {
                guard let element = Self.element(collection, of: step.keys) else { return nil }
                constants[components[collection].path] = element
            }
            guard let parts = order.keyParts(of: components.map(\.path), constants: constants) else { return nil }
            if case .identifier = parts.last { return parts }
            return parts + [index.isUnique ? .identifierAfterNull : .identifier]
        }
    }

    /// The element at a position of keys, if it is the same in all of them.
    private static func element(_ position: Int, of keys: EncodedSet) -> [UInt8]? {
        var found: [UInt8]?
        for span in keys.spans {
            var decoder = TupleDecoder(span.lower)
            for _ in 0..<position where (try? decoder.skip()) == nil { return nil }
            guard let element = try? Array(decoder.skip()), found == nil || found == element else { return nil }
            found = element
        }
        return found
    }

    /// Steps that read the same place, as one; except of an index of elements, which has several keys for a record.
    private func united(_ steps: [AccessPlan.Step]) -> [AccessPlan.Step] {
        var result: [AccessPlan.Step] = []
        for step in steps {
            if let position = result.firstIndex(where: { $0.place == step.place }), !isOverElements(step.place) {
                result[position].keys = result[position].keys.union(step.keys)
                result[position].isLookup = result[position].isLookup && step.isLookup
                result[position].conditions += step.conditions
            } else {
                result.append(step)
            }
        }
        return result
    }

    private func isOverElements(_ place: AccessPlan.Step.Place) -> Bool {
        guard case .index(let position) = place else { return false }
        return indexes[position].components.contains(where: \.isCollection)
    }

    /// The properties that have the same value in all alternatives.
    private static func constants(_ alternatives: [Conjunction]) -> [PropertyPath: [UInt8]] {
        guard let first = alternatives.first else { return [:] }
        var result: [PropertyPath: [UInt8]] = [:]
        for (path, set) in first.values {
            guard let point = set.onlyPoint, alternatives.allSatisfy({ $0.set(of: path)?.onlyPoint == point }) else {
                continue
            }
            result[path] = point
        }
        return result
    }
}

extension QueryPlanner {
    /// How the smallest or largest value of a property is read from keys alone; nil if records have to be read.
    ///
    /// - Returns: What to read, and how many elements of a key come before the value.
    func extreme(of path: PropertyPath, in values: EncodedSet, _ filter: FilterNode)
        -> (step: AccessPlan.Step, skipped: Int)?
    {
        naming(id: [path], filter).namedExtreme(of: path, in: values, filter)
    }

    private func namedExtreme(of path: PropertyPath, in values: EncodedSet, _ filter: FilterNode)
        -> (step: AccessPlan.Step, skipped: Int)?
    {
        let alternatives = Alternatives(filter).alternatives
        guard alternatives.count == 1, var conjunction = alternatives.first else { return nil }
        conjunction.restrict(path, to: values)
        guard !conjunction.isImpossible else { return nil }
        if path == idPath {
            let match = KeyMatch.records(conjunction, idPath: path)
            if match.isCovering, !match.step.isLookup { return (match.step, 0) }
        }
        for (position, index) in indexes.enumerated() {
            let paths = index.components.map(\.path)
            guard let target = paths.firstIndex(of: path), !index.components[target].isCollection,
                let match = KeyMatch.index(index, at: position, conjunction, idPath: idPath),
                match.isCovering, match.equalities >= target
            else { continue }
            return (match.step, target)
        }
        return nil
    }
}

/// Which paths are the id. Kept, because the name of a key path takes microseconds to find.
private final class IdentifierPaths: Sendable {
    private let known = Locked<[PropertyPath: Bool]>([:])

    func has(_ path: PropertyPath, like idPath: PropertyPath) -> Bool {
        known.withLock { known in
            if let isIdentifier = known[path] { return isIdentifier }
            let isIdentifier = path == idPath || path.isIdentifier(like: idPath)
            // A program may make key paths without end, such as with subscripts.
            if known.count >= 1_000 { known.removeAll() }
            known[path] = isIdentifier
            return isIdentifier
        }
    }
}
