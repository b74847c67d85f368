internal import Foundation

/// Another process of this executable, which sends its messages through a pipe on its standard output.
struct ChildProcess {
    private let process: SpawnedProcess
    private let output: Int32
    private var pending: [UInt8] = []

    init(arguments: [String]) throws {
        let names = ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "SWIFT_BACKTRACE", "TSAN_OPTIONS", "ASAN_OPTIONS"]
        let environment = names.compactMap { (name: String) in
            getenv(name).map { "\(name)=\(String(cString: $0))" }
        }
        (process, output) = try SpawnedProcess.start(
            [Self.executable] + arguments, environment: environment, piping: [STDOUT_FILENO])
    }

    /// Passes on the child's messages until the deadline, which is asked for again after each message.
    ///
    /// - Returns: false once the child has closed its end.
    mutating func listen(
        until deadline: () -> ContinuousClock.Instant?, _ receive: (ChildMessage) -> Void
    ) -> Bool {
        while true {
            var timeout: Int32 = -1
            if let deadline = deadline() {
                let left = ContinuousClock.now.duration(to: deadline)
                if left <= .zero { return true }
                timeout = Int32(left / .milliseconds(1)) + 1
            }
            var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, timeout) <= 0 { continue }
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(output, &buffer, buffer.count)
            if count == 0 || (count < 0 && errno != EINTR) { return false }
            take(buffer[..<max(0, count)], receive)
        }
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, _ receive: (ChildMessage) -> Void) {
        pending.append(contentsOf: bytes)
        var start = 0
        while let end = pending[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if let message = ChildMessage(line: pending[start..<end]) { receive(message) }
            start = end + 1
        }
        pending.removeFirst(start)
    }

    /// kill -9.
    func terminate() { process.terminate() }

    /// Closes the pipe and waits for the end.
    func wait() -> SpawnedProcess.End {
        close(output)
        return process.wait()
    }

    private static var executable: String {
        #if os(Linux)
        "/proc/self/exe"
        #else
        CommandLine.arguments[0]
        #endif
    }
}

/// Raises this process's limit of open files, which its children inherit, as far as is permitted.
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
