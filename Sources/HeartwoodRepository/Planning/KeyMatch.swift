/// How well one index, or the records themselves, serve a conjunction.
struct KeyMatch: Sendable {
    var step: AccessPlan.Step
    /// Components that are given by equality.
    var equalities = 0
    /// Ends that are given of the component after those: 0, 1 or 2.
    var rangeEnds = 0
    /// Whether the keys tell everything that the conjunction says.
    var isCovering: Bool
    /// Whether at most one record is found by each key.
    var isUnique = false
    /// Whether the keys are in the order of the query.
    var isSorted = false
    /// How many components there are.
    var components: Int

    /// Whether it reads less than everything.
    var isNarrowing: Bool { isUnique || equalities > 0 || rangeEnds > 0 }

    /// The better match has the greater rank: compared number by number.
    var rank: [Int] {
        let isRecords = step.place == .records
        return [
            isUnique ? (isRecords ? 2 : 1) : 0, equalities, min(rangeEnds, 1), isSorted ? 1 : 0, rangeEnds,
            isRecords ? 1 : 0, -components,
        ]
    }
}

extension KeyMatch {
    /// More ranges than this aren't read: the range that has them all is read instead.
    static var maximumRanges: Int { 128 }

    /// The records, by id.
    static func records(_ conjunction: Conjunction, idPath: PropertyPath?) -> KeyMatch {
        let set = idPath.flatMap { conjunction.set(of: $0) }
        let others = conjunction.values.contains { $0.path != idPath } || !conjunction.elements.isEmpty
        let isLookup = set?.points != nil
        return KeyMatch(
            step: AccessPlan.Step(
                place: .records, keys: set ?? .all, isLookup: isLookup,
                conditions: idPath.flatMap { path in
                    set.map { [[AccessPlan.KeyCondition(path: path, isElement: false, set: $0)]] }
                } ?? []),
            rangeEnds: isLookup ? 0 : set?.boundedEnds ?? 0,
            isCovering: conjunction.isExact && !others, isUnique: isLookup, components: 0)
    }

    /// An index; nil if it doesn't have all the records that are looked for.
    ///
    /// - Parameter idPath: The id, if keys end with it and it is in order.
    static func index(
        _ index: ReadyIndex, at position: Int, _ conjunction: Conjunction, idPath: PropertyPath?
    ) -> KeyMatch? {
        var slots = index.components
        if let idPath, !index.isUnique { slots.append(ReadyIndex.Component(path: idPath, isCollection: false)) }
        var parts = KeyParts(maximum: maximumRanges)
        var (values, elements) = (Set<PropertyPath>(), Set<PropertyPath>())
        for slot in slots where !parts.isEnded {
            if slot.isCollection {
                guard let element = conjunction.elements.first(where: { $0.path == slot.path })?.element else { break }
                parts.append(slot.path, EncodedSet(element), isElement: true)
                elements.insert(slot.path)
            } else if let set = conjunction.set(of: slot.path) {
                parts.append(slot.path, set)
                values.insert(slot.path)
            } else {
                break
            }
        }
        // A record without elements has no entry; one with several has several.
        if let collection = slots.lastIndex(where: \.isCollection), collection >= parts.equalities { return nil }
        let isUnique = index.isUnique && parts.equalities == slots.count && !parts.hasNull
        return KeyMatch(
            step: AccessPlan.Step(
                place: .index(position), keys: parts.keys, isLookup: isUnique,
                conditions: parts.conditions.isEmpty ? [] : [parts.conditions]),
            equalities: parts.equalities, rangeEnds: parts.rangeEnds,
            isCovering: conjunction.isExact && !parts.isWidened && values.count == conjunction.values.count
                && elements.count == conjunction.elements.count,
            isUnique: isUnique, components: index.components.count)
    }
}

extension EncodedSet {
    /// How many ends bound it, not counting that nil is left out.
    var boundedEnds: Int {
        guard let first = spans.first, let last = spans.last else { return 2 }
        let lower = first.lower == Self.start || first.lower == Self.after(EncodedElement.null) ? 0 : 1
        let upper = last.upper == Self.end ? 0 : 1
        return lower == 0 && upper == 0 && first.lower != Self.start ? 1 : lower + upper
    }
}

/// Builds the keys of an index from the sets of one component after the other.
struct KeyParts {
    private let maximum: Int
    private var prefixes: [[UInt8]] = [[]]
    private var ranges: EncodedSet?
    private(set) var equalities = 0
    private(set) var rangeEnds = 0
    /// Whether one of the values is nil.
    private(set) var hasNull = false
    /// Whether more is read than the sets allow, because there are too many ranges.
    private(set) var isWidened = false
    private(set) var conditions: [AccessPlan.KeyCondition] = []
    /// Whether nothing can be appended, since the last set has ranges.
    private(set) var isEnded = false

    init(maximum: Int) { self.maximum = maximum }

    mutating func append(_ path: PropertyPath, _ set: EncodedSet, isElement: Bool = false) {
        conditions.append(AccessPlan.KeyCondition(path: path, isElement: isElement, set: set))
        if let points = set.points, points.count * prefixes.count <= maximum {
            equalities += 1
            hasNull = hasNull || points.contains { EncodedElement.isNull($0) }
            prefixes = prefixes.flatMap { prefix in points.map { prefix + $0 } }
        } else {
            isEnded = true
            isWidened = set.spans.count * prefixes.count > maximum
            let range = isWidened ? set.hull : set
            ranges = range
            rangeEnds = range.boundedEnds
        }
    }

    /// The keys, without an end where nothing was said of the next component.
    var keys: EncodedSet {
        let last = ranges ?? .all
        return EncodedSet(unionOf: prefixes.flatMap { last.prefixed(by: $0) })
    }
}
