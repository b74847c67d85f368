extension RepositoryDefinition {
    /// - Throws: `.invalidArgument` for a version or migrations that can't be.
    var coding: RecordCoding<Model> {
        get throws(StoreError) { RecordCoding(name, coder, try MigrationPath(to: version, migrations)) }
    }

    /// The definition without its types.
    ///
    /// - Throws: `.invalidArgument` for a name that is empty or used twice, or an index that can't be.
    func shape(_ coding: RecordCoding<Model>, hasOtherWriters: Bool) throws(StoreError) -> RepositoryShape {
        if name.isEmpty { throw StoreError(.invalidArgument, "a repository has an empty name: name it") }
        var stored: [StoredIndex] = []
        for index in indexes {
            if index.name.isEmpty || stored.contains(where: { $0.name == index.name }) {
                throw StoreError(
                    .invalidArgument,
                    "the repository \"\(name)\" has two indexes named \"\(index.name)\", or one without a name: "
                        + "rename it"
                )
            }
            guard !index.components.isEmpty, index.components.count(where: { $0.isCollection }) <= 1 else {
                throw StoreError(
                    .invalidArgument,
                    "the index \"\(index.name)\" has no component, or more than one collection: define several indexes")
            }
            stored.append(
                StoredIndex(
                    name: index.name, number: 0, isUnique: index.isUnique, revision: index.revision,
                    components: index.components.map(\.storedDescription), state: .building))
        }
        return coding.shape(
            indexes: stored,
            removesUnknown: unknownIndexes == .remove || unknownIndexes == .automatic && !hasOtherWriters,
            refusesUnknown: unknownIndexes == .refuse)
    }
}

extension IndexComponent {
    /// The type of the value, and the key path where the runtime can name it: it has no stable name for a computed
    /// property, whose meaning ``Index/revision`` stands for.
    var storedDescription: String {
        let typeName = isCollection ? "[\(type)]" : "\(type)"
        let path = "\(path)"
        guard let dot = path.firstIndex(of: "."), !path.contains("<") else { return typeName }
        return "\(path[path.index(after: dot)...]): \(typeName)"
    }
}

extension Index {
    /// The keys of a model in this index: the encoded values of each entry, ascending, without duplicates.
    var keys: @Sendable (Model) -> [[UInt8]] {
        let appending = components.map(\.append)
        guard components.contains(where: \.isCollection) else {
            return { model in
                var encoder = TupleEncoder()
                for append in appending { append(model, &encoder) }
                return [encoder.bytes]
            }
        }
        let components = components
        return { model in
            if components.count == 1 {
                let values = components[0].values(model)
                if values.count < 2 { return values }
            }
            var keys: [[UInt8]] = [[]]
            for component in components {
                let values = component.values(model)
                keys = keys.flatMap { key in values.map { key + $0 } }
            }
            return Set(keys).sorted { $0.lexicographicallyPrecedes($1) }
        }
    }
}
