internal import Foundation
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// The process that has a store open.
enum StoreHolder {
    /// The number of the process that holds the lock of a store. Nil if none holds it, and if its number isn't known
    /// here, as in another container. Creates and writes nothing.
    static func process(at path: String) -> Int32? {
        let lock = open(path + "/" + StoreFileName.lockName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard lock >= 0 else { return nil }
        defer { close(lock) }
        var text = [UInt8](repeating: 0, count: 32)
        let count = text.withUnsafeMutableBytes { pread(lock, $0.baseAddress, $0.count, 0) }
        // Tries the lock only if the last holder still runs. An opening of another process that meets the trial, which
        // takes microseconds, would be refused.
        guard let holder = LockFileText.holder(in: text.prefix(max(0, count))), holder > 0,
            kill(holder, 0) == 0 || errno == EPERM,
            flock(lock, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK
        else { return nil }
        return holder
    }
}
