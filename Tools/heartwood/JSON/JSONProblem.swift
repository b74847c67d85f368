/// What is wrong with a JSON text or a line of a table, or with its content.
struct JSONProblem: Error {
    let message: String
    /// The position of the byte in the line, from 1; nil if no single byte is wrong.
    let column: Int?

    /// What is wrong, and where.
    var description: String {
        column.map { "\(message) at byte \($0)" } ?? message
    }
}
