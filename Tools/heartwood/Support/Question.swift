/// A question to the user on a terminal.
enum Question {
    /// Whether there is a user to ask.
    static var canAsk: Bool { FileDescriptor.standardInput.isTerminal && FileDescriptor.standardError.isTerminal }

    /// Asks on standard error. Only "y" and "yes" agree.
    static func isAgreed(_ question: String) -> Bool {
        StandardError.write(Array(Escaping.line("\(question) [y/N] ").utf8))
        return ["y", "yes"].contains(readLine()?.lowercased())
    }
}
