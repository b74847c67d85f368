internal import Foundation

/// Runs commands in `/bin/sh`, in a new directory, with `heartwood` on the PATH.
struct ConsoleShell {
    /// How a session ended, and what its commands printed.
    struct Outcome {
        /// Standard output and standard error of each command, in the order of the writes; nil if it was not run.
        var outputs: [String?]
        /// The exit code of the last command; nil if the shell was killed.
        var code: Int32?
        /// Messages of the shell itself, such as a syntax error.
        var complaints: String
    }

    private let sandbox: Sandbox
    let directory: URL

    init() throws {
        sandbox = try Sandbox()
        directory = sandbox.directory.appendingPathComponent("document")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    /// Copies a file into the directory.
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
        let file = try sandbox.scratchFile(Array(script.joined().utf8)).path
        // No example takes longer, even on a busy machine. What the examples' output depends on is the same everywhere.
        let outcome = try await sandbox.shell(
            """
            cd document; export LC_ALL=C TZ=UTC TERM=dumb COLUMNS=80 PATH="$(dirname "$heartwood"):$PATH"
            exec timeout -s KILL 120 /bin/sh \(file) < /dev/null
            """)
        return Outcome(
            outputs: commands.indices.map { index in
                (try? Data(contentsOf: output(index))).map { String(decoding: $0, as: UTF8.self) }
            },
            code: outcome.code == 137 ? nil : outcome.code, complaints: outcome.error)
    }
}
