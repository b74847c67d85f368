internal import Foundation
internal import HeartwoodConcurrency
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

    /// Lets a few processes run at a time. Hundreds of tests run at once, and Foundation's `Process` reads past the end
    /// of its list of open files where there are more than a thousand.
    private static let pool = WorkerPool(name: "tool-tests", maximumThreads: 8, idleNanoseconds: 10_000_000_000)

    private static func run(
        _ executable: URL, _ arguments: [String], input: [UInt8], in sandbox: Sandbox
    ) async throws -> Outcome {
        try await withCheckedThrowingContinuation { continuation in
            pool.submit {
                continuation.resume(with: Result { try runNow(executable, arguments, input: input, in: sandbox) })
            }
        }
    }

    /// Blocks its thread.
    private static func runNow(
        _ executable: URL, _ arguments: [String], input: [UInt8], in sandbox: Sandbox
    ) throws -> Outcome {
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
        try process.run()
        process.waitUntilExit()
        // An ended `Process` keeps them open; hundreds of runs would reach the limit of open files.
        for handle in handles { try handle.close() }
        return Outcome(
            code: process.terminationReason == .exit ? process.terminationStatus : nil,
            bytes: [UInt8](try Data(contentsOf: outputFile)),
            error: String(decoding: try Data(contentsOf: errorFile), as: UTF8.self))
    }
}
