#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif
internal import Synchronization

/// A file descriptor that is never closed under a system call.
///
/// The number of a closed descriptor is given out again at once. A `pread` that has the number in hand while another
/// thread closes it would read from whatever file was opened in between, and a `pwrite` would destroy that one.
///
/// So one atomic word counts the users and remembers that the descriptor is to be closed:
///
/// - Who uses the descriptor has counted itself in before it learned that `closing` was not set, and counts itself out
///   after. So from the moment at which `closing` is set with a count of zero, nobody uses the descriptor, ever again.
/// - Who sees that moment (the closer where nobody uses it, else the last user) moves the word from `closing` alone to
///   `closing` and `closed`. One of them succeeds, and that one closes.
///
/// A latecomer counts itself in and, seeing `closing`, out again; it may thereby be the one that closes, but not use.
package final class SharedDescriptor: Sendable {
    private static let closing: UInt32 = 1 << 31
    private static let closed: UInt32 = 1 << 30

    private let descriptor: Int32
    /// The two flags, and the number of users in the bits below.
    private let word = Atomic<UInt32>(0)

    /// Takes over the descriptor.
    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        _ = close()
    }

    /// The descriptor, which stays open until ``leave()``; nil, and then without a ``leave()``, if it was closed.
    @inline(__always)
    package func enter() -> Int32? {
        let before = word.wrappingAdd(1, ordering: .acquiring).oldValue
        guard before & Self.closing == 0 else {
            leave()
            return nil
        }
        return descriptor
    }

    /// Ends what ``enter()`` began.
    @inline(__always)
    package func leave() {
        let after = word.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue
        // Nobody would hear of an error. What is to be durable was synced, not closed.
        if after == Self.closing { _ = closeOnce() }
    }

    /// Closes the descriptor, or leaves that to its last user.
    ///
    /// - Returns: The error number of the system, or 0.
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
