/// Turns a model of one version into the next.
///
/// ```swift
/// let migrations = [
///     Migration(from: 1, to: 2) { (old: UserV1) in UserV2(id: old.id, name: old.first + " " + old.last) },
///     Migration(from: 2, to: 3) { (old: UserV2) in User(id: old.id, name: old.name, since: nil) },
/// ]
/// ```
///
/// A record is migrated in memory each time it is read, and in the store by maintenance, or when it is saved again. So
/// a migration must give the same result each time. The id must stay the same; to change ids, see
/// ``Repository/moveRecords(to:durability:_:)``.
public struct Migration: Sendable {
    /// The version that it reads.
    package let from: Int
    /// The version that it makes, greater than `from`.
    package let to: Int
    /// Decodes an old value, changes it, and encodes it again.
    let apply: @Sendable (RawSpan, any ModelCoder) throws -> [UInt8]

    /// - Parameters:
    ///   - from: The version that it reads.
    ///   - to: The version that it makes, greater than `from`.
    ///   - body: What it throws makes reading the record fail with `.undecodable`.
    public init<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
        from: Int, to: Int, _ body: @escaping @Sendable (Old) throws -> New
    ) {
        (self.from, self.to) = (from, to)
        apply = { bytes, coder in try coder.encode(try body(try coder.decode(Old.self, from: bytes))) }
    }
}

/// The migrations of a model, by the version that they read.
package struct MigrationPath: Sendable {
    package let version: Int
    private let steps: [Int: Migration]

    /// That of a model which has only had one version.
    package static let none = MigrationPath(version: 1, steps: [:])

    private init(version: Int, steps: [Int: Migration]) { (self.version, self.steps) = (version, steps) }

    /// - Throws: `.invalidArgument` if two migrations read one version, or one leads backwards or beyond `version`.
    package init(to version: Int, _ migrations: [Migration]) throws(StoreError) {
        self.version = version
        var steps: [Int: Migration] = [:]
        guard version >= 1, version <= Int32.max else {
            throw StoreError(.invalidArgument, "a model has version \(version): versions are numbers from 1 on")
        }
        for step in migrations {
            guard step.from < step.to, step.to <= version, steps.updateValue(step, forKey: step.from) == nil else {
                throw StoreError(
                    .invalidArgument,
                    "the migration from \(step.from) to \(step.to) leads backwards, leads beyond version \(version), "
                        + "or "
                        + "is not the only one from its version: correct the list of migrations")
            }
        }
        self.steps = steps
    }

    /// The migrations from an older version to the current one; nil if there is a gap.
    func steps(from old: Int) -> [Migration]? {
        var path: [Migration] = []
        var at = old
        while at < version {
            guard let step = steps[at] else { return nil }
            path.append(step)
            at = step.to
        }
        return path
    }

    /// - Throws: `.invalidArgument` if no migrations lead from the oldest version of a repository's records.
    package func check(_ entry: CatalogueEntry) throws(StoreError) {
        if steps(from: entry.oldestVersion) != nil { return }
        throw StoreError(
            .invalidArgument,
            "the repository \"\(entry.name)\" may have records of version \(entry.oldestVersion), and there "
                + "is no migration from version \(gap(from: entry.oldestVersion)): add it")
    }

    /// Migrates a value of an older version in memory, and decodes it.
    ///
    /// - Throws: `.undecodable` if no migrations lead to the current version; what migrations and the coder throw.
    package func migrated<Model: Decodable>(
        _ type: Model.Type, _ value: RawSpan, from old: Int, of repository: String, _ coder: any ModelCoder
    ) throws -> Model {
        guard let steps = steps(from: old), !steps.isEmpty else {
            throw StoreError(
                .undecodable,
                "a record of \"\(repository)\" has version \(old) of its model, from which no migration leads "
                    + "to version \(version): add it")
        }
        var bytes = try steps[0].apply(value, coder)
        for step in steps.dropFirst() { bytes = try step.apply(bytes.span.bytes, coder) }
        return try coder.decode(Model.self, from: bytes.span.bytes)
    }

    /// The version at which the migrations from an older version end.
    private func gap(from old: Int) -> Int {
        var at = old
        while let step = steps[at] { at = step.to }
        return at
    }
}
