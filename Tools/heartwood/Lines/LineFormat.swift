internal import Heartwood

/// How a line of input becomes a record.
enum LineFormat: Sendable {
    /// What `export` writes: key and value are named.
    case pairs
    /// The line itself is the value, and its fields make the key.
    case lines(key: KeyTemplate)

    /// The longest value that a store takes unless it is configured otherwise; the tool doesn't.
    private static let maximumValueBytes = Store.Configuration().maximumValueBytes

    /// The record that a line asks for.
    func record(_ line: Line) throws(BadLine) -> Record {
        guard String(validating: line.bytes, as: UTF8.self) != nil else {
            throw BadLine(number: line.number, reason: "not UTF-8")
        }
        let record: Record
        do {
            switch self {
            case .pairs: record = try PairsLine.record(line)
            case .lines(let template):
                let key = try template.key(of: line.bytes)
                record = Record(key: key, value: line.bytes, expires: nil, line: line.number)
            }
        } catch {
            throw BadLine(number: line.number, reason: error.description)
        }
        if let problem = KeyLimits.problem(record.key) { throw BadLine(number: line.number, reason: problem) }
        if record.value.count > Self.maximumValueBytes {
            throw BadLine(
                number: line.number,
                reason: "the value has \(Numbers.bytes(record.value.count)): "
                    + "\(Numbers.bytes(Self.maximumValueBytes)) are the most")
        }
        return record
    }
}
