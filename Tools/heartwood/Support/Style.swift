/// Colours and weights for a terminal; nothing where nobody would see them, or wants to.
///
/// What a colour says is always said in words, too.
struct Style {
    /// What a text is to look like.
    enum Paint: String {
        /// Wrong: damage.
        case red = "31"
        /// As after a crash; worth a look.
        case yellow = "33"
        /// As it should be.
        case green = "32"
        /// A heading.
        case bold = "1"
        /// Beside the point.
        case dim = "2"
    }

    /// Whether anything is painted.
    let isEnabled: Bool

    /// Nothing is painted.
    static let plain = Style(isEnabled: false)

    private init(isEnabled: Bool) { self.isEnabled = isEnabled }

    /// For what is written to a descriptor: painted on a terminal, unless `NO_COLOR` is set (https://no-color.org) or `TERM`
    /// says that it can't.
    init(for descriptor: FileDescriptor) {
        let terminal = Environment["TERM"] ?? "dumb"
        isEnabled = descriptor.isTerminal && terminal != "dumb" && (Environment["NO_COLOR"] ?? "").isEmpty
    }

    /// The text, painted.
    func callAsFunction(_ text: String, _ paint: Paint?) -> String {
        guard isEnabled, let paint, !text.isEmpty else { return text }
        return "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m"
    }
}
