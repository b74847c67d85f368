internal import Heartwood
internal import HeartwoodFormat

/// How a line of input becomes a record.
enum LineFormat: Sendable {
    /// The format of `export`, with named keys and values.
    case pairs
    /// The value is the line itself; its fields make the key.
    case lines(key: KeyTemplate)

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

    /// The record that a line describes.
    func record(_ line: Line) throws(BadLine) -> Record {
        guard !line.isTooLong else {
            throw BadLine(
                number: line.number, reason: "the line is longer than '--max-line' allows (64 MiB unless it is given)")
        }
        guard Self.isUTF8(line.bytes) else {
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
