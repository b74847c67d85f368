internal import Foundation
internal import Testing

/// The built `heartwood`, run as a user runs it.
enum Tool {
    /// The result of a run.
    struct Outcome: Sendable {
        /// The exit code; nil if a signal ended the process.
        var code: Int32?
        var bytes: [UInt8]
        var error: String

        var output: String { String(decoding: bytes, as: UTF8.self) }
        var lines: [String] { output.split(separator: "\n").map(String.init) }

        /// The JSON objects of the output, one a line.
        func objects() throws -> [[String: Any]] {
            try lines.map { line in
                try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            }
        }
    }

    /// The binary is in the directory of the test bundle.
    static let url: URL = {
        let bundles = CommandLine.arguments.filter { $0.contains(".xctest") }.map { argument in
            // On macOS the path may be in the bundle.
            let end = argument.range(of: ".xctest")?.upperBound ?? argument.endIndex
            return URL(fileURLWithPath: String(argument[..<end]))
        }
        let directories = (bundles + [Bundle.main.bundleURL]).flatMap { [$0.deletingLastPathComponent(), $0] }
        let candidates = directories.map { $0.appendingPathComponent("heartwood") }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? candidates[0]
    }()

    /// Runs the tool to its end.
    static func run(_ arguments: [String], input: [UInt8] = [], in sandbox: Sandbox) async throws -> Outcome {
        try await run(url, arguments, input: input, in: sandbox)
    }

    /// Runs a line of shell, in which `$heartwood` is the tool.
    static func shell(_ script: String, in sandbox: Sandbox) async throws -> Outcome {
        try await run(URL(fileURLWithPath: "/bin/bash"), ["-c", script], input: [], in: sandbox)
    }

    /// A process that is ready to run in the sandbox.
    static func process(_ executable: URL, _ arguments: [String], in sandbox: Sandbox) -> Process {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = sandbox.directory
        process.environment = ProcessInfo.processInfo.environment.merging(["heartwood": url.path]) { $1 }
        return process
    }

    private static func run(
        _ executable: URL, _ arguments: [String], input: [UInt8], in sandbox: Sandbox
    ) async throws -> Outcome {
        await Turns.shared.take()
        do {
            let outcome = try await runInTurn(executable, arguments, input: input, in: sandbox)
            await Turns.shared.giveBack()
            return outcome
        } catch {
            await Turns.shared.giveBack()
            throw error
        }
    }

    private static func runInTurn(
        _ executable: URL, _ arguments: [String], input: [UInt8], in sandbox: Sandbox
    ) async throws -> Outcome {
        // Files instead of pipes, which would have to be read while the process runs.
        let inputFile = try sandbox.scratchFile(input)
        let outputFile = try sandbox.scratchFile([])
        let errorFile = try sandbox.scratchFile([])
        let process = process(executable, arguments, in: sandbox)
        let handles = [
            try FileHandle(forReadingFrom: inputFile), try FileHandle(forWritingTo: outputFile),
            try FileHandle(forWritingTo: errorFile),
        ]
        process.standardInput = handles[0]
        process.standardOutput = handles[1]
        process.standardError = handles[2]
        try await process.runToEnd()
        // An ended `Process` keeps them open; hundreds of runs would reach the limit of open files.
        for handle in handles { try handle.close() }
        return Outcome(
            code: process.terminationReason == .exit ? process.terminationStatus : nil,
            bytes: [UInt8](try Data(contentsOf: outputFile)),
            error: String(decoding: try Data(contentsOf: errorFile), as: UTF8.self))
    }
}

/// Lets a few tests at a time run a process to its end. Hundreds of them run at once, and Foundation's `Process` reads
/// past the end of its list of open files where there are more than a thousand.
private actor Turns {
    static let shared = Turns()

    private var free = 8
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func giveBack() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}

extension Process {
    /// Starts the process, and returns when it has ended. One that takes longer than `seconds` is ended.
    func runToEnd(within seconds: Double = .infinity) async throws {
        let watching = Task {
            try await Task.sleep(for: .seconds(min(seconds, 86_400)))
            if isRunning { kill(processIdentifier, SIGKILL) }
        }
        defer { watching.cancel() }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            terminationHandler = { _ in continuation.resume() }
            do {
                try run()
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}
