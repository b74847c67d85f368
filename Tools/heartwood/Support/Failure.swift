/// An error with a message for the user and an exit code.
struct Failure: Error {
    let status: ExitStatus
    /// One line that says what to do; without the prefix "heartwood:".
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }
}

/// Ends a command with an exit code and without a message, because everything was already printed.
struct QuietExit: Error {
    let code: Int32
}
