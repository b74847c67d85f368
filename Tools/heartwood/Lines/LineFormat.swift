internal import Heartwood
internal import HeartwoodFormat

/// How a line of input becomes a record.
enum LineFormat: Sendable {
    /// The format of `export`, with named keys and values.
    case pairs
    /// The value is the line itself; its fields make the key.
    case lines(key: KeyTemplate)
    /// The values are fields of lines whose first one names the columns.
    case table(TableFormat)

    /// What separates fields, in which a quoted one may contain line ends; nil if every line end ends a record.
    var fieldSeparator: UInt8? { if case .table(let table) = self { table.separator } else { nil } }

    /// The largest value that a store accepts by default. The tool doesn't change that limit.
    private static let maximumValueBytes = Store.Configuration().maximumValueBytes

    /// The longest line that any input needs: the largest value in base64, the largest key, and the syntax around them.
    static let longestLineBytes =
        (maximumValueBytes + FormatConstants.maximumKeyBytes) / 3 * 4 + (4 << 10)

    /// Checked piece by piece: checking the whole would copy it.
    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        var start = 0
        while start < bytes.count {
            var end = min(start + 1 << 20, bytes.count)
            // A piece must not end inside a character, which has at most three continuation bytes.
            for _ in 0..<3 where end < bytes.count && end > start + 1 && bytes[end] & 0xC0 == 0x80 { end -= 1 }
            guard String(validating: bytes[start..<end], as: UTF8.self) != nil else { return false }
            start = end
        }
        return true
    }

    private var isAtHeader: Bool { if case .table(let table) = self { !table.hasColumns } else { false } }

    /// The record that a line describes; nil if it only says how to read the others.
    mutating func record(_ line: Line) throws(BadLine) -> Record? {
        func bad(_ reason: String) -> BadLine { BadLine(number: line.number, reason: reason, isHeader: isAtHeader) }
        guard !line.isTooLong else {
            throw bad("the line is longer than '--max-line' allows (64 MiB unless it is given)")
        }
        guard Self.isUTF8(line.bytes) else { throw bad("not UTF-8") }
        let made: Record?
        do {
            switch self {
            case .pairs: made = try PairsLine.record(line)
            case .lines(let template):
                let key = try template.key(of: line.bytes)
                made = Record(key: key, value: line.bytes, expires: nil, line: line.number)
            case .table(var table):
                made = try table.record(line)
                self = .table(table)
            }
        } catch {
            throw bad(error.description)
        }
        guard let record = made else { return nil }
        if let problem = KeyLimits.problem(record.key) { throw bad(problem) }
        if record.value.count > Self.maximumValueBytes {
            throw bad(
                "the value has \(Numbers.bytes(record.value.count)): "
                    + "\(Numbers.bytes(Self.maximumValueBytes)) are the most")
        }
        return record
    }
}
