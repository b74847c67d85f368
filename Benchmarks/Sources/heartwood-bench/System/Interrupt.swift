internal import Foundation
internal import Synchronization

/// A request to stop (Ctrl-C or SIGTERM). The first ends the run, with the results so far; a second ends the process.
enum Interrupt {
    private static let requested = Atomic(false)

    @inline(__always)
    static var isRequested: Bool { requested.load(ordering: .relaxed) }

    static func listen() {
        // Initialises the static variable here, because a signal handler must not.
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
