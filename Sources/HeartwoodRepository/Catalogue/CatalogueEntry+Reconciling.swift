/// What a program knows of a repository, without its types: what the catalogue is compared with.
package struct RepositoryShape: Sendable, Hashable {
    package var name: String
    package var version: Int
    package var coder: String
    package var hasOrderedIDs: Bool
    /// Their numbers and states mean nothing.
    package var indexes: [StoredIndex]
    package var removesUnknown: Bool
    package var refusesUnknown: Bool
}

extension RepositoryShape {
    /// How this one differs from another one of the name, as a part of a sentence.
    func difference(to other: RepositoryShape) -> String {
        if version != other.version { return "with version \(version) of its model, and not \(other.version)" }
        if coder != other.coder { return "with the coder \"\(coder)\", and not \"\(other.coder)\"" }
        let others = Set(indexes).symmetricDifference(other.indexes).map { "\"\($0.name)\"" }
        if !others.isEmpty { return "with other indexes (\(Set(others).sorted().joined(separator: ", ")) differ)" }
        return indexes == other.indexes ? "with other unknownIndexes" : "with its indexes in another order"
    }
}

/// Decides, without I/O, what an opening changes in the catalogue.
extension CatalogueEntry {
    /// A new repository, and the value that the key of the next number gets with it.
    ///
    /// - Parameter next: The value that this key has now; nil if there is none.
    package static func make(
        _ shape: RepositoryShape, next: [UInt8]?
    ) throws(StoreError) -> (entry: CatalogueEntry, next: [UInt8]) {
        var number = 1
        if let next {
            var decoder = TupleDecoder(next)
            number = try Int(from: &decoder)
            guard (1..<Int(Int32.max)) ~= number else {
                throw StoreError(
                    .corruption,
                    "the number of the next repository is \(number): another program has written to its key; restore it"
                )
            }
        }
        var encoder = TupleEncoder()
        encoder.append(number + 1)
        return (CatalogueEntry(new: shape, number: number), encoder.bytes)
    }

    /// A new repository. All its indexes are ready, since there is no record.
    init(new shape: RepositoryShape, number: Int) {
        self.init(
            name: shape.name, number: number, version: shape.version, oldestVersion: shape.version,
            coder: shape.coder, hasOrderedIDs: shape.hasOrderedIDs)
        for index in shape.indexes { add(index, .ready) }
    }

    /// The entry after a program with this shape has opened the repository.
    ///
    /// - Throws: `.newerModel`, `.invalidArgument`, `.unknownIndex`.
    package func reconciled(with shape: RepositoryShape) throws(StoreError) -> CatalogueEntry {
        try check(shape)
        var entry = self
        if version < shape.version {
            // What an older version of the model has put into an index may not be what this version looks for.
            entry.version = shape.version
            entry.generation += 1
            for position in entry.indexes.indices where entry.indexes[position].state == .ready {
                entry.indexes[position].state = .building
            }
        }
        for position in entry.indexes.indices where entry.indexes[position].state != .dropping {
            entry.indexes[position].state = try state(entry.indexes[position], in: shape)
            let isResumed = indexes[position].state == .unmaintained && entry.indexes[position].state == .building
            if isResumed { entry.generation += 1 }
        }
        for index in shape.indexes where entry.active(index) == nil {
            entry.add(index, .building)
            entry.generation += 1
        }
        return entry
    }

    /// The entry once a program with this shape has written that opened the repository before its indexes were changed:
    /// an index that the program doesn't know isn't maintained any longer. Nothing becomes building by this, so that
    /// two programs don't undo each other's changes with every write.
    ///
    /// - Throws: `.unknownIndex`.
    func disowning(_ shape: RepositoryShape) throws(StoreError) -> CatalogueEntry {
        var entry = self
        for position in entry.indexes.indices {
            let index = entry.indexes[position]
            guard index.state == .ready || index.state == .building else { continue }
            if shape.indexes.contains(where: { index.isSame(as: $0) }) { continue }
            if shape.refusesUnknown { throw unknown(index) }
            entry.indexes[position].state = .unmaintained
        }
        return entry
    }

    /// The stored index that a program maintains under this definition.
    func active(_ index: StoredIndex) -> StoredIndex? {
        indexes.first { $0.isSame(as: index) && ($0.state == .ready || $0.state == .building) }
    }

    private func check(_ shape: RepositoryShape) throws(StoreError) {
        if version > shape.version {
            throw StoreError(
                .newerModel,
                "the repository \"\(name)\" has version \(version) of its model, and this program has version "
                    + "\(shape.version): use the newer program; nothing was changed")
        }
        if coder != shape.coder {
            throw StoreError(
                .invalidArgument,
                "the repository \"\(name)\" was written with the coder \"\(coder)\", not \"\(shape.coder)\": open it "
                    + "with that one, or move its records to a repository of another name with moveRecords(to:)")
        }
        if hasOrderedIDs != shape.hasOrderedIDs {
            throw StoreError(
                .invalidArgument,
                "the ids of \"\(name)\" were \(hasOrderedIDs ? "" : "not ")ordered keys when it was made, and now the "
                    + "opposite holds: restore the type of its ids, or move its records to a repository of another "
                    + "name with moveRecords(to:)")
        }
    }

    private func state(_ index: StoredIndex, in shape: RepositoryShape) throws(StoreError) -> StoredIndex.State {
        if shape.indexes.contains(where: { index.isSame(as: $0) }) {
            return index.state == .unmaintained ? .building : index.state
        }
        // An index with the name but another definition takes its place.
        let isReplaced = shape.indexes.contains { $0.name == index.name }
        if isReplaced || shape.removesUnknown { return .dropping }
        if shape.refusesUnknown { throw unknown(index) }
        return .unmaintained
    }

    private func unknown(_ index: StoredIndex) -> StoreError {
        StoreError(
            .unknownIndex,
            "the repository \"\(name)\" has an index \"\(index.name)\" that this program doesn't define: define it, "
                + "or open "
                + "the repository with unknownIndexes set to .keep or .remove")
    }

    private mutating func add(_ index: StoredIndex, _ state: StoredIndex.State) {
        var index = index
        (index.number, index.state) = (nextIndex, state)
        nextIndex += 1
        indexes.append(index)
    }
}
