internal import Foundation

/// Colours and weights for a terminal; none if there is no terminal or the user doesn't want them.
///
/// The text always says what a colour says.
struct Style: Sendable {
    /// The style of a text.
    enum Paint: String {
        /// Damage.
        case red = "31"
        /// As after a crash: worth checking.
        case yellow = "33"
        /// Good.
        case green = "32"
        /// A heading.
        case bold = "1"
        /// Less important.
        case dim = "2"
    }

    let isEnabled: Bool

    static let plain = Style(environment: [:], isTerminal: false)

    /// Styled on a terminal, unless `NO_COLOR` is set (https://no-color.org) or `TERM` says that the terminal can't.
    init(environment: [String: String], isTerminal: Bool) {
        isEnabled = isTerminal && Self.isCapable(environment) && environment["NO_COLOR", default: ""].isEmpty
    }

    static var ofStandardOutput: Style {
        Style(environment: ProcessInfo.processInfo.environment, isTerminal: isatty(STDOUT_FILENO) == 1)
    }

    /// Whether standard error is a terminal on which a line can be erased, as that of a progress bar.
    static let erasesLines = isatty(STDERR_FILENO) == 1 && isCapable(ProcessInfo.processInfo.environment)

    private static func isCapable(_ environment: [String: String]) -> Bool {
        environment["TERM", default: "dumb"] != "dumb"
    }

    /// The text with its style.
    func callAsFunction(_ text: String, _ paint: Paint?) -> String {
        guard isEnabled, let paint, !text.isEmpty else { return text }
        return "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m"
    }
}
