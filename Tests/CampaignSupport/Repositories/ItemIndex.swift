internal import HeartwoodRepository

/// The indexes that a version of the program may define. Those of one name replace each other.
enum ItemIndex: String, CaseIterable, Sendable, Codable {
    case group, groupRank
    case tag, tagRank
    case code, codeUnique
    case alias, aliasRank
    case rank
    case moment

    var name: String {
        switch self {
        case .group, .groupRank: "group"
        case .tag, .tagRank: "tag"
        case .code, .codeUnique: "code"
        case .alias, .aliasRank: "alias"
        case .rank: "rank"
        case .moment: "moment"
        }
    }

    var revision: Int { self == .groupRank || self == .tagRank || self == .aliasRank ? 2 : 1 }
    var isUnique: Bool { self == .codeUnique || self == .alias || self == .aliasRank }

    func definition<Model: Item>(of model: Model.Type) -> Index<Model> {
        let rank = IndexComponent<Model>.value(\.rank)
        let components: [IndexComponent<Model>] =
            switch self {
            case .group: [.value(\.group)]
            case .groupRank: [.value(\.group), rank]
            case .tag: [.each(\.tags)]
            case .tagRank: [.each(\.tags), rank]
            case .code, .codeUnique: [.value(\.code)]
            case .alias: [.value(\.alias)]
            case .aliasRank: [.value(\.alias), rank]
            case .rank: [rank]
            case .moment: [.value(\.moment)]
            }
        return Index(name, unique: isUnique, revision: revision, components: components)
    }

    /// The encoded values that a record must have in this index, ascending.
    ///
    /// - Parameter version: Of the model that the record was written with.
    func keys(of fields: ItemFields, version: Int) -> [[UInt8]] {
        let rank = rankInVersion(version, fields.rank)
        var keys: [[UInt8]] = []
        switch self {
        case .group: keys = [Self.encode(fields.group)]
        case .groupRank: keys = [Self.encode(fields.group) + Self.encode(rank)]
        case .tag: keys = Set(fields.tags).map { Self.encode($0) }
        case .tagRank: keys = Set(fields.tags).map { Self.encode($0) + Self.encode(rank) }
        case .code, .codeUnique: keys = [Self.encode(fields.code)]
        case .alias: keys = [Self.encode(fields.alias)]
        case .aliasRank: keys = [Self.encode(fields.alias) + Self.encode(rank)]
        case .rank: keys = [Self.encode(rank)]
        case .moment: keys = [Self.encode(fields.moment)]
        }
        return keys.sorted { $0.lexicographicallyPrecedes($1) }
    }

    private static func encode(_ value: some TupleElement) -> [UInt8] {
        var encoder = TupleEncoder()
        value.encode(to: &encoder)
        return encoder.bytes
    }

    /// The index that the catalogue describes; nil if no version of the program has defined it.
    static func of(_ stored: StoredIndex) -> ItemIndex? {
        allCases.first { ($0.name, $0.revision, $0.isUnique) == (stored.name, stored.revision, stored.isUnique) }
    }
}
