internal import HeartwoodFileSystem
internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Writes a file anew.
func write(_ text: String, to path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0 else { throw FileSystemError(operation: .open, path: path, code: errno) }
    defer { close(file) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard count > 0 else { throw FileSystemError(operation: .write, path: path, code: errno) }
        rest.removeFirst(count)
    }
}

/// Whether a count goes up: what a watchdog watches.
final class NewestCount: Sendable {
    private let newest = Atomic<Int>(-1)

    func isNew(_ count: Int) -> Bool { newest.exchange(count, ordering: .relaxed) != count }
}
