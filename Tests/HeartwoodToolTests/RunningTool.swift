internal import Foundation

/// A running `heartwood`, with input in pieces and output read line by line.
///
/// What waits for the process has a thread of its own: on two processors, two waiting tests would hold all of Swift's
/// threads, of which a third one may need one to write what they wait for.
final class RunningTool {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    private let errors: URL
    private var pending: [UInt8] = []

    convenience init(_ arguments: String..., in sandbox: Sandbox) throws { try self.init(arguments, in: sandbox) }

    init(_ arguments: [String], in sandbox: Sandbox) throws {
        process = Tool.process(Tool.url, arguments, in: sandbox)
        errors = try sandbox.scratchFile([])
        process.standardInput = input
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
    }

    var processIdentifier: Int32 { process.processIdentifier }

    /// What it has printed on standard error.
    func error() throws -> String { String(decoding: try Data(contentsOf: errors), as: UTF8.self) }

    func write(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// The next line of output; nil at its end.
    nonisolated(nonsending) func nextLine() async -> String? {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending.removeFirst(end + 1) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            let handle = output.fileHandleForReading
            let more = await onThread { handle.availableData }
            if more.isEmpty { return nil }
            pending += more
        }
    }

    func interrupt() { process.interrupt() }

    func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

    /// Closes the input, and returns the exit code, or the negative number of the signal.
    nonisolated(nonsending) func end() async -> Int32 {
        try? input.fileHandleForWriting.close()
        await onThread { [process] in process.waitUntilExit() }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    private nonisolated(nonsending) func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}
