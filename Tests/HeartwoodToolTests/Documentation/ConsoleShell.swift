internal import Foundation

/// Runs commands in `/bin/sh`, in a directory of their own, where `heartwood` is on the PATH.
struct ConsoleShell {
    /// How a session ended, and what its commands printed.
    struct Outcome {
        /// Standard output and standard error of each command, in the order in which they came; nil for one that was
        /// not run any more.
        var outputs: [String?]
        /// The exit code of the last command; nil where the shell was killed.
        var code: Int32?
        /// What the shell itself had to say, such as of a syntax error.
        var complaints: String
    }

    /// No example takes longer, not even on a busy machine; one that waits for something would wait forever.
    private static let patience = 120.0

    private let sandbox: Sandbox
    private let directory: URL

    init() throws {
        sandbox = try Sandbox()
        directory = sandbox.directory.appendingPathComponent("document")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    /// Makes a file for the commands to use.
    func provide(_ file: URL) throws {
        try FileManager.default.copyItem(at: file, to: directory.appendingPathComponent(file.lastPathComponent))
    }

    /// Runs the commands one after the other in one shell: variables, the directory and `$?` are kept from one to the
    /// next.
    func run(_ commands: [String]) async throws -> Outcome {
        let results = sandbox.directory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: results, withIntermediateDirectories: true)
        func output(_ index: Int) -> URL { results.appendingPathComponent("\(index)") }
        // A redirection of the group, unlike a command between two of them, leaves `$?` as it is.
        let script = commands.enumerated().map { index, command in
            "{ \(command)\n} >'\(output(index).path)' 2>&1\n"
        }
        let process = Tool.process(
            URL(fileURLWithPath: "/bin/sh"), [try sandbox.scratchFile(Array(script.joined().utf8)).path], in: sandbox)
        process.currentDirectoryURL = directory
        process.environment = Self.environment
        let complaints = try sandbox.scratchFile([])
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: complaints)
        try await process.runToEnd(within: Self.patience)
        return Outcome(
            outputs: commands.indices.map { index in
                (try? Data(contentsOf: output(index))).map { String(decoding: $0, as: UTF8.self) }
            },
            code: process.terminationReason == .exit ? process.terminationStatus : nil,
            complaints: String(decoding: try Data(contentsOf: complaints), as: UTF8.self))
    }

    /// What the examples' output depends on is the same everywhere.
    private static var environment: [String: String] {
        let own = ProcessInfo.processInfo.environment
        let path = Tool.url.deletingLastPathComponent().path + ":" + (own["PATH"] ?? "/usr/bin:/bin")
        return own.merging(["PATH": path, "LC_ALL": "C", "TZ": "UTC", "TERM": "dumb", "COLUMNS": "80"]) { $1 }
    }
}
