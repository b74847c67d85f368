internal import Foundation

/// Prints a line without buffering.
func say(_ line: String) {
    put(line + "\n")
}

private func put(_ text: String) {
    let bytes = Array(text.utf8)
    _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

/// A line that says how far a campaign is. Shown on a terminal only.
struct ProgressLine {
    private let isShown = isatty(STDOUT_FILENO) == 1

    func show(_ text: String) {
        if isShown { put("\r\u{1B}[K  \(text)") }
    }

    func clear() {
        if isShown { put("\r\u{1B}[K") }
    }
}

/// A duration as seconds with one decimal.
func inSeconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return "\(seconds).\(attoseconds / 100_000_000_000_000_000) s"
}
