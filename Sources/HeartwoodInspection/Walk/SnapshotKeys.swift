internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Whether a snapshot is sound in itself, as an opening asks: header, footer and key section.
enum SnapshotKeys {
    /// Why it isn't.
    struct Damage {
        var offset: UInt64
        var what: String
        var cause: FormatError?
    }

    /// O(bytes of the keys).
    static func damage(of file: DataFile) throws(FileSystemError) -> Damage? {
        switch file.state {
        case .sound: break
        case .damaged(let error): return Damage(offset: 0, what: "the header of the snapshot is damaged", cause: error)
        case .misplaced: return Damage(offset: 0, what: "the snapshot is misplaced")
        case .otherKind: return Damage(offset: 0, what: "a file named as a snapshot is none")
        case .unsupported(let error): return Damage(offset: 0, what: "the snapshot is of a newer version", cause: error)
        }
        var walk = try SnapshotWalk(file, header: file.header!)
        if let damage = walk.footerDamage {
            return Damage(
                offset: damage.part.lowerBound, what: "the snapshot is damaged at its end, or was cut short",
                cause: damage.error)
        }
        return try walk.damageOfKeys()
    }
}
