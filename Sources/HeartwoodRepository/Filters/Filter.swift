public import Foundation

/// Which models a query finds: conditions on properties, written with Swift's operators.
///
/// ```swift
/// let large: Filter<City> = \.population >= 1_000_000 && \.country != "IS"
/// let named: Filter<City> = .hasPrefix(\.name, "Rey") || .isIn(\.code, ["IS", "NO"])
/// let tagged: Filter<City> = .contains(\.tags, "harbour") && \.mayor == nil && .isIn(\.height, 0.0...500.0)
/// ```
///
/// **Values are compared as they are in indexes**, so that a query finds the same with and without an index: two texts
/// are equal if they are canonically equivalent, as in Swift; texts are ordered by their scalars; an enumeration is
/// ordered by its raw values. `==` and `!=` are as in Swift: nil equals nil, and NaN equals nothing. `<`, `<=`, `>`
/// and `>=` never match nil or NaN.
///
/// A condition can use an index only if it names the same key path as the index. ``init(_:)`` takes a `#Predicate`.
///
/// Any number of conditions can be joined by `&&`, or by `||`. Groups of conditions can be in each other 128 deep; a
/// query with a deeper filter throws `.invalidArgument`.
public struct Filter<Model: Sendable>: Sendable {
    let tree: FilterTree<Model>

    private init(_ tree: FilterTree<Model>) { self.tree = tree }

    /// One condition.
    init(_ node: FilterNode, _ test: @escaping FilterTree<Model>.Test) { tree = FilterTree(.condition(node, test)) }

    /// Every model passes.
    public static var all: Filter { Filter(.constant(true)) { _, _ in true } }

    /// What `predicate` says.
    ///
    /// ```swift
    /// let filter = Filter(#Predicate<City> { $0.country == "IS" && $0.name.count > 5 })
    /// ```
    ///
    /// Comparisons of a property with a value, with nil, with a range or with a collection, `starts(with:)`,
    /// `contains` of a collection, and `&&`, `||`, `!` of these can use indexes. The whole predicate is also evaluated
    /// on every model that was read, so the result is always Foundation's.
    ///
    /// Each `&&`, `||` and `!` of a predicate counts as a group, also in a chain: a query with more than 128 of them in
    /// each other throws `.invalidArgument`.
    ///
    /// - Complexity: O(size of the predicate).
    public init(_ predicate: Predicate<Model>) {
        let node = PredicateTranslation<Model>.understood(predicate)
        if case .tooDeep = node {
            self.init(node) { _, _ in throw StoreError.filterTooDeep }
        } else {
            self.init(.opaque(understood: node)) { model, _ in try predicate.evaluate(model) }
        }
    }

    /// Whether a model passes.
    ///
    /// - Throws: What a predicate throws that it was made of; otherwise nothing.
    /// - Complexity: O(conditions), without reading anything.
    public func matches(_ model: Model) throws -> Bool {
        var encoder = TupleEncoder()
        return try tree.program.passes(model, &encoder)
    }

    /// Models that pass both. O(1).
    public static func && (left: Filter, right: Filter) -> Filter { Filter(FilterTree(.and, left.tree, right.tree)) }

    /// Models that pass at least one of the two. O(1).
    public static func || (left: Filter, right: Filter) -> Filter { Filter(FilterTree(.or, left.tree, right.tree)) }

    /// Models that don't pass. O(1).
    public static prefix func ! (filter: Filter) -> Filter { Filter(FilterTree(.not, filter.tree)) }
}

extension Filter: CustomStringConvertible {
    /// The conditions, about as they were written; a predicate is only named. For people: the text may change.
    public var description: String { (try? tree.node())?.description ?? FilterNode.tooDeep.description }
}
