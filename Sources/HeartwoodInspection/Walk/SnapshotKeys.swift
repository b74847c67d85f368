internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Whether a snapshot is sound in itself, as an opening asks: footer and key section. O(bytes of the keys).
enum SnapshotKeys {
    static func areSound(_ file: DataFile, _ header: FileHeader) throws(FileSystemError) -> Bool {
        var walk = try SnapshotWalk(file, header: header)
        return try walk.keysAreSound()
    }
}
