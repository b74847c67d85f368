internal import Heartwood

/// An error that ends a command, as text and as JSON.
struct ErrorReport {
    let status: ExitStatus
    /// One line, without the prefix "heartwood:".
    let text: String
    private let code: String
    private let message: String
    private var file: String?
    private var offset: UInt64?

    init(_ failure: Failure) {
        status = failure.status
        text = failure.message
        code = String(describing: failure.status)
        message = failure.message
    }

    init(_ error: StoreError) {
        status = ExitStatus(error.code)
        text = String(describing: error)
        // `notFound` is the code of a key that doesn't exist.
        code = error.code == .notFound ? String(describing: ExitStatus.noStore) : error.code.description
        message = error.message + (error.cause.map { " (\($0))" } ?? "")
        file = error.file
        offset = error.offset
    }

    /// Only what is known of file and offset.
    var json: JSONText {
        var error = JSONText()
        error.add("code", code)
        error.add("message", message)
        if let file { error.add("file", file) }
        if let offset { error.add("offset", offset) }
        error.add("exitCode", status.rawValue)
        var json = JSONText()
        json.add("error", error)
        return json
    }
}
