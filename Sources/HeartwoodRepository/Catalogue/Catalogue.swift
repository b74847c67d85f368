/// The catalogue of a store, as one view shows it.
package struct Catalogue: Sendable {
    /// What is wrong with a key of the catalogue.
    package struct Problem: Sendable {
        package var key: [UInt8]
        /// What was read from the key: nil if the key itself isn't one of the catalogue.
        package var name: String?
        package var error: StoreError
    }

    /// The entries that decode, in the order of their names.
    package var entries: [CatalogueEntry] = []
    /// The keys that don't belong here, and the entries that don't decode.
    package var problems: [Problem] = []

    /// Reads it.
    ///
    /// - Throws: `.unsupportedFormat` for an entry of a newer layout; what reading throws.
    /// - Complexity: O(repositories).
    package nonisolated(nonsending) static func read(
        from reader: any KeyValueReader
    ) async throws(StoreError) -> Catalogue {
        var catalogue = Catalogue()
        // Keys that belong to the entry of a repository.
        var dependents: [(name: String, key: [UInt8])] = []
        var numbers: Set<Int> = []
        var nextNumber = 1
        var rest: KeyRange? = .prefix(KeyLayout.catalogue)
        while let range = rest {
            let page = try await reader.fetchEntries(in: range, reversed: false, limit: 256)
            for entry in page.entries {
                do throws(StoreError) {
                    switch CatalogueKey(entry.key) {
                    case .nextNumber:
                        var decoder = TupleDecoder(entry.value)
                        nextNumber = try Int(from: &decoder)
                    case .entry(let name): try catalogue.add(entry, name, &numbers)
                    case .progress(let name), .imported(let name): dependents.append((name, entry.key))
                    case nil: throw notOfCatalogue
                    }
                } catch {
                    if error.code == .unsupportedFormat { throw error }
                    catalogue.problems.append(
                        Problem(key: entry.key, name: CatalogueKey(entry.key)?.name, error: error))
                }
            }
            rest = page.next
        }
        let names = Set(catalogue.entries.map(\.name) + catalogue.problems.compactMap(\.name))
        for (name, key) in dependents where !names.contains(name) {
            catalogue.problems.append(Problem(key: key, name: nil, error: notOfCatalogue))
        }
        if catalogue.entries.contains(where: { $0.number >= nextNumber }) {
            let error = StoreError(.corruption, "the next repository would get the number of an existing one")
            catalogue.problems.append(Problem(key: KeyLayout.nextNumber, name: nil, error: error))
        }
        return catalogue
    }

    /// The entry of the repository with a name.
    package func entry(named name: String) -> CatalogueEntry? { entries.first { $0.name == name } }

    private mutating func add(
        _ entry: Entry, _ name: String, _ numbers: inout Set<Int>
    ) throws(StoreError) {
        let decoded = try CatalogueEntry(bytes: entry.value)
        guard decoded.name == name, numbers.insert(decoded.number).inserted,
            Set(decoded.indexes.map(\.number)).count == decoded.indexes.count
        else {
            throw StoreError(
                .corruption, "its name, its number or one of its indexes' is that of another one")
        }
        entries.append(decoded)
    }

    private static let notOfCatalogue = StoreError(
        .corruption, "the catalogue has no key of this kind, or no repository of this name")
}

/// What a key of the catalogue is.
enum CatalogueKey {
    case nextNumber
    case entry(String)
    case progress(String)
    case imported(String)

    init?(_ key: [UInt8]) {
        guard key.starts(with: KeyLayout.catalogue) else { return nil }
        if key == KeyLayout.nextNumber {
            self = .nextNumber
            return
        }
        var decoder = TupleDecoder(key.dropFirst(KeyLayout.catalogue.count))
        guard let name = try? String(from: &decoder) else { return nil }
        switch key {
        case KeyLayout.catalogueKey(name): self = .entry(name)
        case KeyLayout.progressKey(name): self = .progress(name)
        case KeyLayout.importKey(name): self = .imported(name)
        default: return nil
        }
    }

    var name: String? {
        switch self {
        case .nextNumber: nil
        case .entry(let name), .progress(let name), .imported(let name): name
        }
    }
}
