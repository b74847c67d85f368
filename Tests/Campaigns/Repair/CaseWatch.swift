internal import Foundation
internal import Synchronization

/// Prints which cases are running if the process traps or hangs, and ends the process: that is a failure too.
struct CaseWatch {
    /// The numbers of the cases that are running, for a signal handler.
    private final class Board: Sendable {
        let command: [UInt8]
        let first: Atomic<Int>
        let second: Atomic<Int>

        init(_ command: String) {
            self.command = Array("FAILED: a trap or a hang in one of\n  \(command) ".utf8)
            first = Atomic(-1)
            second = Atomic(-1)
        }
    }

    private static let current = Mutex<Board?>(nil)
    private let board: Board
    private static let signals = [SIGALRM, SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE]

    /// - Parameter command: The command that runs a case again, without the number of the case.
    init(command: String, jobs: Int) {
        let board = Board(command)
        self.board = board
        Self.current.withLock { $0 = board }
        for number in Self.signals {
            signal(number) { _ in CaseWatch.report() }
        }
    }

    /// Notes that a worker begins a case. A case that takes more than two minutes hangs.
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

    /// Called by signal handlers. It may allocate, because the process is about to end.
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
