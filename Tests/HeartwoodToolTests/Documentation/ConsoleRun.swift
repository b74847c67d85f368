internal import Foundation

/// Runs the examples of a document, and reports where it is wrong.
enum ConsoleRun {
    /// An example whose output differs from the document.
    struct Failure {
        var line: Int
        var text: String
    }

    /// The directory of the repository.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        .standardizedFileURL

    /// Runs all examples in one directory, in which there is `cities.jsonl.gz`, the store `app` of ``ExampleStore``,
    /// and nothing else.
    ///
    /// - Throws: ``ConsoleDocument/Problem`` if the document itself is malformed.
    static func failures(in text: String) async throws -> [Failure] {
        let document = try ConsoleDocument(text)
        guard !document.parts.isEmpty else { return [Failure(line: 1, text: "there are no examples to run")] }
        let shell = try ConsoleShell()
        try shell.provide(root.appendingPathComponent("Tools/demo-data/cities.jsonl.gz"))
        try await ExampleStore.make(at: shell.directory.appendingPathComponent("app"))
        var failures: [Failure] = []
        for part in document.parts {
            switch part {
            case .setup(let line, let script):
                let outcome = try await shell.run([script])
                guard outcome.code != 0 else { continue }
                let output = (outcome.outputs[0] ?? "") + outcome.complaints
                failures.append(Failure(line: line, text: "the set-up failed:\n\(output)"))
            case .session(let steps):
                let outcome = try await shell.run(steps.map(\.command))
                failures += zip(steps, outcome.outputs).compactMap { failure($0, $1, outcome) }
            }
        }
        return failures
    }

    private static func failure(
        _ step: ConsoleDocument.Step, _ output: String?, _ outcome: ConsoleShell.Outcome
    ) -> Failure? {
        guard let output else {
            let reason = outcome.code == nil ? "the shell was killed, or took too long" : outcome.complaints
            return Failure(line: step.line, text: "$ \(step.command)\n  was not run: \(reason)")
        }
        let comparison = ConsoleComparison(expected: step.expected, output: output)
        guard !comparison.isEqual else { return nil }
        return Failure(line: step.line, text: "$ \(step.command)\n\(comparison.difference)")
    }
}
