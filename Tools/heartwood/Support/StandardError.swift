/// Standard error: one line a message.
enum StandardError {
    /// Writes `heartwood: message` and a line end.
    static func say(_ message: String) {
        print("heartwood: \(message)")
    }

    /// Writes a line, whatever stands in the paths in it.
    static func print(_ line: String) {
        var text = Array(Escaping.line(line).utf8)
        text.append(UInt8(ascii: "\n"))
        write(text)
    }

    /// Writes bytes, in one piece so that lines of concurrent tasks don't mix.
    ///
    /// Where they can't be written there is nobody left to tell.
    static func write(_ bytes: [UInt8]) {
        try? FileDescriptor.standardError.writeAll(bytes)
    }
}
