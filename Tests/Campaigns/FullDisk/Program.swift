#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Another program, run to its end.
enum Program {
    /// Runs a program that is looked for in PATH.
    ///
    /// - Returns: nil when it succeeded; else what it said, or what kept it from running.
    static func run(_ arguments: [String]) -> String? {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return "no pipe: errno \(errno)" }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO)
        var process = pid_t()
        let result = withCStrings(arguments) { posix_spawnp(&process, $0[0]!, &actions, nil, $0, environ) }
        close(ends[1])
        guard result == 0 else { return "\(arguments[0]) can't be run: \(String(cString: strerror(result)))" }
        let said = text(from: ends[0])
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status == 0 ? nil : (said.isEmpty ? "\(arguments[0]) ended with status \(status)" : said)
    }

    /// Puts another program in the place of this process. Returns only if that fails.
    static func become(_ arguments: [String]) {
        withCStrings(arguments) { _ = execvp($0[0]!, $0) }
    }

    /// The first line of what comes, without its end.
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

    static func withCStrings<R>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
    ) -> R {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}
