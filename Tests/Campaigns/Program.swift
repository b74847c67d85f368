internal import Foundation

/// Another program, which runs as a child of this process.
struct Program {
    /// How it ended.
    enum End: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)
        case timedOut
        case notStarted(String)

        static let killed = End.signalled(SIGKILL)
    }

    private let process = Process()

    /// Starts a program. A name without a slash is searched for in PATH.
    init(_ arguments: [String], environment: [String: String]? = nil, output: Pipe, errors: Pipe? = nil) throws {
        configure(arguments)
        process.environment = environment ?? process.environment
        process.standardOutput = output
        if let errors { process.standardError = errors }
        try process.run()
        // The only other end is the child's, so that its end is the end of the output.
        try output.fileHandleForWriting.close()
    }

    private func configure(_ arguments: [String]) {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
    }

    /// kill -9.
    func terminate() { _ = kill(process.processIdentifier, SIGKILL) }

    /// Waits for the end.
    func wait() -> End {
        process.waitUntilExit()
        return process.terminationReason == .exit
            ? .exited(process.terminationStatus) : .signalled(process.terminationStatus)
    }

    // MARK: - To its end

    /// Runs a program.
    ///
    /// - Returns: nil if it succeeded; otherwise the first line that it printed, or why it could not be run.
    static func run(_ arguments: [String]) -> String? {
        do {
            let output = Pipe()
            let program = try Program(arguments, output: output, errors: output)
            let said = try output.fileHandleForReading.readToEnd() ?? Data()
            let end = program.wait()
            guard end != .exited(0) else { return nil }
            return said.isEmpty
                ? "\(arguments[0]) ended: \(end)" : String(decoding: said.prefix { $0 != 10 }, as: UTF8.self)
        } catch {
            return "\(arguments[0]) can't be run: \(error)"
        }
    }

    /// Runs a program with limits.
    ///
    /// - Parameters:
    ///   - seconds: After which it is killed.
    ///   - memory: Address space, in MiB.
    ///   - output: The file for its standard output; `errors`: for its standard error.
    static func run(_ arguments: [String], seconds: Int, memory: Int, output: String, errors: String) -> End {
        let program = Program()
        // The shell sets the limits and becomes the program, so the process is the program's.
        program.configure(
            ["/bin/sh", "-c", "ulimit -c 0; ulimit -v \(memory << 10); exec \"$@\"", "sh"] + arguments)
        do {
            program.process.standardOutput = try file(output)
            program.process.standardError = try file(errors)
            try program.process.run()
        } catch {
            return .notStarted("\(error)")
        }
        let deadline = ContinuousClock.now + .seconds(seconds)
        while program.process.isRunning {
            if ContinuousClock.now > deadline {
                program.terminate()
                _ = program.wait()
                return .timedOut
            }
            usleep(1_000)
        }
        return program.wait()
    }

    private init() {}

    private static func file(_ path: String) throws -> FileHandle {
        try Data().write(to: URL(fileURLWithPath: path))
        return try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    }

    // MARK: - This program

    /// The path of the executable of this process.
    static var executable: String {
        #if os(Linux)
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
        #else
        CommandLine.arguments[0]
        #endif
    }

    /// Replaces this process by another program. Returns only if that fails.
    static func become(_ arguments: [String]) {
        let copies = arguments.map { strdup($0) }
        execvp(copies[0]!, copies + [nil])
    }
}
