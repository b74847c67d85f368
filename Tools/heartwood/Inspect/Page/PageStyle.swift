/// The page's styles. Colours are those of Okabe and Ito, which the colour-blind tell apart; patterns say the same.
enum PageStyle {
    static let base = #"""
        :root {
          color-scheme: light;
          --ground: #f6f7f9; --card: #ffffff; --ink: #1b1f24; --soft: #57606a; --line: #d4d9df; --accent: #0b5cad;
          --live: #009e73; --dead: #a3a9b1; --format: #56b4e9; --torn: #e69f00; --corrupt: #b3202c; --free: #eceff2;
          --mark: #1b1f24; --stroke: rgba(255, 255, 255, .75); --bar: #3d7ab8;
          --clean-ground: #dff3ea; --clean-ink: #00583f; --torn-ground: #fff1cf; --torn-ink: #6b4700;
          --corrupt-ground: #fbe0e0; --corrupt-ink: #8a1420;
        }
        @media (prefers-color-scheme: dark) {
          :root:not([data-theme=light]) {
            color-scheme: dark;
            --ground: #14171b; --card: #1d2126; --ink: #e6e9ed; --soft: #a0a8b2; --line: #383f48; --accent: #7cb8f2;
            --live: #12a87e; --dead: #6c747d; --format: #3f86b5; --torn: #d79a13; --corrupt: #e0525c; --free: #2a2f36;
            --mark: #ffffff; --stroke: rgba(0, 0, 0, .55); --bar: #5b9bd5;
            --clean-ground: #10382c; --clean-ink: #8fe3c3; --torn-ground: #40310c; --torn-ink: #ffd983;
            --corrupt-ground: #47191d; --corrupt-ink: #ffb3b8;
          }
        }
        :root[data-theme=dark] {
          color-scheme: dark;
          --ground: #14171b; --card: #1d2126; --ink: #e6e9ed; --soft: #a0a8b2; --line: #383f48; --accent: #7cb8f2;
          --live: #12a87e; --dead: #6c747d; --format: #3f86b5; --torn: #d79a13; --corrupt: #e0525c; --free: #2a2f36;
          --mark: #ffffff; --stroke: rgba(0, 0, 0, .55); --bar: #5b9bd5;
          --clean-ground: #10382c; --clean-ink: #8fe3c3; --torn-ground: #40310c; --torn-ink: #ffd983;
          --corrupt-ground: #47191d; --corrupt-ink: #ffb3b8;
        }
        * { box-sizing: border-box; }
        html { -webkit-text-size-adjust: 100%; }
        body {
          margin: 0 auto; padding: 0 16px 32px; max-width: 1360px; background: var(--ground); color: var(--ink);
          font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
        }
        header { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: end; justify-content: space-between; }
        header > div { min-width: 0; }
        h1 { margin: 0; font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
        h2 { margin: 0 0 10px; font-size: 1.15rem; }
        h3 { margin: 14px 0 8px; font-size: 1rem; overflow-wrap: anywhere; }
        .kicker { margin: 16px 0 0; color: var(--soft); font-size: .85rem; }
        section {
          margin-top: 16px; padding: 16px; background: var(--card); border: 1px solid var(--line); border-radius: 10px;
          min-width: 0;
        }
        button {
          font: inherit; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 6px;
          padding: 4px 10px; cursor: pointer;
        }
        button:hover { border-color: var(--accent); }
        a { color: var(--accent); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .skip { position: absolute; left: -9999px; }
        .skip:focus { left: 16px; top: 8px; background: var(--card); padding: 4px 8px; z-index: 5; }
        .hint { margin: 6px 0; color: var(--soft); font-size: .87rem; }
        .box { padding: 10px 14px; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
        .bad { background: var(--corrupt-ground); color: var(--corrupt-ink); }
        .scroll { overflow-x: auto; max-width: 100%; }
        .row { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 300px), 1fr)); gap: 20px; }
        .row > * { min-width: 0; }
        footer { color: var(--soft); font-size: .85rem; }
        code, .mono { font: .87em/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
        .mono { overflow-wrap: anywhere; }
        @media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
        """#

    static let parts = #"""
        table { border-collapse: collapse; width: 100%; font-size: .9rem; }
        th, td { padding: 4px 10px 4px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
        th { color: var(--soft); font-weight: 600; white-space: nowrap; }
        tbody th { font-weight: 400; color: var(--ink); }
        td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
        td.wide { min-width: 13em; overflow-wrap: anywhere; }
        td.place { min-width: 19em; overflow-wrap: anywhere; }
        tr.chosen td { background: color-mix(in srgb, var(--accent) 14%, transparent); }
        caption { text-align: left; font-weight: 600; padding-bottom: 4px; }
        .link { border: 0; padding: 0; background: none; color: var(--accent); text-decoration: underline; text-align: left; }
        .badge { display: inline-block; padding: 1px 9px; border-radius: 99px; font-weight: 600; white-space: nowrap; }
        .badge.clean, .badge.note { background: var(--clean-ground); color: var(--clean-ink); }
        .badge.torn { background: var(--torn-ground); color: var(--torn-ink); }
        .badge.corrupt, .badge.corruption, .badge.unsupported, .badge.unreadable {
          background: var(--corrupt-ground); color: var(--corrupt-ink);
        }
        #summary > p { margin: 0 0 12px; font-size: 1.05rem; }
        #summary dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 220px), 1fr)); gap: 10px 20px;
          margin: 0; }
        dt { color: var(--soft); font-size: .85rem; }
        dd { margin: 0; overflow-wrap: anywhere; }
        #advice ul { margin: 0; padding-left: 1.2em; }
        #legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 8px 0 12px; padding: 0; list-style: none; }
        #legend li { display: flex; align-items: center; gap: 6px; font-size: .9rem; }
        #legend canvas, td canvas { width: 26px; height: 14px; border: 1px solid var(--line); border-radius: 2px; }
        #overview { display: grid; gap: 4px; max-height: 420px; overflow-y: auto; padding: 4px; }
        #overview button {
          display: grid; grid-template-columns: minmax(0, 20em) minmax(0, 1fr); gap: 2px 12px; align-items: center;
          width: 100%; text-align: left; padding: 5px 8px; font-size: .87rem;
        }
        #overview button[aria-pressed=true] { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent); }
        #overview canvas { width: 100%; height: 18px; border-radius: 3px; display: block; }
        #overview span { overflow-wrap: anywhere; }
        #overview small { color: var(--soft); }
        .tools { display: flex; flex-wrap: wrap; gap: 6px; align-items: center; margin-bottom: 8px; }
        .tools button { min-width: 34px; }
        #range { color: var(--soft); font-size: .87rem; font-variant-numeric: tabular-nums; }
        #stage { position: relative; }
        #view { display: block; width: 100%; height: 170px; border-radius: 6px; touch-action: pan-y; cursor: crosshair; }
        #tip {
          position: absolute; top: 8px; z-index: 2; max-width: min(320px, 90%); padding: 6px 10px; pointer-events: none;
          background: var(--card); border: 1px solid var(--line); border-radius: 6px; font-size: .85rem;
          box-shadow: 0 2px 10px rgba(0, 0, 0, .25); overflow-wrap: anywhere; white-space: pre-line;
        }
        #panel dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 135px), 1fr)); gap: 8px 18px;
          margin: 10px 0 0; padding: 10px 12px; border: 1px solid var(--line); border-radius: 8px; }
        #panel .whole { grid-column: 1 / -1; }
        #inview { margin-top: 10px; }
        #inview .scroll { max-height: 320px; overflow-y: auto; margin-top: 8px; }
        #chain ol { display: flex; flex-wrap: wrap; gap: 10px; margin: 0; padding: 0; list-style: none; }
        #chain li { flex: 1 1 230px; max-width: 420px; min-width: 0; border: 1px solid var(--line); border-radius: 8px;
          padding: 8px 12px; font-size: .9rem; }
        #chain li.bad-file { border-color: var(--corrupt); }
        #chain p { margin: 0; overflow-wrap: anywhere; }
        #chain p + p { color: var(--soft); font-size: .87rem; }
        figure { margin: 0; min-width: 0; }
        figcaption { font-weight: 600; margin-bottom: 4px; }
        figure svg { display: block; width: 100%; height: 110px; background: var(--ground); border-radius: 4px; }
        figure rect { fill: var(--bar); }
        .ends { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 12px; color: var(--soft);
          font-size: .8rem; }
        .bar { display: block; height: 12px; min-width: 2px; background: var(--bar); border-radius: 2px; }
        td.barcell { width: 45%; vertical-align: middle; padding-right: 0; }
        @media (max-width: 640px) {
          body { padding: 0 10px 24px; }
          section { padding: 12px; }
          #summary dl { grid-template-columns: repeat(2, minmax(0, 1fr)); }
          #findings thead { position: absolute; left: -9999px; }
          #findings table, #findings tbody, #findings tr, #findings td { display: block; min-width: 0; text-align: left; }
          #findings td { border: 0; padding: 2px 0; }
          #findings tr { border-bottom: 1px solid var(--line); padding: 6px 0; }
          #overview button { grid-template-columns: minmax(0, 1fr); }
        }
        """#
}
