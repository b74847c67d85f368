/// The page's styles.
enum PageStyle {
    static let text = colours + "\n" + String(decoding: PackageResources.page_css, as: UTF8.self)

    /// The colours of the engines, each at least three times as light or dark as the ground, and told apart by the
    /// colour-blind as well as seven can be; shapes, dashes and fillings say the same.
    static let lightEngines = [
        "heartwood": "#c0300a", "rocksdb": "#0a2fa8", "leveldb": "#1d8df0", "lmdb": "#1d7f70", "sqlite": "#d040b0",
        "grdb": "#b08c00", "raw": "#222428", "other-0": "#5b3a1e", "other-1": "#6c7a00", "other-2": "#6f7780",
    ]
    static let darkEngines = [
        "heartwood": "#f0602a", "rocksdb": "#5a76ff", "leveldb": "#acd0ff", "lmdb": "#2ed08a", "sqlite": "#c67fc8",
        "grdb": "#f6d824", "raw": "#ffffff", "other-0": "#c9a27c", "other-1": "#a9b83a", "other-2": "#a0a8b2",
    ]
    static let lightCard = "#ffffff"
    static let darkCard = "#1d2126"

    private static var colours: String {
        """
        :root { color-scheme: light; \(lightGround) \(variables(lightEngines)) }
        @media (prefers-color-scheme: dark) {
          :root:not([data-theme=light]) { color-scheme: dark; \(darkGround) \(variables(darkEngines)) }
        }
        :root[data-theme=dark] { color-scheme: dark; \(darkGround) \(variables(darkEngines)) }
        \(lightEngines.keys.sorted().map { ".e.\($0) { --c: var(--\($0)); }" }.joined(separator: "\n"))
        """
    }

    private static func variables(_ engines: [String: String]) -> String {
        engines.sorted { $0.key < $1.key }.map { "--\($0.key): \($0.value);" }.joined(separator: " ")
    }

    private static let lightGround = """
        --ground: #f6f7f9; --card: \(lightCard); --ink: #1b1f24; --soft: #57606a; --line: #d4d9df; --accent: #0b5cad;
        --ahead-ground: #d9e8fb; --ahead-ink: #0a4379; --behind-ground: #fde3c8; --behind-ink: #7a3500;
        --level-ground: #e8eaed; --level-ink: #3a4149; --alarm-ground: #fbe0e0; --alarm-ink: #8a1420;
        --ahead: #2f6fb5; --behind: #b85a00; --level: #6b737c; --on-part: #ffffff;
        --harmless: #6b737c; --refused: #2f6fb5; --crashed: #8a5a00; --hung: #5a4a7a; --lost: #d01578; --wrong: #c8000a;
        """
    private static let darkGround = """
        --ground: #14171b; --card: \(darkCard); --ink: #e6e9ed; --soft: #a0a8b2; --line: #383f48; --accent: #7cb8f2;
        --ahead-ground: #17344f; --ahead-ink: #a9d3fb; --behind-ground: #4b2c0c; --behind-ink: #ffc890;
        --level-ground: #30363d; --level-ink: #ced4da; --alarm-ground: #5a171c; --alarm-ink: #ffc0c4;
        --ahead: #5b9bd5; --behind: #e08a3c; --level: #7b838c; --on-part: #0c0e10;
        --harmless: #8d959e; --refused: #5b9bd5; --crashed: #c9952e; --hung: #a994d6; --lost: #ff6fb5; --wrong: #ff4d4d;
        """
}
