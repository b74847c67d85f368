/// An index of a repository: which values of a model lead to it.
///
/// ```swift
/// let indexes: [Index<City>] = [
///     Index("name", \.name),
///     Index("country-population", \.country, \.population),      // compound: in this order
///     .unique("code", \.code),
///     Index("tag", .each(\.tags)),                               // an entry for each element
/// ]
/// ```
///
/// The name identifies the index in the store. If its key paths change in meaning, give it another name, or another
/// `revision`: then it is built again.
///
/// An optional value that is nil is in the index, before all others. A unique index allows any number of records with a
/// nil among the indexed values, as SQL does.
public struct Index<Model: Sendable>: Sendable {
    /// Identifies it in the store, in errors and explanations.
    package let name: String
    /// Whether two records may have the same values.
    package let isUnique: Bool
    /// Increase it when a computed property that is indexed changes its meaning: the index is built again.
    package let revision: Int
    /// The indexed values, in the order in which they sort.
    package let components: [IndexComponent<Model>]

    /// An index over one or more values.
    ///
    /// - Parameters:
    ///   - name: Identifies it in the store: not empty, and unique in its repository.
    ///   - unique: Whether each value may occur once.
    ///   - revision: A number to change if the meaning of the paths changes: then the index is built again.
    ///   - paths: The values, the one that sorts first in front.
    public init<each Value: TupleElement>(
        _ name: String, unique: Bool = false, revision: Int = 1,
        _ paths: repeat any KeyPath<Model, each Value> & Sendable
    ) {
        var components: [IndexComponent<Model>] = []
        for path in repeat each paths { components.append(.value(path)) }
        self.init(name, unique: unique, revision: revision, components: components)
    }

    /// An index over one or more components, of which one may be a collection.
    public init(
        _ name: String, unique: Bool = false, revision: Int = 1, _ components: IndexComponent<Model>...
    ) {
        self.init(name, unique: unique, revision: revision, components: components)
    }

    /// The same, with the components in an array.
    package init(_ name: String, unique: Bool, revision: Int = 1, components: [IndexComponent<Model>]) {
        (self.name, isUnique, self.revision, self.components) = (name, unique, revision, components)
    }

    /// A unique index over one or more values.
    public static func unique<each Value: TupleElement>(
        _ name: String, revision: Int = 1, _ paths: repeat any KeyPath<Model, each Value> & Sendable
    ) -> Index {
        var components: [IndexComponent<Model>] = []
        for path in repeat each paths { components.append(.value(path)) }
        return Index(name, unique: true, revision: revision, components: components)
    }
}

/// One value of an index.
public struct IndexComponent<Model: Sendable>: Sendable {
    /// The property.
    let path: any PartialKeyPath<Model> & Sendable
    /// Whether it is a collection, each element of which has an entry.
    let isCollection: Bool
    /// The type of the value, or of the elements.
    let type: any Any.Type
    /// The encoded values: one, or for a collection one for each element.
    let values: @Sendable (Model) -> [[UInt8]]
    /// Appends the encoded value; only for a component that is no collection.
    let append: @Sendable (Model, inout TupleEncoder) -> Void

    /// A property.
    public static func value<Value: TupleElement>(
        _ path: any KeyPath<Model, Value> & Sendable
    ) -> IndexComponent {
        .value(path) { $0[keyPath: path] }
    }

    /// A property, and a closure that reads it. A key path takes about a thousand instructions for that.
    package static func value<Value: TupleElement>(
        _ path: any KeyPath<Model, Value> & Sendable, reading value: @escaping @Sendable (Model) -> Value
    ) -> IndexComponent {
        IndexComponent(
            path: path, isCollection: false, type: Value.self,
            values: { model in
                var encoder = TupleEncoder()
                encoder.append(value(model))
                return [encoder.bytes]
            },
            append: { model, encoder in encoder.append(value(model)) })
    }

    /// A collection: the record is found by each of its elements. An empty one has no entry.
    public static func each<Values: Sequence & SendableMetatype>(
        _ path: any KeyPath<Model, Values> & Sendable
    ) -> IndexComponent where Values.Element: TupleElement {
        IndexComponent(
            path: path, isCollection: true, type: Values.Element.self,
            values: { model in
                model[keyPath: path].map { element in
                    var encoder = TupleEncoder()
                    encoder.append(element)
                    return encoder.bytes
                }
            },
            append: { _, _ in })
    }
}
