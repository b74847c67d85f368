#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Why another user could choose or change what a store reads or writes.
package enum Distrust: Sendable, Hashable {
    /// It belongs to another user.
    case owner(UInt32)
    /// Users other than its owner may write to it.
    case writableByOthers
    /// It is a symbolic link, in a directory where none is followed.
    case symbolicLink
    /// It is a file that would be written, and has several names (hard links): it would be written under all of them.
    case severalNames

    /// Judges a directory, or a file in it.
    ///
    /// Trusted are this process's user and root. A process of root's trusts the directory's owner, whose files it may
    /// write; it opens none of them by a link. A group may write if it is root's, or has the same number as the owner
    /// or as this process's user: many systems give each user such a group.
    ///
    /// - Parameters:
    ///   - owner: The user that owns it.
    ///   - group: Its group.
    ///   - mode: Its permissions.
    ///   - directory: The owner of the directory that is judged, or that the file is in.
    ///   - user: The user of this process.
    init?(owner: UInt32, group: UInt32, mode: UInt32, directory: UInt32, user: UInt32) {
        guard owner == user || owner == 0 || user == 0 && owner == directory else {
            self = .owner(owner)
            return
        }
        let isGroupTrusted = group == 0 || group == owner || group == user
        guard mode & 0o002 != 0 || mode & 0o020 != 0 && !isGroupTrusted else { return nil }
        self = .writableByOthers
    }

    var code: Int32 {
        switch self {
        case .owner, .writableByOthers: EPERM
        case .symbolicLink: ELOOP
        case .severalNames: EMLINK
        }
    }

    /// The reason and the way on, as a clause.
    package var remedy: String {
        switch self {
        case .owner(let user):
            "it belongs to user \(user), who could change it at any time: run this as that user, or give the directory "
                + "and what is in it to the user that runs this ('chown -R')"
        case .writableByOthers:
            "other users may write to it: take that away ('chmod go-w'), or put the store into a directory of its own, "
                + "which it makes itself"
        case .symbolicLink:
            "it is a symbolic link, and none is followed in a store's directory: put the file itself there, or remove "
                + "the link"
        case .severalNames:
            "it has several names (hard links), and would be changed under all of them: put a copy in its place"
        }
    }
}
