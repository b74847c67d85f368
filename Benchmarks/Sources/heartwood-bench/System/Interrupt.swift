internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A request to stop (Ctrl-C, or SIGTERM): the first one ends the run with what was measured so far, a second one ends
/// the process.
enum Interrupt {
    private static let requested = Atomic(false)

    @inline(__always)
    static var isRequested: Bool { requested.load(ordering: .relaxed) }

    static func listen() {
        // Reading it here makes sure that the handler, which may do very little, isn't the first to touch it.
        _ = isRequested
        for number in [SIGINT, SIGTERM] {
            var action = sigaction()
            action.sa_flags = Int32(truncatingIfNeeded: SA_RESETHAND)
            #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = { _ in Interrupt.requested.store(true, ordering: .relaxed) }
            #else
            action.__sigaction_handler.sa_handler = { _ in Interrupt.requested.store(true, ordering: .relaxed) }
            #endif
            sigaction(number, &action, nil)
        }
    }
}
