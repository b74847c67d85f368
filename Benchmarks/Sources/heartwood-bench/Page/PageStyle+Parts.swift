extension PageStyle {
    /// The sections and their tables.
    static let parts = #"""
        #run dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 260px), 1fr));
          gap: 8px 20px; }
        #run .state { margin: 0 0 12px; }
        #run .command { margin-top: 12px; }
        .command span { color: var(--soft); font-size: .87rem; }
        .promises { display: grid; grid-template-columns: max-content 1fr; gap: 6px 14px; align-items: baseline;
          margin-bottom: 10px; }
        .verdict { font-size: 1.1rem; }
        .sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 4px 28px; }
        .sides ul { margin: 0; padding: 0; list-style: none; font-size: .9rem; }
        .sides li { padding: 3px 0 3px 10px; border-left: 4px solid var(--ahead); margin-bottom: 3px;
          overflow-wrap: anywhere; }
        .sides .behind li { border-color: var(--behind); }
        .sides li span { color: var(--soft); }
        table.claims { width: auto; min-width: min(100%, 640px); }
        .claims th code { white-space: nowrap; }
        .claims td:last-child { overflow-wrap: anywhere; }
        .glances { columns: 460px; column-gap: 28px; }
        .glances .scroll { break-inside: avoid; padding-bottom: 14px; }
        table.glance { width: auto; }
        .glance th, .glance td { padding: 2px 8px; vertical-align: middle; }
        .glance th[scope=row] { padding-left: 0; white-space: nowrap; }
        .glance thead th { font-size: .85rem; line-height: 1.2; }
        .glance thead th:first-child { padding-left: 0; font-size: .95rem; min-width: 11.5em; }
        .glance .way { padding-left: 1.2em; color: var(--soft); font-size: .9em; }
        .glance thead th span { display: block; max-width: 9em; overflow-wrap: break-word; white-space: normal;
          margin: 0 auto; }
        .glance .mark { min-width: 5.4em; }
        .none { color: var(--soft); }
        .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 560px), 1fr)); gap: 16px;
          margin-top: 10px; }
        article { border: 1px solid var(--line); border-radius: 8px; padding: 12px; min-width: 0;
          scroll-margin-top: 8px; }
        .whole > .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 540px), 1fr));
          gap: 8px 28px; align-items: start; }
        .cards > .whole { grid-column: 1 / -1; margin-top: 0; }
        article > .hint { margin: 2px 0 6px; }
        article.whole { margin-top: 12px; }
        .ratios { table-layout: fixed; font-size: .87rem; }
        .ratios th, .ratios td { border-bottom: 0; padding: 1px 8px 1px 0; vertical-align: middle; }
        .ratios thead th, .ratios thead td { border-bottom: 1px solid var(--line); vertical-align: bottom;
          font-size: .8rem; line-height: 1.25; }
        .ratios thead th.n { white-space: normal; }
        .ratios tbody th { overflow-wrap: anywhere; line-height: 1.2; padding: 2px 6px 2px 21px; text-indent: -21px; }
        .ratios th:first-child { width: 22%; }
        .ratios thead th:nth-child(3) { width: 13%; }
        .ratios thead th:nth-child(4) { width: 11%; }
        .ratios thead th.spread { width: 18%; }
        .ratios .n:last-child { padding-right: 0; }
        .ratios td.spread { color: var(--soft); font-size: .92em; white-space: normal; }
        .direction { color: var(--soft); font-size: .8rem; text-align: right; padding-right: 0; }
        tr.e th, .e > th { color: var(--ink); }
        .failures { margin: 8px 0 0; padding: 6px 10px 6px 24px; background: var(--behind-ground);
          color: var(--behind-ink);
          border-radius: 6px; font-size: .87rem; overflow-wrap: anywhere; }
        details { margin-top: 8px; font-size: .9rem; }
        summary { cursor: pointer; color: var(--accent); }
        .runs { font-size: .83rem; margin-top: 6px; }
        .runs th[scope=row] { white-space: nowrap; max-width: 16em; overflow: hidden; text-overflow: ellipsis; }
        .runs .also { min-width: 22em; color: var(--soft); }
        .single { min-width: 620px; margin-top: 8px; }
        .single small { display: block; }
        .single th[scope=row] { overflow-wrap: anywhere; }
        .damage { margin-top: 10px; min-width: 560px; }
        .damage .alarm { background: var(--alarm-ground); color: var(--alarm-ink); font-weight: 700;
          padding-left: 6px; padding-right: 6px; }
        .damage th.n { padding-right: 12px; }
        .swatch { display: inline-block; width: 12px; height: 12px; border-radius: 2px; margin-right: 6px;
          background: var(--part); }
        .damaged { display: grid; grid-template-columns: 170px minmax(0, 1fr); gap: 0 12px; align-items: center;
          margin: 3px 0; font-size: .9rem; }
        .damaged .of { overflow-wrap: anywhere; line-height: 1.2; padding-left: 21px; text-indent: -21px; }
        .settings { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 400px), 1fr)); gap: 12px; }
        .settings h3 { margin: 0 0 4px; font-size: 1rem; }
        .settings ul { margin: 0; padding-left: 1.2em; font-size: .9rem; overflow-wrap: anywhere; }
        .missing dt { color: var(--ink); font-weight: 600; font-size: 1em; margin-top: 6px; }
        .failed { min-width: 480px; }
        .failed .reason { overflow-wrap: anywhere; }
        .unreached { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 0; padding: 0; list-style: none;
          font-size: .9rem; }
        @media (max-width: 640px) {
          body { padding: 0 8px 24px; }
          section { padding: 12px; }
          article { padding: 10px; }
          .promises { grid-template-columns: minmax(0, 1fr); gap: 2px; }
          .promises dd { margin-bottom: 6px; }
          #run dl { grid-template-columns: repeat(2, minmax(0, 1fr)); }
          .ratios, .ratios thead, .ratios tbody, .ratios tfoot { display: block; }
          .ratios tr { display: grid; grid-template-columns: minmax(0, 1fr) max-content 4.8em; column-gap: 10px;
            align-items: baseline; }
          .ratios th, .ratios td { padding-right: 0; }
          .ratios thead th:nth-child(n) { width: auto; }
          .ratios th:first-child { width: auto; }
          .ratios thead tr { border-bottom: 1px solid var(--line); }
          .ratios thead th { border: 0; }
          .ratios .spread, .ratios thead .barcell, .ratios tfoot td:first-child { display: none; }
          .ratios .barcell { grid-row: 2; grid-column: 1 / -1; }
          .ratios tbody tr { padding-top: 3px; }
          .ratios tfoot .barcell, .ratios .direction { grid-row: auto; grid-column: 1 / -1; }
          .claims th, .claims td { padding-right: 8px; font-size: .85rem; }
          .glance th, .glance td { padding: 2px; font-size: .78rem; }
          .glance th[scope=row] { white-space: normal; line-height: 1.2; }
          .glance .way { padding-left: .8em; display: inline-block; }
          .glance thead th:first-child { min-width: 7.5em; font-size: .85rem; }
          .glance thead th .key { margin: 0; }
          .glance thead th span { font-size: .72rem; }
          .glance code { overflow-wrap: break-word; }
          .glance .mark { min-width: 4.6em; padding: 0 2px; }
          .damaged { grid-template-columns: minmax(0, 1fr); margin: 8px 0; }
        }
        """#

    /// What is drawn.
    static let charts = #"""
        svg { display: inline-block; vertical-align: middle; }
        svg text { font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; fill: var(--ink); }
        svg .tick, svg .axis { fill: var(--soft); font-size: 11.5px; font-variant-numeric: tabular-nums; }
        .grid { stroke: var(--line); stroke-width: 1; }
        .one { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 3 2; }
        .key { margin-right: 5px; overflow: visible; flex: none; }
        .fill { fill: var(--c); }
        .open { fill: var(--card); stroke: var(--c); stroke-width: 2; }
        path.open { fill: none; stroke-width: 2.4; }
        .stroke { fill: none; stroke: var(--c); stroke-width: 2; stroke-linejoin: round; }
        .stroke.thin { stroke-width: 1.5; }
        .area { fill: var(--c); fill-opacity: .3; stroke: var(--c); stroke-width: 1.2; }
        .latest { fill: var(--c); fill-opacity: .75; }
        .target { fill: transparent; }
        .leader { stroke: var(--line); fill: none; }
        svg .name { font-size: 12.5px; }
        .bars { width: 100%; display: block; overflow: visible; }
        .bar { fill: var(--c); stroke: var(--c); stroke-width: 1.5; }
        .soft .bar { fill-opacity: .4; }
        .hollow .bar { fill-opacity: .12; stroke-dasharray: 3 2; }
        line.whisker { stroke: var(--ink); stroke-width: 1.3; }
        path.whisker { stroke: var(--c); stroke-width: 1.3; }
        .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 560px), 1fr)); gap: 20px;
          margin: 10px 0; }
        figure { margin: 8px 0; min-width: 0; }
        figcaption { font-weight: 600; font-size: .93rem; margin-bottom: 4px; overflow-wrap: anywhere; }
        .chart svg.wide, .chart svg.narrow { width: 100%; height: auto; }
        .chart svg.wide { max-width: 760px; }
        .chart svg.narrow, ul.legend.narrow { display: none; }
        .timelines { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 310px), 1fr));
          gap: 12px 20px; }
        .timeline svg:not(.key) { width: 100%; height: auto; max-width: 480px; }
        .timeline figcaption { color: var(--ink); font-size: .9rem; margin: 0; }
        .legend { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 8px 0; padding: 0; list-style: none;
          font-size: .9rem; }
        .legend li { overflow-wrap: anywhere; min-width: 0; }
        .stack { width: 100%; display: block; border-radius: 4px; margin: 2px 0; background: var(--ground); }
        .stack rect { fill: var(--part); stroke: var(--card); stroke-width: 1; }
        .stack text { fill: var(--on-part); font-weight: 600; font-size: 12px; }
        .ahead { --part: var(--ahead); } .behind { --part: var(--behind); } .level { --part: var(--level); }
        .harmless { --part: var(--harmless); } .refused { --part: var(--refused); } .crashed { --part: var(--crashed); }
        .hung { --part: var(--hung); } .lost { --part: var(--lost); } .wrong { --part: var(--wrong); }
        @media (max-width: 640px) {
          .chart svg.wide { display: none; }
          .chart svg.narrow { display: block; max-width: 560px; }
          ul.legend.narrow { display: flex; gap: 2px 12px; font-size: .83rem; }
        }
        """#
}
