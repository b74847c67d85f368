internal import Foundation

/// A running `heartwood`, with input in pieces and output read line by line.
///
/// What waits for the process has a thread of its own: on two processors, two waiting tests would hold all of Swift's
/// threads, of which a third one may need one to write what they wait for.
final class RunningTool {
    private let process: Process
    private let input = Pipe()
    private let output = Pipe()
    private var pending: [UInt8] = []

    convenience init(_ arguments: String..., in sandbox: Sandbox) throws { try self.init(arguments, in: sandbox) }

    convenience init(_ arguments: [String], in sandbox: Sandbox) throws {
        try self.init(Tool.process(Tool.url, arguments, in: sandbox))
    }

    /// Runs a line of shell, in which `$heartwood` is the tool.
    convenience init(shell script: String, in sandbox: Sandbox) throws {
        try self.init(Tool.process(URL(fileURLWithPath: "/bin/bash"), ["-c", script], in: sandbox))
    }

    private init(_ process: Process) throws {
        self.process = process
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    var processIdentifier: Int32 { process.processIdentifier }

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
