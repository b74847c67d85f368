internal import HeartwoodRepository
internal import HeartwoodTesting

/// One version of a program: its model, and the indexes of its repositories.
package struct ItemProgram: Sendable, Codable {
    /// The names of the repositories. Their ids are numbers, texts and dates.
    static let repositories = ["items", "notes", "moments"]

    /// The version of the model.
    var model: Int
    /// For each of its repositories. A program of fewer leaves the others alone.
    var indexes: [[ItemIndex]]
    /// Whether it keeps indexes that it doesn't know.
    var keepsUnknown: Bool

    /// A program that comes after another one.
    init(after last: ItemProgram?, _ random: inout SeededRandom) {
        model = min(3, (last?.model ?? 1) + (random.oneIn(2) ? 1 : 0))
        let count = max(last?.indexes.count ?? 1, random.number(in: 1...3))
        keepsUnknown = random.oneIn(4)
        indexes = []
        for repository in 0..<count {
            var old: [ItemIndex] = []
            if let last, repository < last.indexes.count { old = last.indexes[repository] }
            indexes.append(Self.draw(after: old, &random))
        }
    }

    /// The indexes of each name.
    private static let choices: [[ItemIndex]] = [
        [.group, .groupRank], [.tag, .tagRank], [.code, .codeUnique], [.alias, .aliasRank], [.rank], [.moment],
    ]

    /// About half of the indexes stay as they were.
    private static func draw(after old: [ItemIndex], _ random: inout SeededRandom) -> [ItemIndex] {
        // A repository without any index has paths of its own.
        if random.oneIn(8) { return [] }
        var chosen: [ItemIndex] = []
        for choices in choices {
            if let kept = old.first(where: { choices.contains($0) }), random.oneIn(2) {
                chosen.append(kept)
            } else if random.oneIn(2) {
                chosen.append(random.pick(choices))
            }
        }
        return chosen
    }

    func definition<Model: Item>(
        of model: Model.Type, _ repository: Int, _ world: ItemWorld
    ) -> RepositoryDefinition<Model> {
        RepositoryDefinition(
            Self.repositories[repository], version: world.versions[Model.version - 1],
            indexes: indexes[repository].map { $0.definition(of: model) }, migrations: Model.migrations(world.versions),
            coder: world.coder, unknownIndexes: keepsUnknown ? .keep : .automatic)
    }
}
