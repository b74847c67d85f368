internal import Foundation

/// What a store knows of a repository. Stored as JSON; `Documentation/RecordLayout.md` describes it.
package struct CatalogueEntry: Codable, Sendable, Hashable {
    /// The layout of this entry and of the records.
    package var format = 1
    package var name: String
    /// Part of every key of the repository.
    package var number: Int
    /// The version of the model.
    package var version: Int
    /// No record has an older version.
    package var oldestVersion: Int
    /// The name of the coder.
    package var coder: String
    /// Whether the keys of the records are in the order of their ids.
    package var hasOrderedIDs: Bool
    /// The number that the next new index gets. Numbers aren't used again.
    package var nextIndex = 1
    /// Increased when maintenance has to begin again.
    package var generation = 1
    package var indexes: [StoredIndex] = []
}

/// What a store knows of an index.
package struct StoredIndex: Codable, Sendable, Hashable {
    package typealias State = IndexFigures.State

    package var name: String
    /// Part of the key of every entry.
    package var number: Int
    package var isUnique: Bool
    package var revision: Int
    /// A description of each component: another one makes another index.
    package var components: [String]
    package var state: State

    /// Whether it has the entries that another description asks for.
    func isSame(as other: StoredIndex) -> Bool {
        (name, isUnique, revision, components) == (other.name, other.isUnique, other.revision, other.components)
    }
}

extension CatalogueEntry {
    package init(bytes: [UInt8]) throws(StoreError) {
        struct Format: Codable { var format: Int }
        let format: Int
        do {
            format = try JSONDecoder().decode(Format.self, from: Data(bytes)).format
            if format == 1 {
                self = try JSONDecoder().decode(CatalogueEntry.self, from: Data(bytes))
                guard isPossible else { throw StoreError.notARecord }
                return
            }
        } catch {
            throw StoreError(
                .corruption,
                "the catalogue's entry of a repository doesn't decode: another program has written to its key; "
                    + "restore it",
                cause: error)
        }
        throw StoreError(
            .unsupportedFormat,
            "a repository has layout \(format), which is newer than this program: use a newer version of Heartwood")
    }

    /// Whether all numbers are in their range, so that another one can follow.
    private var isPossible: Bool {
        let numbers = 1..<Int(Int32.max)
        return numbers ~= number && numbers ~= nextIndex && numbers ~= generation
            && (1...Int(Int32.max)) ~= version && (1...version) ~= oldestVersion
            && indexes.allSatisfy { (1..<nextIndex) ~= $0.number }
    }

    package var bytes: [UInt8] {
        get throws(StoreError) {
            guard isPossible else {
                throw StoreError(
                    .invalidArgument,
                    "the repository \"\(name)\" has used up its numbers: copy its records to one of another name")
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            do {
                return [UInt8](try encoder.encode(self))
            } catch {
                throw StoreError(
                    .invalidArgument, "the name of a repository or an index can't be encoded", cause: error)
            }
        }
    }

    package var layout: KeyLayout { KeyLayout(number: number) }

    /// Whether maintenance has something to do.
    var needsMaintenance: Bool {
        oldestVersion < version || indexes.contains { $0.state == .building || $0.state == .dropping }
    }
}
