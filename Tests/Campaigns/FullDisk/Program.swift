internal import Foundation

/// Another program, run to its end.
enum Program {
    /// Runs a program that is searched for in PATH.
    ///
    /// - Returns: nil if it succeeded; otherwise the first line that it printed, or why it could not be run.
    static func run(_ arguments: [String]) -> String? {
        do {
            let (process, output) = try SpawnedProcess.start(arguments, piping: [STDOUT_FILENO, STDERR_FILENO])
            defer { close(output) }
            let said = text(from: output)
            let end = process.wait()
            return end == .exited(0) ? nil : (said.isEmpty ? "\(arguments[0]) ended: \(end)" : said)
        } catch {
            return "\(arguments[0]) can't be run: \(error)"
        }
    }

    /// Replaces this process by another program. Returns only if that fails.
    static func become(_ arguments: [String]) {
        SpawnedProcess.withCStrings(arguments) { _ = execvp($0[0]!, $0) }
    }

    /// The first line that is read, without its end.
    private static func text(from descriptor: Int32) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
