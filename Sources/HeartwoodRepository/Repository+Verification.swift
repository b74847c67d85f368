extension ReadableRepository {
    /// Verifies this repository, with the type of its model.
    ///
    /// It checks what `verifyRepositories` of the store checks, that each record decodes to a model with its id,
    /// and that it lists the keys in each index that its values have now. Records of older versions are migrated in
    /// memory, and only have to decode.
    ///
    /// - Returns: The figures of this repository, and what was found. A finding is no error.
    /// - Throws: `.notFound` if the store no longer has the repository; `.unsupportedFormat`; `.cancelled`; what
    ///   reading throws.
    /// - Complexity: Decodes each record once, and reads it again for each page of index entries that lead to it.
    public nonisolated(nonsending) func verify() async throws(StoreError) -> RepositoryVerification {
        let core = readOnly.core
        let pass = VerificationPass(core.base.store, isComparing: true) { core.findings($0, $1, $2) }
        try await pass.run(onlyOf: core.definition.name)
        return pass.result
    }
}

extension RepositoryCore {
    /// What is wrong with a record that only its model shows.
    fileprivate func findings(
        _ entry: Entry, _ envelope: RecordEnvelope, _ repository: CatalogueEntry
    ) -> [RepositoryFinding] {
        let id = base.layout.id(ofRecord: entry.key)
        let model: Model
        do throws(StoreError) {
            model = try decoded(entry)
        } catch {
            let what = error.code == .newerModel ? "it has a newer version of the model" : "it doesn't decode"
            return [
                RepositoryFinding(
                    .undecodableRecord, what + (error.cause.map { " (\($0))" } ?? ""), key: entry.key,
                    repository: repository.name, id: id)
            ]
        }
        var findings: [RepositoryFinding] = []
        if let other = otherID(of: model, entry.key) {
            findings.append(
                RepositoryFinding(
                    .otherID, "its model has another id, \(TupleValue.one(in: other))", key: entry.key,
                    repository: repository.name, id: id))
        }
        guard envelope.version == definition.version else { return findings }
        for (index, shape) in zip(definition.indexes, base.shape.indexes) {
            guard let stored = repository.active(shape),
                let group = envelope.groups.first(where: { $0.index == stored.number }),
                group.values != index.keys(model)
            else { continue }
            findings.append(
                RepositoryFinding(
                    .outdatedKeys, "it lists other keys in the index than its values have", key: entry.key,
                    repository: repository.name, index: index.name, id: id))
        }
        return findings
    }
}
