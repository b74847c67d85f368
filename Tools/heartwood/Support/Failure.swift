/// An error that is already in the words of the command line.
struct Failure: Error {
    let status: ExitStatus
    /// One line that ends with a remedy; without "heartwood:" before it.
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }
}

/// Ends a command with an exit code, without a word: everything there was to say has been said.
struct QuietExit: Error {
    let code: Int32
}
