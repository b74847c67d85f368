internal import Foundation

/// A program that is run to its end, with limits on time and memory.
enum LimitedProgram {
    enum End: Sendable, Equatable {
        case ended(SpawnedProcess.End)
        case timedOut
        case notStarted(String)
    }

    /// - Parameters:
    ///   - seconds: After which it is killed.
    ///   - memory: Address space, in MiB.
    ///   - output: The file for its standard output; `errors`: for its standard error.
    static func run(
        _ arguments: [String], seconds: Int, memory: Int, output: String, errors: String
    ) -> End {
        // The shell sets the limits and becomes the program, so the process is the program's.
        let script = "ulimit -c 0; ulimit -v \(memory << 10); exec \"$@\""
        do {
            let process = try SpawnedProcess(["/bin/sh", "-c", script, "sh"] + arguments) { actions in
                let flags = O_WRONLY | O_CREAT | O_TRUNC
                posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
                posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, flags, 0o600)
                posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, flags, 0o600)
            }
            let deadline = ContinuousClock.now + .seconds(seconds)
            while ContinuousClock.now < deadline {
                if let end = try process.poll() { return .ended(end) }
                usleep(1_000)
            }
            process.terminate()
            _ = process.wait()
            return .timedOut
        } catch {
            return .notStarted("\(error)")
        }
    }
}
