/// The order of a query's results: by one property.
///
/// ```swift
/// let query = Query<City>(sort: [.ascending(\.country), .descending(\.population)])
/// ```
///
/// The order is that of indexes: nil comes before all values, NaN after all numbers, texts are ordered by their
/// scalars, not by a language's rules. Models that are equal in all properties of a query are ordered by id, in the
/// direction of the last one; without any, by id ascending. Ids are compared as they are in keys.
public struct Sort<Model: Sendable>: Sendable {
    let path: PropertyPath
    /// Whether the largest value comes first.
    package let isDescending: Bool
    /// Appends the encoded value.
    let append: @Sendable (Model, inout TupleEncoder) -> Void

    private init<Value: TupleElement>(_ path: any KeyPath<Model, Value> & Sendable, isDescending: Bool) {
        self.path = PropertyPath(path)
        self.isDescending = isDescending
        append = { model, encoder in encoder.append(model[keyPath: path]) }
    }

    /// The smallest value first, nil before it.
    public static func ascending<Value: TupleElement>(_ path: any KeyPath<Model, Value> & Sendable) -> Sort {
        Sort(path, isDescending: false)
    }

    /// The largest value first, nil last.
    public static func descending<Value: TupleElement>(_ path: any KeyPath<Model, Value> & Sendable) -> Sort {
        Sort(path, isDescending: true)
    }
}
