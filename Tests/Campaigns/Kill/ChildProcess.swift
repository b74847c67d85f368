internal import Foundation

/// Another process of this executable, which sends its messages through a pipe on its standard output.
struct ChildProcess {
    private let program: Program
    private let pipe = Pipe()
    private var pending: [UInt8] = []

    init(arguments: [String]) throws {
        let names = ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "SWIFT_BACKTRACE", "TSAN_OPTIONS", "ASAN_OPTIONS"]
        program = try Program(
            [Program.executable] + arguments,
            environment: ProcessInfo.processInfo.environment.filter { names.contains($0.key) }, output: pipe)
    }

    /// Passes on the child's messages, and kills it at the deadline, which is asked for again after each message.
    ///
    /// - Returns: What the child reports as wrong, or that it ended before it was killed; nil if all is right.
    mutating func run(
        until deadline: () -> ContinuousClock.Instant?, _ receive: (ChildMessage) -> Void = { _ in }
    ) -> String? {
        var complaint: String?
        func take(_ message: ChildMessage) {
            if case .failed(let what) = message { complaint = complaint ?? what }
            receive(message)
        }
        // kill -9. What it has sent before is in the pipe.
        if listen(until: deadline, take) { program.terminate() }
        _ = listen(until: { nil }, take)
        let end = program.wait()
        return complaint ?? (end == .killed ? nil : "it ended before it was killed: \(end)")
    }

    /// - Returns: false once the child has closed its end.
    private mutating func listen(
        until deadline: () -> ContinuousClock.Instant?, _ receive: (ChildMessage) -> Void
    ) -> Bool {
        let output = pipe.fileHandleForReading.fileDescriptor
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
