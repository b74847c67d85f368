internal import Heartwood

/// What one line of input asks to write.
struct Record: Sendable {
    let key: [UInt8]
    let value: [UInt8]
    let expires: Timestamp?
    /// The number of the line, from 1, for messages.
    let line: Int

    var byteCount: Int { key.count + value.count }
}

/// A line of input that is refused.
struct BadLine: Error {
    let number: Int
    let reason: String
    /// Whether no line after it can be understood without it.
    var isHeader = false

    /// "line 17: no field 'id'"
    var description: String { "line \(Numbers.grouped(number)): \(reason)" }
}
