internal import Foundation
internal import Heartwood
internal import HeartwoodRepository

/// Says from which JSON file the records of a store were imported. `Documentation/RecordLayout.md` describes it.
struct ImportMarker: Codable, Sendable, Hashable {
    /// A file, by its content.
    struct File: Codable, Sendable, Hashable {
        var name: String
        var bytes: Int
        /// CRC-32C.
        var checksum: UInt32
    }

    var format = 1
    /// Whether the store has all records of the file.
    var isComplete: Bool
    /// Nil if there was no file when the store was made.
    var file: File?

    private static let key = KeyLayout.importKey(localRepositoryName)

    init(isComplete: Bool, of file: File?) { (self.isComplete, self.file) = (isComplete, file) }

    /// Reads the marker of a store; nil if it has none. Blocks.
    static func read(in store: Store) throws(StoreError) -> ImportMarker? {
        guard let entry = try store.entry(key) else { return nil }
        guard let marker = try? JSONDecoder().decode(ImportMarker.self, from: Data(entry.value)) else {
            throw StoreError(
                .corruption,
                "the marker of an import doesn't decode: another program has written to its key; restore it"
            )
        }
        guard marker.format == 1 else {
            throw StoreError(
                .unsupportedFormat,
                "the marker of an import has layout \(marker.format), which is newer than this program: use a newer "
                    + "version of Heartwood")
        }
        return marker
    }

    /// Adds the marker to a batch.
    func put(into batch: inout WriteBatch) throws(StoreError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            batch.put(Self.key, [UInt8](try encoder.encode(self)))
        } catch {
            throw StoreError(.invalidArgument, "the name of the file can't be encoded: rename it", cause: error)
        }
    }
}
