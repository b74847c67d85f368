internal import Foundation

/// Another process of this program, which does what a specification says.
///
/// Its standard input is a pipe that the parent never writes to: when the parent dies, the pipe ends, and the child
/// exits. Its output goes to files, so that reading it takes no processor time from the child.
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

    private let process = Process()
    private let lifeline = Pipe()
    private let output: String

    init(_ spec: CellSpec) throws {
        output = "\(spec.scratch)/output"
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments = ["cell", String(decoding: try JSONEncoder().encode(spec), as: UTF8.self)]
        process.standardInput = lifeline
        process.standardOutput = try Self.newFile(output)
        process.standardError = try Self.newFile(output + ".errors")
        // A crash of an engine is a result; its backtrace would fill the terminal.
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["SWIFT_BACKTRACE": "enable=no"], uniquingKeysWith: { $1 })
        try process.run()
    }

    private static func newFile(_ path: String) throws -> FileHandle {
        let url = URL(fileURLWithPath: path)
        try Data().write(to: url)
        return try FileHandle(forWritingTo: url)
    }

    /// The path of this program.
    private static let program: String = {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return link ?? Bundle.main.executablePath ?? CommandLine.arguments[0]
    }()

    /// Its standard output so far.
    var text: Data { FileManager.default.contents(atPath: output) ?? Data() }

    /// The complete lines of its standard output so far.
    var lines: [String] {
        String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map(String.init)
    }

    private var lastErrorLine: String? {
        let text = String(decoding: FileManager.default.contents(atPath: output + ".errors") ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").last.map(String.init)
    }

    /// Kills it by SIGKILL, and waits for its end.
    func kill() {
        _ = Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Waits until it ends. Kills it if it takes too long, or if the program was asked to stop.
    ///
    /// - Parameter lines: Waits only until it has printed so many lines.
    /// - Returns: How it ended; nil if it has printed the lines.
    func wait(seconds: Double, lines: Int = .max) async throws -> Ending? {
        let deadline = Ticks.now + UInt64(seconds * 1e9)
        while process.isRunning {
            if lines < .max, self.lines.count >= lines { return nil }
            if Interrupt.isRequested || Ticks.now >= deadline {
                let isInterrupted = Interrupt.isRequested
                kill()
                return isInterrupted ? .interrupted : .timedOut
            }
            try await Task.sleep(for: .milliseconds(5))
        }
        return process.terminationReason == .uncaughtSignal
            ? .crashed(process.terminationStatus) : .exited(process.terminationStatus)
    }

    /// Why it has no result.
    func failure(_ ending: Ending) -> CellFailure {
        switch ending {
        case .exited(let code):
            let reported = try? JSONDecoder().decode(CellFailure.self, from: text)
            return reported ?? CellFailure(failure: "its process ended with code \(code)")
        case .crashed(let signal):
            let reason = lastErrorLine.map { ": \($0)" } ?? ""
            return CellFailure(failure: "its process died of signal \(signal)\(reason)")
        case .timedOut: return CellFailure(failure: "it wasn't done in time, and was killed")
        case .interrupted: return CellFailure(failure: "interrupted")
        }
    }
}

/// What a child prints if it fails.
struct CellFailure: Sendable, Codable, Error, CustomStringConvertible {
    var failure: String
    var description: String { failure }
}

extension CellSpec {
    /// Measures in a child.
    ///
    /// - Parameter seconds: Time limit, after which the child is killed.
    func measure(seconds: Double) async throws -> CellResult.Run {
        let child = try ChildProcess(self)
        let ending = try await child.wait(seconds: seconds) ?? .timedOut
        guard ending == .exited(0) else { throw child.failure(ending) }
        guard let run = try? JSONDecoder().decode(CellResult.Run.self, from: child.text) else {
            throw CellFailure(failure: "its process ended without a result")
        }
        return run
    }

    /// Makes a fixture in a child, which prints a line when it is done.
    func makeFixture(isKilled: Bool, seconds: Double) async throws {
        let child = try ChildProcess(self)
        let ending = try await child.wait(seconds: seconds, lines: isKilled ? 1 : .max)
        if ending == nil { child.kill() }
        guard child.lines == ["ready"], ending == nil || ending == .exited(0) else {
            let failure = child.failure(ending ?? .exited(1))
            throw CellFailure(failure: "making the store that it starts from failed: \(failure)")
        }
    }

    /// Seconds after which a changed byte counts as a hang.
    private static let patience = 10.0

    /// Tries changed bytes in children, one after another. A child that dies or hangs costs one change.
    func tryDamage(changes: Int) async throws -> CellResult.Run {
        let start = Ticks.now
        var classes: [DamageClass] = []
        while classes.count < changes, !Interrupt.isRequested {
            var next = self
            next.action = .damage(from: classes.count)
            let before = classes
            let child = try ChildProcess(next)
            var ending: ChildProcess.Ending?
            repeat {
                ending = try await child.wait(seconds: Self.patience, lines: classes.count - before.count + 1)
                classes = before + child.lines.compactMap { DamageClass(rawValue: $0) }
            } while ending == nil
            if classes.count >= changes { break }
            switch ending {
            case .timedOut: classes.append(.hung)
            case .interrupted, nil: break
            case .exited(let code) where classes.isEmpty:
                // It would do so for ever.
                throw CellFailure(failure: "its process ended with code \(code) before the first change")
            // The engine has ended the process.
            case .exited, .crashed: classes.append(.crashed)
            }
        }
        let measured = Measured(classes.count, since: start)
        return CellResult.Run(
            operations: classes.count, seconds: measured.seconds, bytes: 0, damage: DamageResult(classes))
    }
}
