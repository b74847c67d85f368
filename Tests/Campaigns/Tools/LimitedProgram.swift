#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A program that is run to its end, with limits of time and memory.
enum LimitedProgram {
    /// How it ended.
    enum End: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
        case timedOut
        case notStarted(String)
    }

    /// - Parameters:
    ///   - seconds: After which it is killed.
    ///   - memory: Address space, in MiB.
    ///   - output: The file for what it prints; `errors`: for what it complains of.
    static func run(
        _ arguments: [String], seconds: Int, memory: Int, output: String, errors: String
    ) -> End {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, flags, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, flags, 0o600)
        // The shell sets the limit and becomes the program, so the process is the program's.
        let script = "ulimit -c 0; ulimit -v \(memory << 10); exec \"$@\""
        var process = pid_t()
        let result = Program.withCStrings(["/bin/sh", "-c", script, "sh"] + arguments) {
            posix_spawn(&process, "/bin/sh", &actions, nil, $0, environ)
        }
        guard result == 0 else { return .notStarted(String(cString: strerror(result))) }
        let end = ContinuousClock.now + .seconds(seconds)
        var status: Int32 = 0
        while true {
            let ended = waitpid(process, &status, WNOHANG)
            if ended == process { break }
            if ended < 0, errno != EINTR { return .notStarted(String(cString: strerror(errno))) }
            guard ContinuousClock.now < end else {
                _ = kill(process, SIGKILL)
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                return .timedOut
            }
            usleep(1_000)
        }
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }
}
