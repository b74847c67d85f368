internal import Foundation

/// A program that runs as a child of this process.
struct SpawnedProcess: Sendable {
    /// How it ended.
    enum End: Sendable, Equatable {
        case exited(Int32)
        case signalled(Int32)

        static let killed = End.signalled(SIGKILL)
    }

    /// A call of the system failed.
    struct Failure: Error, CustomStringConvertible {
        let code: Int32
        var description: String { String(cString: strerror(code)) }
    }

    #if canImport(Darwin)
    typealias FileActions = posix_spawn_file_actions_t?
    #else
    typealias FileActions = posix_spawn_file_actions_t
    #endif

    private let id: pid_t

    /// Starts a program. A name without a slash is searched for in PATH.
    ///
    /// - Parameters:
    ///   - environment: nil: the environment of this process.
    ///   - redirect: Adds what the child does with its file descriptors.
    init(
        _ arguments: [String], environment: [String]? = nil, redirect: (inout FileActions) -> Void
    ) throws(Failure) {
        #if canImport(Darwin)
        var actions: FileActions = nil
        #else
        var actions = FileActions()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        redirect(&actions)
        var id = pid_t()
        let code = Self.withCStrings(arguments) { (arguments: [UnsafeMutablePointer<CChar>?]) -> Int32 in
            guard let environment else { return posix_spawnp(&id, arguments[0]!, &actions, nil, arguments, environ) }
            return Self.withCStrings(environment) {
                posix_spawnp(&id, arguments[0]!, &actions, nil, arguments, $0)
            }
        }
        guard code == 0 else { throw Failure(code: code) }
        self.id = id
    }

    /// Starts a program that writes these descriptors to a pipe. The caller closes `output`, the end to read from.
    static func start(
        _ arguments: [String], environment: [String]? = nil, piping descriptors: [Int32]
    ) throws(Failure) -> (process: SpawnedProcess, output: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (output, input) = (ends[0], ends[1])
        defer { close(input) }
        do throws(Failure) {
            let process = try SpawnedProcess(arguments, environment: environment) { actions in
                for descriptor in descriptors { posix_spawn_file_actions_adddup2(&actions, input, descriptor) }
            }
            return (process, output)
        } catch {
            close(output)
            throw error
        }
    }

    /// kill -9.
    func terminate() { _ = kill(id, SIGKILL) }

    /// Waits for the end.
    func wait() -> End {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return Self.end(status)
    }

    /// The end, if the process has ended; doesn't wait for it.
    func poll() throws(Failure) -> End? {
        var status: Int32 = 0
        let ended = waitpid(id, &status, WNOHANG)
        guard ended >= 0 || errno == EINTR else { throw Failure(code: errno) }
        return ended == id ? Self.end(status) : nil
    }

    private static func end(_ status: Int32) -> End {
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }

    static func withCStrings<R>(_ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R) -> R {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}
