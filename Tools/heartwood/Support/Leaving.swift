internal import ArgumentParser
internal import Foundation
internal import Heartwood

extension HeartwoodTool {
    /// Ends the process for an error: one line on standard error, with `--json` in JSON, and the error's exit code.
    static func leave(with error: any Error) -> Never {
        switch error {
        case let error as QuietExit:
            Foundation.exit(error.code)
        case is StandardOutput.Closed:
            // The reader has closed the pipe, as in `heartwood scan store | head`. That is no error.
            Foundation.exit(ExitStatus.done.rawValue)
        case let failure as Failure:
            leave(ErrorReport(failure))
        case let error as StoreError:
            leave(ErrorReport(error))
        default:
            leave(withParserError: error)
        }
    }

    private static func leave(_ report: ErrorReport) -> Never {
        report.print()
        Foundation.exit(report.status.rawValue)
    }

    /// Errors of the argument parser: a request for help, which succeeds, or an invalid command.
    private static func leave(withParserError error: any Error) -> Never {
        let code = exitCode(for: error)
        if code.isSuccess { exit(withError: error) }
        let text = message(for: error).split(whereSeparator: \.isNewline).joined(separator: " ")
        guard code == .validationFailure else {
            let description = text.isEmpty ? String(describing: error) : text
            leave(ErrorReport(Failure(.defect, "\(description): please report this")))
        }
        let named = CommandLine.arguments.dropFirst().first { argument in
            configuration.subcommands.contains { $0.configuration.commandName == argument }
        }
        let help = (["heartwood"] + (named.map { [$0] } ?? []) + ["--help"]).joined(separator: " ")
        leave(ErrorReport(Failure(.usage, "\(text.lowercasingFirst) (see '\(help)')")))
    }
}

extension String {
    fileprivate var lowercasingFirst: String { prefix(1).lowercased() + dropFirst() }
}
