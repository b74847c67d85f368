internal import Foundation
internal import Synchronization

/// The signals that the tool handles itself.
enum Signals {
    /// Makes a write fail, instead of killing the process, if it goes to a pipe without a reader or beyond the limit of
    /// file sizes (`ulimit -f`).
    static func ignoreFailedWrites() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Receives the process's signals on this thread, also those that the parent has blocked. All other threads are
    /// started with signals blocked.
    static func takeAll() -> Never {
        var none = sigset_t()
        sigemptyset(&none)
        while true { sigsuspend(&none) }
    }

    /// From now on the first SIGINT or SIGTERM is only recorded. A second one ends the process by its default action.
    static func noteRequestsToStop() {
        // Initializes it here, because a signal handler must not be the first to access it.
        _ = (requestToStop, Interrupt.isRequested)
        answerStopSignals(resetting: true) {
            Signals.noted.store($0, ordering: .relaxed)
            Interrupt.request()
        }
    }

    /// From now on SIGINT and SIGTERM end the process at once, with 130 and 143. This is for work that only reads,
    /// which may wait for a disk or a pipe without end.
    static func endAtRequests() {
        _ = eraser.count
        answerStopSignals(resetting: false) { number in
            if Signals.eraser.count > 0 { _ = write(2, Signals.eraser.baseAddress, Signals.eraser.count) }
            _exit(128 + number)
        }
    }

    /// From now on fatal signals, such as SIGSEGV, end the process with a message, and with ``ExitStatus/tryLater``.
    /// Called once, before there are threads.
    static func explainDeath(_ message: String) {
        deathMessage = UnsafeRawBufferPointer(copying: message)
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT] {
            signal(number) { _ in
                _ = write(2, Signals.deathMessage.baseAddress, Signals.deathMessage.count)
                _exit(ExitStatus.tryLater.rawValue)
            }
        }
    }

    /// Written once, before there are threads and handlers that read it.
    nonisolated(unsafe) private static var deathMessage = UnsafeRawBufferPointer(start: nil, count: 0)

    /// The bytes that erase a progress bar from the terminal; empty if standard error is none. Never freed, and never
    /// changed.
    nonisolated(unsafe) private static let eraser: UnsafeRawBufferPointer = {
        Style.erasesLines
            ? UnsafeRawBufferPointer(copying: "\r\u{1B}[K") : UnsafeRawBufferPointer(start: nil, count: 0)
    }()

    /// The signal that requested a stop; nil if there was none.
    static var requestToStop: Int32? {
        let number = noted.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Calls `stop` if a signal requests a stop while `body` runs.
    static func whenRequestedToStop<R>(
        _ stop: @escaping @Sendable () async throws -> Void, during body: () async throws -> R
    ) async throws -> R {
        let watching = Task {
            while requestToStop == nil { try await Task.sleep(for: .milliseconds(20)) }
            try await stop()
        }
        defer { watching.cancel() }
        return try await body()
    }

    private static let noted = Atomic<Int32>(0)
}

extension UnsafeRawBufferPointer {
    /// A text that a signal handler may read, because it is never freed.
    fileprivate init(copying text: String) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
        bytes.copyBytes(from: text.utf8)
        self.init(bytes)
    }
}
