/// The page's styles.
enum PageStyle {
    static let text = [colours, base, parts, charts].joined(separator: "\n")

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

    private static let base = #"""
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body {
          margin: 0 auto; padding: 0 16px 32px; max-width: 1392px; background: var(--ground); color: var(--ink);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
        }
        header { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: end; justify-content: space-between; }
        h1 { margin: 0; font-size: 1.6rem; line-height: 1.25; }
        h2 { margin: 0 0 8px; font-size: 1.25rem; overflow-wrap: anywhere; }
        h3 { margin: 18px 0 8px; font-size: 1.05rem; overflow-wrap: anywhere; }
        h4 { margin: 0; font-size: .95rem; font-weight: 600; overflow-wrap: anywhere; }
        p { margin: 6px 0; overflow-wrap: anywhere; }
        .kicker { margin: 16px 0 0; color: var(--soft); font-size: .85rem; }
        section {
          margin-top: 16px; padding: 16px; background: var(--card); border: 1px solid var(--line); border-radius: 10px;
          min-width: 0; scroll-margin-top: 8px;
        }
        button {
          font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 6px;
          padding: 4px 10px; cursor: pointer;
        }
        button:hover { border-color: var(--accent); }
        a { color: var(--accent); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .hint, small { color: var(--soft); font-size: .87rem; font-weight: 400; }
        code { font: .9em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
          overflow-wrap: anywhere; }
        .scroll { overflow-x: auto; max-width: 100%; }
        dl { margin: 0; }
        dt { color: var(--soft); font-size: .85rem; }
        dd { margin: 0; overflow-wrap: anywhere; }
        footer { color: var(--soft); font-size: .85rem; }
        nav ul { display: flex; flex-wrap: wrap; gap: 4px 14px; margin: 12px 0 0; padding: 0; list-style: none;
          font-size: .92rem; }
        table { border-collapse: collapse; font-size: .9rem; width: 100%; }
        th, td { padding: 3px 12px 3px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
        thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
        tbody th { font-weight: 400; }
        .n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        .c { text-align: center; white-space: nowrap; font-variant-numeric: tabular-nums; }
        .badge { display: inline-block; padding: 1px 9px; border-radius: 99px; font-weight: 600; font-size: .85rem; }
        .badge.fine, .badge.power { background: var(--ahead-ground); color: var(--ahead-ink); }
        .badge.warned, .badge.moments { background: var(--behind-ground); color: var(--behind-ink); }
        .badge.process, .badge.plain { background: var(--level-ground); color: var(--level-ink); }
        .mark { display: inline-block; padding: 0 6px; border-radius: 4px; white-space: nowrap; }
        .mark.ahead { background: var(--ahead-ground); color: var(--ahead-ink); }
        .mark.behind { background: var(--behind-ground); color: var(--behind-ink); font-weight: 600; }
        .mark.level, .mark.unknown { background: var(--level-ground); color: var(--level-ink); }
        .out { opacity: .12; }
        @media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
        @media print { body { max-width: none; } section { break-inside: auto; } #theme, nav { display: none; } }
        """#
}
