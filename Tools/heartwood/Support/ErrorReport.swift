internal import Heartwood

/// An error that ends a command, as text and as JSON.
struct ErrorReport {
    let status: ExitStatus
    /// One line, without the prefix "heartwood:".
    let text: String
    private let code: String
    private let message: String
    private var key: [UInt8]?
    private var file: String?
    private var offset: UInt64?
    private var restart: ChangePosition?

    init(_ failure: Failure) {
        status = failure.status
        text = failure.message
        code = failure.code ?? String(describing: failure.status)
        message = failure.message
        key = failure.key
    }

    init(_ error: StoreError) {
        status = ExitStatus(error.code)
        text = String(describing: error)
        // `notFound` is the code of a key that doesn't exist.
        code = error.code == .notFound ? String(describing: ExitStatus.noStore) : error.code.description
        message = error.message + (error.cause.map { " (\($0))" } ?? "")
        file = error.file
        offset = error.offset
        restart = error.restart
    }

    /// Prints the error: one line on standard error, with `--json` in JSON.
    func print() {
        // Of the arguments as they were typed, so that it works for those that the parser refuses.
        if CommandLine.arguments.dropFirst().prefix(while: { $0 != "--" }).contains("--json") {
            StandardError.print(json.string)
        } else {
            StandardError.say(text)
        }
    }

    /// Only what is known of key, file, offset and the position to start again from.
    private var json: JSONText {
        var error: JSONText = ["code": code, "message": message]
        if let key { error.add("key", key) }
        error.add(known: ["file": file, "offset": offset, "restart": restart.map { String($0) }])
        error.add("exitCode", status.rawValue)
        return ["error": error]
    }
}
