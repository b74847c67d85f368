internal import HeartwoodFileSystem

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// This executable again, as a process of its own, with its standard output in a pipe.
struct ChildProcess {
    /// How a child ended.
    enum End: Equatable {
        case killed
        case exited(Int32)
        case signalled(Int32)
    }

    private let process: pid_t
    private let pipe: Int32
    private var pending: [UInt8] = []

    init(arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        guard Self.makePipe(&ends) == 0 else { throw Self.error(.open, "pipe", errno) }
        _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
        _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        let executable = Self.executable
        var process = pid_t()
        let result = Self.withCStrings([executable] + arguments) { arguments in
            Self.withCStrings(Self.environment) { environment in
                posix_spawn(&process, executable, &actions, nil, arguments, environment)
            }
        }
        close(ends[1])
        guard result == 0 else {
            close(ends[0])
            throw Self.error(.open, executable, result)
        }
        self.process = process
        pipe = ends[0]
    }

    /// Hands over what the child says, for as long as the deadline lies ahead and there is more. The deadline is asked
    /// for again after each piece.
    ///
    /// - Returns: false once the child has nothing more to say.
    mutating func listen(
        until deadline: () -> ContinuousClock.Instant?, _ hear: (ChildMessage) -> Void
    ) -> Bool {
        while true {
            var timeout: Int32 = -1
            if let deadline = deadline() {
                let left = ContinuousClock.now.duration(to: deadline)
                if left <= .zero { return true }
                timeout = Int32(left / .milliseconds(1)) + 1
            }
            var descriptor = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, timeout) <= 0 { continue }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(pipe, &buffer, buffer.count)
            if count == 0 || (count < 0 && errno != EINTR) { return false }
            take(buffer[..<max(0, count)], hear)
        }
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, _ hear: (ChildMessage) -> Void) {
        pending.append(contentsOf: bytes)
        var start = 0
        while let end = pending[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if let message = ChildMessage(line: pending[start..<end]) { hear(message) }
            start = end + 1
        }
        pending.removeFirst(start)
    }

    /// kill -9.
    func kill() {
        #if canImport(Darwin)
        _ = Darwin.kill(process, SIGKILL)
        #elseif canImport(Musl)
        _ = Musl.kill(process, SIGKILL)
        #else
        _ = Glibc.kill(process, SIGKILL)
        #endif
    }

    /// Waits for the end, and lets go of the pipe.
    func wait() -> End {
        close(pipe)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        if signal == 0 { return .exited((status >> 8) & 0xFF) }
        return signal == SIGKILL ? .killed : .signalled(signal)
    }

    // MARK: - Parts

    private static func makePipe(_ ends: inout [Int32]) -> Int32 {
        #if canImport(Darwin)
        Darwin.pipe(&ends)
        #elseif canImport(Musl)
        Musl.pipe(&ends)
        #else
        Glibc.pipe(&ends)
        #endif
    }

    private static func error(
        _ operation: FileSystemError.Operation, _ path: String, _ code: Int32
    ) -> FileSystemError {
        FileSystemError(operation: operation, path: path, code: code)
    }

    private static var executable: String {
        #if os(Linux)
        "/proc/self/exe"
        #else
        CommandLine.arguments[0]
        #endif
    }

    private static var environment: [String] {
        let names = ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "SWIFT_BACKTRACE", "TSAN_OPTIONS", "ASAN_OPTIONS"]
        return names.compactMap { (name: String) in getenv(name).map { "\(name)=\(String(cString: $0))" } }
    }

    private static func withCStrings<R>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
    ) -> R {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}

/// Raises this process's limit of open files, and so its children's, as far as it may.
func raiseFileLimit() {
    #if canImport(Glibc)
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let files = RLIMIT_NOFILE
    #endif
    var limits = rlimit()
    guard getrlimit(files, &limits) == 0 else { return }
    limits.rlim_cur = min(limits.rlim_max, 10_240)
    setrlimit(files, &limits)
}
