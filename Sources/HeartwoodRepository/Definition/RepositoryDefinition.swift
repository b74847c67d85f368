/// What a program knows of a repository: its name, the version of its model, and its indexes.
///
/// ```swift
/// extension City {
///     static let repository = RepositoryDefinition<City>(
///         "cities", indexes: [Index("population", \.population), Index("country", \.country, \.population)])
/// }
/// ```
///
/// ```swift
/// let cities = try await store.repository(City.repository)
/// ```
public struct RepositoryDefinition<Model: Codable & Identifiable & Sendable>: Sendable
where Model.ID: Codable & SendableMetatype {
    /// Identifies the repository in its store.
    public var name: String
    /// The version of the model: 1, and one more whenever its stored form changes incompatibly.
    public var version: Int
    /// The indexes.
    public var indexes: [Index<Model>]
    /// How records of older versions become current ones.
    public var migrations: [Migration]
    /// How models become bytes.
    public var coder: any ModelCoder
    /// What happens to indexes in the store that are not in `indexes`.
    public var unknownIndexes: UnknownIndexes
    /// What calls get for a record that doesn't decode, of its encoded id, its bytes and the error; nil for the error.
    /// It must have the values that the head of the record lists. Verification and maintenance don't use it.
    package var standIn: (@Sendable ([UInt8], [UInt8], StoreError) -> Model?)?

    /// Creates a definition. It is checked when a repository is opened with it.
    public init(
        _ name: String, version: Int = 1, indexes: [Index<Model>] = [], migrations: [Migration] = [],
        coder: any ModelCoder = .json, unknownIndexes: UnknownIndexes = .automatic
    ) {
        (self.name, self.version, self.indexes) = (name, version, indexes)
        (self.migrations, self.coder, self.unknownIndexes) = (migrations, coder, unknownIndexes)
    }
}

/// What happens to indexes in the store that this program doesn't define.
public enum UnknownIndexes: Sendable, Hashable {
    /// `.keep` if other programs can write to the store at the same time, otherwise `.remove`.
    case automatic
    /// They are removed by maintenance.
    case remove
    /// They stay, and are marked as not ready: a program that knows them completes them when it opens the
    /// repository. For several versions of a program that use one store in turns.
    case keep
    /// Opening throws `.unknownIndex`.
    case refuse
}
