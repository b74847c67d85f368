/// Why bytes are not what they should be. Pure: it knows no file names.
public enum FormatError: Error, Sendable, Hashable {
    /// Fewer bytes than the item has.
    case truncated
    /// The bytes don't begin with the magic number of the item.
    case wrongMagic
    /// The checksum doesn't match: the bytes are not those that were written at this place of this file.
    case checksumMismatch
    /// The bytes are intact but from a newer version of the format: to be refused, never to be repaired.
    case unsupported(Unsupported)
    /// The checksum matches, but a field has a value that no writer produces.
    case invalidField(Field)

    /// What this reader is too old for.
    public enum Unsupported: Sendable, Hashable {
        /// A file of this format version.
        case version(UInt16)
        /// A file of this kind.
        case fileKind(UInt8)
        /// Flags of a file header.
        case fileFlags(UInt8)
        /// Flags of a commit.
        case commitFlags(UInt32)
        /// A required record kind.
        case recordKind(UInt8)
        /// Flags of a record.
        case recordFlags(UInt8)
        /// Flags of a snapshot's footer.
        case snapshotFlags(UInt32)
    }

    /// A field whose value makes no sense.
    public enum Field: Sendable, Hashable {
        /// The salt is zero.
        case salt
        /// Bytes that are reserved are not zero.
        case reserved
        /// The body's length is not a multiple of eight, or doesn't match the records.
        case bodyLength
        /// The number of records doesn't match the body.
        case recordCount
        /// The sequence number doesn't follow its predecessor.
        case sequence
        /// The synced mark lies behind the commit itself.
        case syncedMark
        /// The key is empty.
        case keyLength
        /// The value's length doesn't suit the kind.
        case valueLength
        /// The expiry doesn't suit the kind.
        case expiry
        /// A batch goes on behind the end of its commit, or two records disagree on whether they are of one batch.
        case batch
        /// A compressed value doesn't inflate to the length it declares.
        case compressedValue
        /// A snapshot's parts don't fit into its file.
        case snapshotLength
        /// A block of keys and its entries, or their records, don't fit together.
        case blockLength
        /// A key doesn't follow the one before.
        case keyOrder
    }
}

extension FormatError: CustomStringConvertible {
    /// One clause, fit for the middle of a message.
    public var description: String {
        switch self {
        case .truncated: "the bytes end too early"
        case .wrongMagic: "the magic number is wrong"
        case .checksumMismatch: "the checksum does not match"
        case .unsupported(.version(let version)): "format version \(version) is newer than this library reads"
        case .unsupported(.fileKind(let kind)): "file kind \(kind) is newer than this library reads"
        case .unsupported(.fileFlags(let flags)): "file flags \(flags) are newer than this library reads"
        case .unsupported(.commitFlags(let flags)): "commit flags \(flags) are newer than this library reads"
        case .unsupported(.recordKind(let kind)): "record kind \(kind) is newer than this library reads"
        case .unsupported(.recordFlags(let flags)): "record flags \(flags) are newer than this library reads"
        case .unsupported(.snapshotFlags(let flags)): "snapshot flags \(flags) are newer than this library reads"
        case .invalidField(let field): "the field \(field) holds what no writer produces"
        }
    }
}
