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
        var json = JSONText()
        json.add("name", repository.name)
        json.add("records", repository.records)
        json.add("keyBytes", repository.keyBytes)
        json.add("valueBytes", repository.valueBytes)
        json.add("version", repository.version)
        json.add("oldestVersion", repository.oldestVersion)
        json.add(
            "versions",
            repository.versions.sorted { $0.key < $1.key }.map { version, records in
                var json = JSONText()
                json.add("version", version)
                json.add("records", records)
                return json
            })
        json.add("coder", repository.coder)
        json.add("orderedIDs", repository.hasOrderedIDs)
        json.add("indexes", repository.indexes.map(json(_:)))
        return json
    }

    private static func json(_ index: IndexFigures) -> JSONText {
        var json = JSONText()
        json.add("name", index.name)
        json.add("unique", index.isUnique)
        json.add("revision", index.revision)
        json.add("components", index.components)
        json.add("state", index.state.rawValue)
        json.add("entries", index.entries)
        json.add("bytes", index.bytes)
        return json
    }
}
