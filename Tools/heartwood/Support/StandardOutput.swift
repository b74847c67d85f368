internal import Foundation

/// Standard output, buffered. Call ``flush()`` at the end.
///
/// Writing throws ``Closed``, or a ``Failure`` with ``ExitStatus/inputOutput``.
struct StandardOutput: ~Copyable {
    /// The reader has closed the pipe.
    struct Closed: Error {}

    private static let capacity = 64 << 10
    private var buffer: [UInt8] = []

    /// Writes what `body` appends.
    mutating func append(_ body: (inout [UInt8]) -> Void) throws {
        body(&buffer)
        if buffer.count >= Self.capacity { try flush() }
    }

    /// Writes bytes as they are.
    mutating func write(_ bytes: [UInt8]) throws {
        try append { $0 += bytes }
    }

    /// Writes a line.
    mutating func writeLine(_ text: String) throws { try writeLine(Array(text.utf8)) }

    /// Writes a line.
    mutating func writeLine(_ text: [UInt8]) throws {
        try append { buffer in
            buffer += text
            buffer.append(UInt8(ascii: "\n"))
        }
    }

    /// Passes the buffer to the system.
    mutating func flush() throws {
        defer { buffer.removeAll(keepingCapacity: true) }
        try Self.writeNow(buffer)
    }

    /// Writes at once, without the buffer.
    static func writeNow(_ bytes: [UInt8]) throws {
        do {
            try FileDescriptor.standardOutput.writeAll(bytes)
        } catch {
            if error.code == EPIPE { throw Closed() }
            throw Failure(
                .inputOutput, "standard output could not be written (\(error.text)): the output is not complete")
        }
    }

    /// Writes one line at once.
    static func printLine(_ text: String) throws {
        try writeNow(Array(text.utf8) + [UInt8(ascii: "\n")])
    }
}
