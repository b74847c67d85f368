#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Ends the process, with a failure, when nothing has happened for too long: a store that hangs is a failure too.
struct Watchdog {
    private let seconds: UInt32

    init(seconds: UInt32) {
        self.seconds = seconds
        signal(SIGALRM) { _ in
            let text: StaticString = "FAILED: it hangs. The seed stands above; the store is kept.\n"
            _ = write(STDOUT_FILENO, text.utf8Start, text.utf8CodeUnitCount)
            _exit(1)
        }
        rearm()
    }

    func rearm() { alarm(seconds) }

    func stop() { alarm(0) }
}
