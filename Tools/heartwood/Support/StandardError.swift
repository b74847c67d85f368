/// Standard error: one line for each message.
enum StandardError {
    /// Writes `heartwood: message` and a line end.
    static func say(_ message: String) {
        print("heartwood: \(message)")
    }

    /// Writes a line. Paths in it are escaped.
    static func print(_ line: String) {
        var text = Array(Escaping.line(line).utf8)
        text.append(UInt8(ascii: "\n"))
        write(text)
    }

    /// Writes bytes, in one piece so that lines of concurrent tasks don't mix.
    ///
    /// Errors are ignored, because there is no other way to report them.
    static func write(_ bytes: [UInt8]) {
        try? FileDescriptor.standardError.writeAll(bytes)
    }
}
