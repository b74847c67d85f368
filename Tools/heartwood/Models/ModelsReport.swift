internal import HeartwoodRepository

/// What `models` prints.
struct ModelsReport {
    let repositories: [RepositoryFigures]
    let style: Style

    /// A table of the repositories, and one of their indexes.
    var lines: [String] {
        var table = TextTable([.left, .right, .right, .left, .left], indent: 0)
        table.add(["repository", "records", "size", "version", "coder"].map { TextTable.Cell($0, .bold) })
        for repository in repositories {
            table.add([
                TextTable.Cell(Escaping.line(repository.name)), TextTable.Cell(Numbers.grouped(repository.records)),
                TextTable.Cell(Numbers.bytes(repository.keyBytes + repository.valueBytes)),
                TextTable.Cell(Self.versions(repository)), TextTable.Cell(Escaping.line(repository.coder)),
            ])
        }
        return table.lines(style) + indexLines
    }

    private var indexLines: [String] {
        guard repositories.contains(where: { !$0.indexes.isEmpty }) else { return [] }
        var table = TextTable([.left, .left, .right, .right, .left, .left], indent: 0)
        table.add(["index", "of", "entries", "size", "state", "values"].map { TextTable.Cell($0, .bold) })
        for repository in repositories {
            for index in repository.indexes {
                let values = index.components.joined(separator: ", ")
                table.add([
                    TextTable.Cell(Escaping.line(index.name)), TextTable.Cell(Escaping.line(repository.name)),
                    TextTable.Cell(Numbers.grouped(index.entries)), TextTable.Cell(Numbers.bytes(index.bytes)),
                    TextTable.Cell(index.state.rawValue, index.state == .ready ? nil : .yellow),
                    TextTable.Cell((index.isUnique ? "unique, " : "") + Escaping.line(values)),
                ])
            }
        }
        return [""] + table.lines(style)
    }

    /// `2`; or `2 (1: 1,000 records)`, of older versions.
    private static func versions(_ repository: RepositoryFigures) -> String {
        let others = repository.versions.filter { $0.key != repository.version }.sorted { $0.key < $1.key }
        guard !others.isEmpty else { return "\(repository.version)" }
        let list = others.map { "\($0.key): \(Numbers.count($0.value, "record"))" }.joined(separator: ", ")
        return "\(repository.version) (\(list))"
    }

    static func json(_ repository: RepositoryFigures) -> JSONText {
        let versions = repository.versions.sorted { $0.key < $1.key }
            .map { ["version": $0.key, "records": $0.value] as JSONText }
        return [
            "name": repository.name, "records": repository.records, "keyBytes": repository.keyBytes,
            "valueBytes": repository.valueBytes, "version": repository.version,
            "oldestVersion": repository.oldestVersion, "versions": versions, "coder": repository.coder,
            "orderedIDs": repository.hasOrderedIDs, "indexes": repository.indexes.map(json(_:)),
        ]
    }

    private static func json(_ index: IndexFigures) -> JSONText {
        [
            "name": index.name, "unique": index.isUnique, "revision": index.revision, "components": index.components,
            "state": index.state.rawValue, "entries": index.entries, "bytes": index.bytes,
        ]
    }
}
