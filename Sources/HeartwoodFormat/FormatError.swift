/// Why bytes are not what they should be. Pure: contains no file names.
public enum FormatError: Error, Sendable, Hashable {
    /// There are fewer bytes than the item needs.
    case truncated
    /// The bytes don't begin with the magic number of the item.
    case wrongMagic
    /// The checksum doesn't match: the bytes are not what was written at this offset of this file.
    case checksumMismatch
    /// The bytes are intact but from a newer version of the format. Refuse them; never repair them.
    case unsupported(Unsupported)
    /// The checksum matches, but a field has a value that no writer produces.
    case invalidField(Field)

    /// What this reader is too old for.
    public enum Unsupported: Sendable, Hashable {
        /// The format version of a file.
        case version(UInt16)
        /// The kind of a file.
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

    /// A field with an invalid value.
    public enum Field: Sendable, Hashable {
        /// The salt is zero.
        case salt
        /// Reserved bytes are not zero.
        case reserved
        /// The body's length is not a multiple of eight, or doesn't match the records.
        case bodyLength
        /// The number of records doesn't match the body.
        case recordCount
        /// The sequence number doesn't follow its predecessor.
        case sequence
        /// The sync mark is greater than the offset of the commit itself.
        case syncedMark
        /// The key is empty.
        case keyLength
        /// The value's length doesn't match the kind.
        case valueLength
        /// The expiry doesn't match the kind.
        case expiry
        /// A batch continues after the end of its commit, or two records disagree on whether they are in one batch.
        case batch
        /// A compressed value doesn't inflate to the length it declares.
        case compressedValue
        /// A snapshot's parts don't match the size of its file.
        case snapshotLength
        /// A block of keys, its entries and their records don't match each other.
        case blockLength
        /// A key doesn't follow the previous key in order.
        case keyOrder
    }
}

extension FormatError: CustomStringConvertible {
    /// One clause, for the middle of a message.
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
