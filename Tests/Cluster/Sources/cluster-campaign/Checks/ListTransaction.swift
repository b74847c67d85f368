/// A transaction that appends to lists and reads them, as its client saw it.
struct ListTransaction: Sendable, Hashable, Codable {
    /// One step.
    enum Step: Sendable, Hashable, Codable {
        /// Appends a value to a list. No value is appended to a list twice in a history.
        case append(key: Int, value: Int)
        /// Reads a list.
        case read(key: Int, values: [Int])
    }

    /// What became of it.
    enum Outcome: String, Sendable, Hashable, Codable {
        /// It was acknowledged.
        case committed
        /// It was refused, and nothing was written.
        case aborted
        /// It was not acknowledged, and may have been written. Its reads say nothing.
        case unknown
    }

    var client: Int
    var steps: [Step]
    var outcome: Outcome
    /// When it began, by one clock for all clients.
    var start: UInt64
    /// When it was acknowledged or refused.
    var end: UInt64
}
