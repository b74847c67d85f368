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
    var bytes: [UInt8]
}

/// Cuts a stream of bytes into lines. Blank lines are counted and left out; so is a byte order mark at the start.
struct LineSplitter {
    /// A line may be as long as the largest value in base64, and its key.
    static let maximumLineBytes = 1536 << 20

    /// The start of a line whose end has not come yet.
    private var rest: [UInt8] = []
    private var lastNumber = 0

    /// Takes the next bytes and adds the lines that end in them to `lines`.
    mutating func split(_ bytes: UnsafeRawBufferPointer, into lines: inout [Line]) throws(BadLine) {
        var bytes = bytes
        while let base = bytes.baseAddress, let newline = memchr(base, 0x0A, bytes.count) {
            let length = UnsafeRawPointer(newline) - base
            try keep(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
            endLine(into: &lines)
            bytes = UnsafeRawBufferPointer(rebasing: bytes[(length + 1)...])
        }
        try keep(bytes)
    }

    /// The input is at its end: the last line needs no line end.
    mutating func finish(into lines: inout [Line]) {
        if !rest.isEmpty { endLine(into: &lines) }
    }

    private mutating func keep(_ bytes: UnsafeRawBufferPointer) throws(BadLine) {
        guard bytes.count <= Self.maximumLineBytes - rest.count else {
            throw BadLine(
                number: lastNumber + 1,
                reason: "the line is longer than \(Numbers.bytes(Self.maximumLineBytes)): no value is that long")
        }
        rest += bytes
    }

    private mutating func endLine(into lines: inout [Line]) {
        lastNumber += 1
        var bytes = rest
        rest = []
        if lastNumber == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
        if bytes.last == 0x0D { bytes.removeLast() }
        let isBlank = bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
        if !isBlank { lines.append(Line(number: lastNumber, bytes: bytes)) }
    }
}
