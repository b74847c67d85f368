#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif
internal import Synchronization

/// A file descriptor that is never closed during a system call.
///
/// The system reuses the number of a closed descriptor at once. If one thread closes a descriptor while another is
/// about to use the number, a `pread` would read from whatever file was opened in between, and a `pwrite` would destroy
/// that file.
///
/// So one atomic word counts the users and records that the descriptor is to be closed:
///
/// - A user counts itself in, then checks that `closing` was not set, and counts itself out afterwards. So once
///   `closing` is set and the count is zero, no thread uses the descriptor again.
/// - The thread that sees that state (the closer if there is no user, else the last user) changes the word from
///   `closing` alone to `closing` and `closed`. Only one thread succeeds, and that thread closes the descriptor.
///
/// A late user counts itself in, sees `closing`, and counts itself out. It may then be the thread that closes, but it
/// does not use the descriptor.
package final class SharedDescriptor: Sendable {
    private static let closing: UInt32 = 1 << 31
    private static let closed: UInt32 = 1 << 30

    private let descriptor: Int32
    /// The two flags, with the number of users in the lower bits.
    private let word = Atomic<UInt32>(0)

    /// Takes ownership of the descriptor.
    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        _ = close()
    }

    /// Returns the descriptor, which stays open until ``leave()``. Returns nil if it was closed; then don't call
    /// ``leave()``.
    @inline(__always)
    package func enter() -> Int32? {
        let before = word.wrappingAdd(1, ordering: .acquiring).oldValue
        guard before & Self.closing == 0 else {
            leave()
            return nil
        }
        return descriptor
    }

    /// Ends the use that ``enter()`` began.
    @inline(__always)
    package func leave() {
        let after = word.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
        // The error can't be reported here. Durability comes from syncing, not from closing.
        if after == Self.closing { _ = closeOnce() }
    }

    /// Closes the descriptor now, or when its last user leaves.
    ///
    /// - Returns: The error number of the system; 0 if there was no error, or if the last user is going to close it.
    package func close() -> Int32 {
        let before = word.bitwiseOr(Self.closing, ordering: .acquiringAndReleasing).oldValue
        return before == 0 ? closeOnce() : 0
    }

    private func closeOnce() -> Int32 {
        let isMine = word.compareExchange(
            expected: Self.closing, desired: Self.closing | Self.closed, ordering: .acquiringAndReleasing
        ).exchanged
        guard isMine else { return 0 }
        #if canImport(Darwin)
        let result = Darwin.close(descriptor)
        #elseif canImport(Musl)
        let result = Musl.close(descriptor)
        #else
        let result = Glibc.close(descriptor)
        #endif
        return result == 0 ? 0 : errno
    }
}
