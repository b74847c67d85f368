internal import Synchronization

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The signals that the tool answers itself.
enum Signals {
    /// Lets a write to a pipe that nobody reads fail, in place of killing the process in the middle of a write.
    static func ignoreClosedPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// From here on the first SIGINT or SIGTERM is only noted; a second one ends the process as it always does.
    static func noteRequestsToStop() {
        for number in [SIGINT, SIGTERM] {
            var action = sigaction()
            action.sa_flags = Int32(truncatingIfNeeded: SA_RESETHAND)
            #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = { Signals.noted.store($0, ordering: .relaxed) }
            #else
            action.__sigaction_handler.sa_handler = { Signals.noted.store($0, ordering: .relaxed) }
            #endif
            // Reading it here makes sure that the handler, which may do very little, isn't the first to touch it.
            _ = requestToStop
            sigaction(number, &action, nil)
        }
    }

    /// The signal that asked to stop; nil as long as none did.
    static var requestToStop: Int32? {
        let number = noted.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    private static let noted = Atomic<Int32>(0)
}
