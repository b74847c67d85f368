/// What to find, in which order, and how much of it.
///
/// ```swift
/// let query = Query<City>(
///     where: \.country == "IS" && \.population >= 1_000, sort: [.descending(\.population)], limit: 10)
/// ```
public struct Query<Model: Sendable>: Sendable {
    /// Which models.
    public var filter: Filter<Model>
    /// In which order: by the first, then by the second, and so on. Empty is by id.
    public var sort: [Sort<Model>]
    /// At most how many; nil is all.
    public var limit: Int?
    /// How many are left out at the beginning. They cost about as much as those that are returned: to read on where an
    /// earlier query ended, use a ``QueryCursor``.
    public var offset: Int

    /// Creates a query. O(1).
    public init(
        where filter: Filter<Model> = .all, sort: [Sort<Model>] = [], limit: Int? = nil, offset: Int = 0
    ) {
        (self.filter, self.sort, self.limit, self.offset) = (filter, sort, limit, offset)
    }

    var sortProperties: [SortProperty] {
        sort.map { SortProperty(path: $0.path, isDescending: $0.isDescending) }
    }
}
