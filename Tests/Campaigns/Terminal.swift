#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Prints a line at once, also into a pipe.
func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

/// How far a campaign is, on one line; shown on a terminal only.
struct ProgressLine {
    private let isShown = isatty(STDOUT_FILENO) == 1

    func show(_ text: String) { put("\r\u{1B}[K  \(text)") }

    func clear() { put("\r\u{1B}[K") }

    private func put(_ text: String) {
        guard isShown else { return }
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
}

/// A duration as seconds with one decimal.
func inSeconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    return "\(seconds).\(attoseconds / 100_000_000_000_000_000) s"
}
