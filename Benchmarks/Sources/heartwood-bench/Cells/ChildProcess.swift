internal import Foundation
internal import Synchronization

/// Another process of this program, which does one thing.
///
/// Its standard input is a pipe that the parent never writes to: when the parent dies, the pipe ends, and the child
/// exits.
final class ChildProcess: Sendable {
    /// How it ended.
    enum Ending: Sendable, Equatable {
        case exited(Int32)
        /// By a signal that this program didn't send.
        case crashed(Int32)
        /// It was killed at its time limit.
        case timedOut
        /// It was killed because the program was asked to stop.
        case interrupted
    }

    private let process: Process
    private let lifeline = Pipe()
    private let output = Pipe()
    private let errors = Pipe()
    private let received = Mutex(Data())
    private let errorText = Mutex(Data())
    private let outputHasEnded = Signal()

    init(arguments: [String]) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments = arguments
        process.standardInput = lifeline
        process.standardOutput = output
        process.standardError = errors
        // A crash of an engine is a result; its backtrace would fill the terminal.
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["SWIFT_BACKTRACE": "enable=no"], uniquingKeysWith: { $1 })
        try process.run()
        // The child has its own copies; with these open, the pipes would never end.
        try? output.fileHandleForWriting.close()
        try? errors.fileHandleForWriting.close()
        Thread { [self] in
            Self.read(output) { data in received.withLock { $0.append(data) } }
            outputHasEnded.raise()
        }.start()
        Thread { [self] in
            Self.read(errors) { data in errorText.withLock { $0 = ($0 + data).suffix(2_000) } }
        }.start()
    }

    private static func read(_ pipe: Pipe, _ take: (Data) -> Void) {
        while true {
            let data = pipe.fileHandleForReading.availableData
            if data.isEmpty { return }
            take(data)
        }
    }

    /// The last line that it wrote to its standard error.
    var lastErrorLine: String? {
        let text = String(decoding: errorText.withLock { $0 }, as: UTF8.self)
        return text.split(separator: "\n").last.map(String.init)
    }

    /// The path of this program.
    private static let program: String = {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return link ?? Bundle.main.executablePath ?? CommandLine.arguments[0]
    }()

    /// Its standard output so far.
    var text: Data { received.withLock { $0 } }

    /// Kills it by SIGKILL.
    func kill() { _ = Foundation.kill(process.processIdentifier, SIGKILL) }

    /// Waits until it has printed a line. Returns nil if it has ended, or after the time.
    func waitForLine(seconds: Double) async throws -> String? {
        let deadline = Ticks.now + UInt64(seconds * 1e9)
        while Ticks.now < deadline, !Interrupt.isRequested {
            let data = text
            if let end = data.firstIndex(of: UInt8(ascii: "\n")) {
                return String(decoding: data[data.startIndex..<end], as: UTF8.self)
            }
            if outputHasEnded.isRaised { return nil }
            try await Task.sleep(for: .milliseconds(2))
        }
        return nil
    }

    /// Waits until it has printed more, or has ended. Kills it if it prints nothing for too long, or if the program was
    /// asked to stop.
    ///
    /// - Returns: How it ended; nil if it is still running.
    func wait(forOutputOr seconds: Double) async throws -> Ending? {
        let seen = text.count
        let deadline = Ticks.now + UInt64(seconds * 1e9)
        while process.isRunning, Ticks.now < deadline, !Interrupt.isRequested {
            // Not woken for each line, which would take processor time from the child.
            try await Task.sleep(for: .milliseconds(50))
            if text.count > seen { return nil }
        }
        return try await wait(seconds: 0)
    }

    /// Waits until it ends. Kills it if it takes too long, or if the program was asked to stop.
    func wait(seconds: Double) async throws -> Ending {
        let deadline = Ticks.now + UInt64(seconds * 1e9)
        while process.isRunning {
            if Interrupt.isRequested || Ticks.now >= deadline {
                let isInterrupted = Interrupt.isRequested
                kill()
                process.waitUntilExit()
                return isInterrupted ? .interrupted : .timedOut
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        while !outputHasEnded.isRaised { try await Task.sleep(for: .milliseconds(1)) }
        if process.terminationReason == .uncaughtSignal { return .crashed(process.terminationStatus) }
        return .exited(process.terminationStatus)
    }
}
