#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

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
/// out.
struct LineSplitter {
    /// Longer lines are not kept.
    private let maximumLineBytes: Int
    /// The start of a line whose end hasn't been read yet.
    private var rest: [UInt8] = []
    /// Whether the rest of a line that is too long is being skipped.
    private var isSkipping = false
    private var lastNumber = 0
    /// The position in the input after the bytes that were split so far.
    private var inputEnd = 0

    init(maximumLineBytes: Int) { self.maximumLineBytes = maximumLineBytes }

    /// Takes the next bytes and adds the lines that end in them to `lines`.
    ///
    /// A line that is too long is added, without its bytes, when it exceeds the limit.
    ///
    /// - Parameter source: The range of the input that the bytes were made from; shorter if it is compressed.
    mutating func split(_ bytes: UnsafeRawBufferPointer, from source: Range<Int>, into lines: inout [Line]) {
        var remaining = bytes
        while let base = remaining.baseAddress, let newline = memchr(base, 0x0A, remaining.count) {
            let length = UnsafeRawPointer(newline) - base
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
        guard !isSkipping else {
            isSkipping = false
            return
        }
        var bytes = rest
        rest = []
        if lastNumber == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        if bytes.last == 0x0D { bytes.removeLast() }
        let isBlank = bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        if !isBlank { lines.append(Line(number: lastNumber, bytes: bytes, inputEnd: inputEnd)) }
    }
}
