/// An error with a message for the user and an exit code.
struct Failure: Error {
    let status: ExitStatus
    /// One line that says what to do; without the prefix "heartwood:".
    let message: String
    /// A word for programs, if that of the exit code isn't right.
    let code: String?
    /// The key concerned.
    let key: [UInt8]?

    init(_ status: ExitStatus, _ message: String, code: String? = nil, key: [UInt8]? = nil) {
        self.status = status
        self.message = message
        self.code = code
        self.key = key
    }
}

/// Ends a command with an exit code and without a message, because everything was already printed.
struct QuietExit: Error {
    let code: Int32

    /// After a signal that requested a stop.
    static var stopped: QuietExit { QuietExit(code: 128 + (Signals.requestToStop ?? 0)) }
}
