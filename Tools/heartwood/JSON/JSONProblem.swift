/// What is wrong with a JSON text, or with what it says.
struct JSONProblem: Error {
    let message: String
    /// The byte in the line at which it shows, counted from 1; nil where no single place is at fault.
    let column: Int?

    /// What is wrong, and where.
    var description: String {
        column.map { "\(message) at byte \($0)" } ?? message
    }
}
