/// Something that a verification of repositories has found.
public struct RepositoryFinding: Sendable, Hashable {
    /// What is wrong. More kinds may be added: write a `default` in a `switch` over it.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A key of the catalogue doesn't belong there, or its value doesn't decode.
        case unreadableCatalogue
        /// A key begins like those of the typed layer, and belongs to no repository and no index.
        case strayKey
        /// A record has a key without an id.
        case unreadableID
        /// The head of a record doesn't decode.
        case unreadableRecord
        /// A record has a version of the model that the catalogue excludes.
        case unexpectedVersion
        /// A record lists keys in an index that never existed, in one index twice, or as unique in an index that isn't.
        case unknownIndex
        /// A record lists no keys in an index that is ready.
        case missingKeys
        /// An index doesn't have an entry that a record lists.
        case missingEntry
        /// An entry that a record lists leads to another record, or has a value that it can't have.
        case wrongEntry
        /// An entry doesn't expire when its record does.
        case wrongExpiry
        /// The key of an index entry doesn't decode.
        case unreadableEntry
        /// An index has an entry that no record lists.
        case orphanedEntry
        /// With the model only: a record doesn't decode.
        case undecodableRecord
        /// With the model only: a record decodes to a model with another id. No damage: the type doesn't decode its id,
        /// or the coder has rounded it, or it has another meaning than when the record was saved.
        case otherID
        /// With the model only: a record lists other keys in an index than its values have now. A computed property has
        /// changed without a new revision of the index, or the model's code changes values when it decodes them.
        case outdatedKeys
    }

    /// What is wrong.
    public var kind: Kind
    /// The name of the repository; nil if the key belongs to none.
    public var repository: String?
    /// The name of the index.
    public var index: String?
    /// The id of the record.
    public var id: TupleValue?
    /// The indexed values of the entry.
    public var values: [TupleValue]
    /// The key of the store that is wrong or missing.
    public var key: [UInt8]
    /// What was found, as a part of a sentence.
    public var what: String

    init(
        _ kind: Kind, _ what: String, key: [UInt8], repository: String? = nil, index: String? = nil,
        id: [UInt8]? = nil, values: [UInt8]? = nil
    ) {
        (self.kind, self.what, self.key) = (kind, what, key)
        (self.repository, self.index) = (repository, index)
        self.id = id.map { .one(in: $0) }
        self.values = values.map { TupleValue.all(in: $0) } ?? []
    }

    /// What to do, as one clause.
    public var remedy: String {
        switch kind {
        case .unreadableCatalogue: "restore the key from a backup; without it, the repository's records are not found"
        case .strayKey: "restore the catalogue if it has lost a repository; otherwise remove the key"
        case .unreadableID, .unreadableRecord: "restore the key from a backup, or remove it"
        case .unexpectedVersion: "save it again with the program that wrote it, or restore it from a backup"
        case .unknownIndex, .missingKeys: "save the record again"
        case .missingEntry, .wrongEntry, .wrongExpiry, .orphanedEntry, .unreadableEntry, .outdatedKeys:
            "increase the revision of the index: the next opening builds it again"
        case .otherID: StoreError.otherIDRemedy
        case .undecodableRecord: "restore the type, add a migration, or delete the record by its id"
        }
    }
}

extension RepositoryFinding: CustomStringConvertible {
    /// One sentence: where, what, and what to do.
    public var description: String {
        var parts: [String] = []
        if let repository { parts.append("\"\(repository)\"") }
        if let index { parts.append("index \"\(index)\"") }
        if !values.isEmpty { parts.append("(" + values.map(\.description).joined(separator: ", ") + ")") }
        if let id { parts.append("record \(id)") }
        if id == nil, values.isEmpty { parts.append("key 0x\(EncodedElement.hexadecimal(key))") }
        return parts.joined(separator: ", ") + ": \(what): \(remedy)"
    }
}

/// What a verification of repositories has counted and found.
public struct RepositoryVerification: Sendable {
    /// At most this many findings are listed.
    public static let mostFindings = 1_000

    /// The figures of each repository, by name.
    public internal(set) var repositories: [RepositoryFigures] = []
    /// What was found, in the order of the keys of each repository; at most ``mostFindings``.
    public internal(set) var findings: [RepositoryFinding] = []
    /// How many findings there are, listed or not.
    public internal(set) var findingCount = 0
    /// How many views the verification has read: more than one if the engine has ended views. Each record and each
    /// entry was then judged in one view, but not all of them in the same, and the figures are of several moments.
    public internal(set) var views = 0

    /// Whether nothing was found.
    public var isClean: Bool { findingCount == 0 }

    mutating func add(_ found: [RepositoryFinding]) {
        findingCount += found.count
        findings += found.prefix(Self.mostFindings - findings.count)
    }
}
