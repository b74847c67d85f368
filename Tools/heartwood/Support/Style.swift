/// Colours and weights for a terminal; none if there is no terminal or the user doesn't want them.
///
/// The text always says what a colour says.
struct Style {
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

    static let plain = Style(isEnabled: false)

    private init(isEnabled: Bool) { self.isEnabled = isEnabled }

    /// For output to a descriptor: styled on a terminal, unless `NO_COLOR` is set (https://no-color.org) or `TERM` says
    /// that the terminal can't.
    init(for descriptor: FileDescriptor) {
        let terminal = Environment["TERM"] ?? "dumb"
        isEnabled = descriptor.isTerminal && terminal != "dumb" && (Environment["NO_COLOR"] ?? "").isEmpty
    }

    /// The text with its style.
    func callAsFunction(_ text: String, _ paint: Paint?) -> String {
        guard isEnabled, let paint, !text.isEmpty else { return text }
        return "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m"
    }
}
