internal import Foundation

/// Ends the process with a failure if there is no progress for too long: a store that hangs is a failure too.
struct Watchdog {
    private let seconds: UInt32

    init(seconds: UInt32) {
        self.seconds = seconds
        signal(SIGALRM) { _ in
            let text: StaticString = "FAILED: no progress. The seed is printed above; the store is kept.\n"
            _ = write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
            _exit(1)
        }
        rearm()
    }

    func rearm() { alarm(seconds) }

    func stop() { alarm(0) }
}
