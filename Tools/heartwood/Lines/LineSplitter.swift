internal import Foundation

/// A line of input without its end (`\n` or `\r\n`).
struct Line: Sendable {
    let number: Int
    /// Empty if the line is too long.
    var bytes: [UInt8]
    var isTooLong = false
    /// The position in the input after the line. Within a block of compressed input it is interpolated.
    let inputEnd: Int
}

/// Splits a stream of bytes into lines. Blank lines are counted and left out. A byte order mark at the start is left
/// out. A line of a table may contain line ends in quotes; its number is that of its beginning.
struct LineSplitter {
    /// Longer lines are not kept.
    private let maximumLineBytes: Int
    /// Of a table: what ends the fields of a line.
    private let separator: UInt8?
    private var field = Field.start
    /// Line ends in quotes in this line.
    private var innerLines = 0
    /// Bytes of this line, up to those of a byte order mark.
    private var lineBytes = 0
    /// The start of a line whose end hasn't been read yet.
    private var rest: [UInt8] = []
    /// Whether the rest of a line that is too long is being skipped.
    private var isSkipping = false
    private var lastNumber = 0
    /// The position in the input after the bytes that were split so far.
    private var inputEnd = 0

    private enum Field {
        case start
        case plain
        case quoted
        /// After a quote in a quoted field: its end, or the first of two.
        case quote
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    init(maximumLineBytes: Int, separator: UInt8? = nil) {
        (self.maximumLineBytes, self.separator) = (maximumLineBytes, separator)
    }

    /// Takes the next bytes and adds the lines that end in them to `lines`.
    ///
    /// A line that is too long is added, without its bytes, when it exceeds the limit.
    ///
    /// - Parameter source: The range of the input that the bytes were made from; shorter if it is compressed.
    mutating func split(_ bytes: UnsafeRawBufferPointer, from source: Range<Int>, into lines: inout [Line]) {
        var remaining = bytes
        while let length = lengthOfLine(in: remaining) {
            keep(UnsafeRawBufferPointer(rebasing: remaining[..<length]), &lines)
            remaining = UnsafeRawBufferPointer(rebasing: remaining[(length + 1)...])
            inputEnd = source.lowerBound + source.count * (bytes.count - remaining.count) / bytes.count
            endLine(into: &lines)
        }
        keep(remaining, &lines)
        inputEnd = source.upperBound
    }

    /// Ends the input. The last line needs no line end.
    mutating func finish(into lines: inout [Line]) {
        if !rest.isEmpty || isSkipping { endLine(into: &lines) }
    }

    /// How many bytes precede the first line end that isn't in quotes.
    private mutating func lengthOfLine(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let separator else {
            guard let base = bytes.baseAddress, let newline = memchr(base, 0x0A, bytes.count) else { return nil }
            return UnsafeRawPointer(newline) - base
        }
        for (index, byte) in bytes.enumerated() {
            if lastNumber == 0, lineBytes < 3 {
                lineBytes += 1
                if byte == Self.mark[lineBytes - 1] { continue }
            }
            switch (byte, field) {
            case (0x0A, .quoted): innerLines += 1
            case (0x0A, _): return index
            case (UInt8(ascii: "\""), .start), (UInt8(ascii: "\""), .quote): field = .quoted
            case (UInt8(ascii: "\""), .quoted): field = .quote
            case (_, .quoted): break
            case (separator, _): field = .start
            default: field = .plain
            }
        }
        return nil
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer, _ lines: inout [Line]) {
        guard !isSkipping else { return }
        guard bytes.count <= maximumLineBytes - rest.count else {
            rest = []
            isSkipping = true
            lines.append(Line(number: lastNumber + 1, bytes: [], isTooLong: true, inputEnd: inputEnd))
            return
        }
        rest += bytes
    }

    private mutating func endLine(into lines: inout [Line]) {
        lastNumber += 1
        defer {
            lastNumber += innerLines
            (innerLines, field) = (0, .start)
        }
        guard !isSkipping else {
            isSkipping = false
            return
        }
        var bytes = rest
        rest = []
        if lastNumber == 1, bytes.starts(with: Self.mark) { bytes.removeFirst(3) }
        if bytes.last == 0x0D { bytes.removeLast() }
        // In a table, separators are fields.
        let isBlank = bytes.isEmpty || separator == nil && bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        if !isBlank { lines.append(Line(number: lastNumber, bytes: bytes, inputEnd: inputEnd)) }
    }
}
