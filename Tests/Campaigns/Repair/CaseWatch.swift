#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif
internal import Synchronization

/// Says which cases are under way when the process traps or hangs: that is a failure, too, and the process ends with
/// it.
struct CaseWatch {
    /// What a signal handler reads.
    private final class Board: Sendable {
        let command: [UInt8]
        let first: Atomic<Int>
        let second: Atomic<Int>

        init(_ command: String) {
            self.command = Array("FAILED: it trapped or hung in one of\n  \(command) ".utf8)
            first = Atomic(-1)
            second = Atomic(-1)
        }
    }

    private static let current = Mutex<Board?>(nil)
    private let board: Board
    private static let signals = [SIGALRM, SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE]

    /// - Parameter command: Runs a case again when its number is added.
    init(command: String, jobs: Int) {
        let board = Board(command)
        self.board = board
        Self.current.withLock { $0 = board }
        for number in Self.signals {
            signal(number) { _ in CaseWatch.report() }
        }
    }

    /// A case begins, on a worker. A case that takes more than two minutes hangs.
    func begin(_ number: Int, of worker: Int) {
        if worker % 2 == 0 {
            board.first.store(number, ordering: .relaxed)
        } else {
            board.second.store(number, ordering: .relaxed)
        }
        alarm(120)
    }

    func stop() {
        alarm(0)
        for number in Self.signals { signal(number, SIG_DFL) }
    }

    /// The process is about to end: what isn't meant for signal handlers does no harm any more.
    private static func report() {
        if let board = current.withLockIfAvailable({ $0 }) ?? nil {
            let numbers = [board.first.load(ordering: .relaxed), board.second.load(ordering: .relaxed)]
            for number in numbers where number >= 0 {
                let text = board.command + Array("\(number)\n".utf8)
                _ = text.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            }
        }
        _exit(1)
    }
}
