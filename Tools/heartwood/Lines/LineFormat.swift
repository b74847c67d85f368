internal import Heartwood
internal import HeartwoodFormat

/// How a line of input becomes a record.
enum LineFormat: Sendable {
    /// What `export` writes: key and value are named.
    case pairs
    /// The line itself is the value, and its fields make the key.
    case lines(key: KeyTemplate)

    /// The longest value that a store takes unless it is configured otherwise; the tool doesn't.
    private static let maximumValueBytes = Store.Configuration().maximumValueBytes

    /// The longest line that any input needs: the largest value in base64, the largest key, and what stands around them.
    static let longestLineBytes =
        (maximumValueBytes + FormatConstants.maximumKeyBytes) / 3 * 4 + (4 << 10)

    /// Looked at a piece at a time: the whole would be copied.
    private static func isUTF8(_ bytes: [UInt8]) -> Bool {
        var start = 0
        while start < bytes.count {
            var end = min(start + 1 << 20, bytes.count)
            // The first byte of a character begins with other bits than the others, of which there are three at most.
            for _ in 0..<3 where end < bytes.count && end > start + 1 && bytes[end] & 0xC0 == 0x80 { end -= 1 }
            guard String(validating: bytes[start..<end], as: UTF8.self) != nil else { return false }
            start = end
        }
        return true
    }

    /// The record that a line asks for.
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
