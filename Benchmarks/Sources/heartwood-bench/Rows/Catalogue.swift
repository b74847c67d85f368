/// All rows for the given parameters, in the order of the table.
struct Catalogue: Sendable {
    let parameters: Parameters
    let rows: [Row]

    init(_ parameters: Parameters) {
        self.parameters = parameters
        let maker = RowMaker(parameters: parameters)
        rows =
            maker.durable + maker.writing + maker.reading + maker.ycsb + maker.values + maker.json + maker.recovery
            + maker.compaction + maker.growth + maker.memory + maker.amplification + maker.damage
            + maker.typed + maker.jobs + maker.heartwood
    }

    /// The row with this name.
    ///
    /// - Throws: `UnknownName`.
    func row(_ id: String) throws -> Row {
        guard let row = rows.first(where: { $0.id == id }) else { throw UnknownName(id, "row", rows.map(\.id)) }
        return row
    }

    /// The sections of the table, in its order.
    var groups: [String] {
        rows.reduce(into: []) { groups, row in
            if !groups.contains(row.info.group) { groups.append(row.info.group) }
        }
    }

    /// The rows with these names and groups; the rows of the plan if `names` is nil.
    ///
    /// - Throws: `UnknownName`.
    func select(_ names: [String]?) throws -> [Row] {
        guard let names else { return rows.filter { $0.plans.contains(parameters.plan) } }
        for name in names where !groups.contains(name) && !rows.contains(where: { $0.id == name }) {
            throw UnknownName(name, "row or group", groups + rows.map(\.id))
        }
        let chosen = rows.filter { names.contains($0.id) || names.contains($0.info.group) }
        let sources = Set(chosen.compactMap(\.source))
        return rows.filter { row in sources.contains(row.id) || chosen.contains { $0.id == row.id } }
    }
}

/// An unknown name on the command line.
struct UnknownName: Error, CustomStringConvertible {
    let description: String

    init(_ name: String, _ kind: String, _ choices: [String]) {
        description = "there is no \(kind) '\(name)': choose from \(choices.joined(separator: ", "))"
    }
}
