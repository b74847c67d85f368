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
    /// Lets a write fail that goes to a pipe without a reader, or beyond the size that a file may have (`ulimit -f`), in
    /// place of killing the process.
    static func ignoreFailedWrites() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Takes the process's signals on this thread, also those that the parent has blocked: all other threads are started
    /// with theirs blocked.
    static func takeAll() -> Never {
        var none = sigset_t()
        sigemptyset(&none)
        while true { sigsuspend(&none) }
    }

    /// From here on the first SIGINT or SIGTERM is only noted; a second one ends the process as it always does.
    static func noteRequestsToStop() {
        // Reading it here makes sure that the handler, which may do very little, isn't the first to touch it.
        _ = requestToStop
        answer(resetting: true) { Signals.noted.store($0, ordering: .relaxed) }
    }

    /// From here on SIGINT and SIGTERM end the process at once, with 130 and 143: for work that only reads, which may
    /// wait for a disk or a pipe without end.
    static func endAtRequests() {
        _ = eraser.count
        answer(resetting: false) { number in
            if Signals.eraser.count > 0 { _ = write(2, Signals.eraser.baseAddress, Signals.eraser.count) }
            _exit(128 + number)
        }
    }

    /// From here on the signals of a process that has run into a wall end it with a message, and with
    /// ``ExitStatus/tryLater``. Called once, before there are threads.
    static func explainDeath(_ message: String) {
        lastWords = UnsafeRawBufferPointer(copying: message)
        for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT] {
            signal(number) { _ in
                _ = write(2, Signals.lastWords.baseAddress, Signals.lastWords.count)
                _exit(ExitStatus.tryLater.rawValue)
            }
        }
    }

    /// Written once, before there are threads and handlers that read it.
    nonisolated(unsafe) private static var lastWords = UnsafeRawBufferPointer(start: nil, count: 0)

    private static func answer(resetting: Bool, _ handler: @convention(c) (Int32) -> Void) {
        for number in [SIGINT, SIGTERM] {
            var action = sigaction()
            action.sa_flags = resetting ? Int32(truncatingIfNeeded: SA_RESETHAND) : 0
            #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handler
            #else
            action.__sigaction_handler.sa_handler = handler
            #endif
            sigaction(number, &action, nil)
        }
    }

    /// What takes a progress bar off the terminal; nothing where standard error is none. Never freed, and never changed.
    nonisolated(unsafe) private static let eraser: UnsafeRawBufferPointer = {
        guard FileDescriptor.standardError.isTerminal, Environment["TERM"] != "dumb" else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(copying: "\r\u{1B}[K")
    }()

    /// The signal that asked to stop; nil as long as none did.
    static var requestToStop: Int32? {
        let number = noted.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    private static let noted = Atomic<Int32>(0)
}

extension UnsafeRawBufferPointer {
    /// A text that a signal handler may read: it is never freed.
    fileprivate init(copying text: String) {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: text.utf8.count, alignment: 1)
        bytes.copyBytes(from: text.utf8)
        self.init(bytes)
    }
}
