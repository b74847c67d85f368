#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The system's error numbers, for code that simulates a file system.
///
/// The numbers differ between systems. These are the numbers of the system that this code was compiled for.
package enum ErrorNumber {
    /// Permission denied.
    package static let EACCES: Int32 = systemEacces
    /// The file is closed, or not open for this operation.
    package static let EBADF: Int32 = systemEbadf
    /// The file or directory is in use.
    package static let EBUSY: Int32 = systemEbusy
    /// The quota is used up.
    package static let EDQUOT: Int32 = systemEdquot
    /// The name exists already.
    package static let EEXIST: Int32 = systemEexist
    /// The file would become too large.
    package static let EFBIG: Int32 = systemEfbig
    /// A signal interrupted the call.
    package static let EINTR: Int32 = systemEintr
    /// An argument is invalid.
    package static let EINVAL: Int32 = systemEinval
    /// The device failed.
    package static let EIO: Int32 = systemEio
    /// It is a directory.
    package static let EISDIR: Int32 = systemEisdir
    /// The process has too many open files.
    package static let EMFILE: Int32 = systemEmfile
    /// The system has too many open files.
    package static let ENFILE: Int32 = systemEnfile
    /// There is no such file or directory.
    package static let ENOENT: Int32 = systemEnoent
    /// The disk is full.
    package static let ENOSPC: Int32 = systemEnospc
    /// It is not a directory.
    package static let ENOTDIR: Int32 = systemEnotdir
    /// The directory is not empty.
    package static let ENOTEMPTY: Int32 = systemEnotempty
    /// The file system does not support the operation.
    package static let EOPNOTSUPP: Int32 = systemEopnotsupp
    /// The operation is not permitted.
    package static let EPERM: Int32 = systemEperm
    /// The disk is mounted read-only.
    package static let EROFS: Int32 = systemErofs
    /// The call would have to wait, such as for a lock that is held elsewhere.
    package static let EWOULDBLOCK: Int32 = systemEwouldblock
}

// Inside the enum the same names would refer to the enum's own members.
private let systemEacces = EACCES
private let systemEbadf = EBADF
private let systemEbusy = EBUSY
private let systemEdquot = EDQUOT
private let systemEexist = EEXIST
private let systemEfbig = EFBIG
private let systemEintr = EINTR
private let systemEinval = EINVAL
private let systemEio = EIO
private let systemEisdir = EISDIR
private let systemEmfile = EMFILE
private let systemEnfile = ENFILE
private let systemEnoent = ENOENT
private let systemEnospc = ENOSPC
private let systemEnotdir = ENOTDIR
private let systemEnotempty = ENOTEMPTY
private let systemEopnotsupp = EOPNOTSUPP
private let systemEperm = EPERM
private let systemErofs = EROFS
private let systemEwouldblock = EWOULDBLOCK
