internal import Foundation
internal import Synchronization

/// Ends the process with a failure if there is no progress for too long: a store that hangs is a failure too.
struct Watchdog {
    private let seconds: UInt32
    /// The commands that repeat what is running, by worker.
    private static let running = Mutex<[Int: String]>([:])

    /// - Parameter reportsTraps: Whether it also reports a trap, instead of Swift's report.
    init(seconds: UInt32, reportsTraps: Bool) {
        self.seconds = seconds
        for number in [SIGALRM] + (reportsTraps ? [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE] : []) {
            signal(number) { Watchdog.report($0) }
        }
        rearm()
    }

    func rearm() { alarm(seconds) }

    func stop() { alarm(0) }

    func begin(_ command: String, of worker: Int) {
        Self.running.withLock { $0[worker] = command }
        rearm()
    }

    /// Called by signal handlers. It may allocate, because the process is about to end.
    private static func report(_ number: Int32) {
        say("FAILED: \(number == SIGALRM ? "no progress" : "a trap"). The seed is printed above; the store is kept.")
        for command in (running.withLockIfAvailable { $0 } ?? [:]).values { say("  one of: \(command)") }
        _exit(1)
    }
}
