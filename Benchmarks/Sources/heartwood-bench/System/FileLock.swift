#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The lock that whoever has a store open holds on a file of it.
enum FileLock {
    /// Waits until nobody holds it: a store that is dropped is let go of by its own thread, a moment later.
    static func waitUntilFree(_ path: String) async throws {
        while true {
            let descriptor = open(path, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { throw SystemCallFailure("open", path) }
            let isFree = flock(descriptor, LOCK_EX | LOCK_NB) == 0
            close(descriptor)
            if isFree { return }
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}
