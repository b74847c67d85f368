/// An error with a message for the user and an exit code.
struct Failure: Error {
    let status: ExitStatus
    /// One line that says what to do; without the prefix "heartwood:".
    let message: String
    /// The key concerned.
    let key: [UInt8]?

    init(_ status: ExitStatus, _ message: String, key: [UInt8]? = nil) {
        self.status = status
        self.message = message
        self.key = key
    }
}

/// Ends a command with an exit code and without a message, because everything was already printed.
struct QuietExit: Error {
    let code: Int32
}
