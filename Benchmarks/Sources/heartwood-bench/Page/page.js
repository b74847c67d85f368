"use strict";
(() => {
const byId = (id) => document.getElementById(id);
const { results, standings, figureTitles } = JSON.parse(byId("data").textContent);

// --- Elements: text from the results is never parsed as HTML ---------------------------------------------------------

// Without control characters and characters that change the direction of text.
const plain = (text) => String(text).replace(/[\t\n\r]/g, " ")
  .replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]/g, "\ufffd");

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, plain(value));
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) element.append(typeof child === "object" ? child : plain(child));
  }
  return element;
}
const html = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
const list = (className, items) => html("ul", { class: className }, items.map((item) => html("li", {}, item)));
const cell = (className, ...children) => html("td", { class: className }, children);

// A row: the first cell is its heading; the others are numbers unless they are elements. The same holds for heads.
const line = (attributes, [first, ...others]) => html("tr", attributes, html("th", { scope: "row" }, first),
  others.map((text) => typeof text === "object" ? text : cell("n", text)));
const table = (className, heads, lines) => html("div", { class: "scroll", tabindex: "0" },
  html("table", { class: className }, html("thead", {}, html("tr", {}, heads.map((head, index) =>
    html("th", { scope: "col", class: index > 0 && !head.tagName ? "n" : "" }, head)))), html("tbody", {}, lines)));
const words = (text) => html("span", {}, text);
const fold = (title, ...children) => html("details", {}, html("summary", {}, title), children);

// --- Numbers as text: as FigureText has them -------------------------------------------------------------------------

const space = "\u202f";

function decimal(value, digits) {
  const rounded = Math.round(value * 10 ** digits) / 10 ** digits;
  return rounded.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
const grouped = (value) => decimal(value, 0);
const digits = (value) => value >= 1e12 ? String(value) : decimal(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
const tiny = (value) =>
  value < 1e-6 ? "<0.000001" : decimal(value, Math.min(1 - Math.floor(Math.log10(value)), 7));

function short(value) {
  if (!Number.isFinite(value)) return "?";
  if (value < 0) return "-" + short(-value);
  if (value === 0) return "0";
  if (value < 0.0995) return tiny(value);
  const units = ["", "k", "M", "G", "T", "P"];
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) { value /= 1000; unit += 1; }
  return digits(value) + (unit > 0 ? space + units[unit] : "");
}

function time(seconds) {
  if (!(seconds > 0)) return seconds === 0 ? "0" + space + "s" : "?";
  if (seconds < 0.9995e-6) return digits(seconds * 1e9) + space + "ns";
  if (seconds < 0.9995e-3) return digits(seconds * 1e6) + space + "µs";
  if (seconds < 0.9995) return digits(seconds * 1e3) + space + "ms";
  return seconds < 599.5 ? digits(seconds) + space + "s" : short(seconds / 60) + space + "min";
}
const nanoseconds = (value) => time(value / 1e9);
const rate = (value) => short(value) + "/s";
const ratioText = (value) => !(value < 1e9) ? "?" : (value < 0.0995 ? tiny(value) : digits(value)) + "×";
// For axes: without zeros at the end.
const trimmed = (text) => text.replace(/(\.\d*?)0+(?=\D|$)/, "$1").replace(/\.(?=\D|$)/, "");
const count = (number) => number >= 1e4 && number % 1e3 === 0 ? trimmed(short(number)) : grouped(number);
const counted = (number, word) => grouped(number) + " " + word + (number === 1 ? "" : "s");

function bytes(number) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  while (number >= 1024 && unit < units.length - 1) { number /= 1024; unit += 1; }
  return trimmed(decimal(number, unit > 0 ? 1 : 0)) + " " + units[unit];
}

function moment(seconds) {
  if (!(Math.abs(seconds) < 1e11)) return "at an unknown time";
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ") + " UTC";
}

// --- What the results say --------------------------------------------------------------------------------------------

// All runs' damage together.
function damageOf(runs) {
  const names = ["changes", "harmless", "refused", "crashed", "hung", "lost", "wrong", "lostButTold"];
  const sum = (name) => runs.reduce((total, { damage }) => total + (damage?.[name] ?? 0), 0);
  return Object.fromEntries(names.map((name) => [name, sum(name)]));
}

// The figure of a run in a row; less is better, except for rates.
const measures = {
  rate: { title: "operations a second", text: rate, of: (run) => run.seconds > 0 ? run.operations / run.seconds : NaN },
  seconds: { title: "seconds", text: time, of: (run) => run.seconds },
  figure: { text: short, of: (run, row) => run.figures[row.figure] },
  latency: { title: "99th percentile of latency", text: nanoseconds, of: (run) => run.latency?.p99 },
  damage: {
    title: "changes that lost or altered data without an error, in a thousand", text: short,
    of: (run) => run.damage?.changes > 0 ? (run.damage.lost + run.damage.wrong) * 1000 / run.damage.changes : NaN,
  },
};

// Median, lowest and highest; null if there are no values.
function spread(values) {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return { median: (low + high) / 2, lowest: sorted[0], highest: sorted[sorted.length - 1], count: sorted.length };
}

const engines = [...new Map(results.engines.map((engine) => [engine.id, engine])).values()];
const isOurs = (engine) => engine.family === "heartwood";
const isRaw = (engine) => engine.family === "raw" || engine.id === "raw";
const titleOf = (id) => engines.find((engine) => engine.id === id)?.title ?? id;

// Each row with the engines that have figures in it.
const rows = results.rows.map((row) => {
  const measure = measures[row.measure];
  const entries = engines.map((engine) => {
    const runs = results.cells.filter((cell) => cell.row === row.id && cell.engine === engine.id)
      .flatMap((cell) => cell.runs);
    return { engine, runs, figures: spread(runs.map((run) => measure.of(run, row))) };
  }).filter((entry) => entry.figures);
  const ours = entries.filter(({ engine }) => isOurs(engine));
  return {
    ...row, entries, measureTitle: measure.title ?? figureTitles[row.figure] ?? row.figure, text: measure.text,
    // Heartwood with its defaults first: ratios refer to it.
    ways: ours.sort((a, b) => (b.engine.id === "heartwood") - (a.engine.id === "heartwood")),
    peers: entries.filter(({ engine }) => !isOurs(engine) && !isRaw(engine)),
    failures: results.cells.filter((cell) => cell.row === row.id && cell.failure),
  };
});
const groups = [...new Set(rows.map((row) => row.group))]
  .map((id) => ({ id, rows: rows.filter((row) => row.group === id && row.entries.length > 0) }))
  .filter((group) => group.rows.length > 0);

// --- Engines, rows and promises in words -----------------------------------------------------------------------------

const shapes = {
  disc: "M-4 0A4 4 0 1 1 4 0A4 4 0 1 1 -4 0Z", square: "M-4 -4H4V4H-4Z", diamond: "M0 -5L5 0L0 5L-5 0Z",
  up: "M0 -5L5 4H-5Z", down: "M0 5L5 -4H-5Z", cross: "M-4 -4L4 4M-4 4L4 -4", plus: "M-5 0H5M0 -5V5",
};
const looks = {
  "heartwood": ["heartwood", "fill", "disc", ""], "heartwood-mapped": ["heartwood", "open", "disc", "7 3"],
  "heartwood-threads": ["heartwood", "open", "square", "2 3"], "rocksdb": ["rocksdb", "fill", "square", ""],
  "leveldb": ["leveldb", "fill", "diamond", "9 3"], "lmdb": ["lmdb", "fill", "up", ""],
  "sqlite": ["sqlite", "fill", "down", "6 2 2 2"], "grdb": ["grdb", "open", "cross", "3 3"],
  "raw": ["raw", "open", "plus", "1 4"],
};
const others = engines.filter((engine) => !(engine.id in looks));
const lookOf = (engine) => looks[engine.id] ?? ["other-" + others.indexOf(engine) % 3, "open", "diamond", "1 3"];

const marker = (engine, x, y) => {
  const [, className, shape] = lookOf(engine);
  return svg("path", { class: className, d: shapes[shape], transform: `translate(${x} ${y})` });
};
const stroke = (engine, d) => svg("path", { class: "open", d, "stroke-dasharray": lookOf(engine)[3] });
const of = (engine) => ({ class: "e " + lookOf(engine)[0], "data-of": engine.id });
const name = (engine) => html("span", of(engine),
  svg("svg", { class: "key", width: 34, height: 14, "aria-hidden": "true" }, stroke(engine, "M1 7H33"),
    marker(engine, 17, 7)), engine.title);

const anchor = (kind, id) => kind + "-" + id.replace(/[^A-Za-z0-9-]/g, "_");
const code = (text) => html("code", {}, text);
const rowLink = (row) =>
  row.entries.length > 0 ? html("a", { href: "#" + anchor("row", row.id) }, code(row.id)) : code(row.id);
const badge = (promise) => html("span", { class: "badge " + promise }, byId(promise).textContent);
const describe = (row) => [row.workload, counted(row.workers, "worker"), row.keys > 0 ? count(row.keys) + " keys" : "",
  row.valueBytes > 0 ? "values of " + bytes(row.valueBytes) : "", row.measureTitle].filter(Boolean).join(" · ");
const failuresOf = (row) => row.failures.length > 0
  ? list("failures", row.failures.map((cell) => titleOf(cell.engine) + ": " + cell.failure)) : null;

// --- Charts ----------------------------------------------------------------------------------------------------------

const within = (share) => Math.min(Math.max(share || 0, 0), 1);

function linear(highest) {
  const top = highest > 0 ? highest * 1.04 : 1;
  return {
    at: (value) => within(value / top),
    ticks: (most) => {
      const decade = 10 ** Math.floor(Math.log10(top / most));
      const step = [1, 2, 5, 10].map((factor) => factor * decade).find((size) => size * most >= top * 0.999);
      return Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => index * step);
    },
  };
}

function logarithmic(values, margin = 1.3) {
  const valid = values.filter((value) => value > 0 && value < Infinity);
  const low = Math.min(...valid) / margin;
  const high = Math.max(...valid) * margin;
  return {
    at: (value) => within(value > 0 ? Math.log(value / low) / Math.log(high / low) : 0),
    // The finest steps that are few enough.
    ticks: (most) => {
      const first = Math.floor(Math.log10(low));
      const count = Math.ceil(Math.log10(high)) - first + 1;
      const decades = Array.from({ length: count }, (_, index) => 10 ** (first + index));
      const every = Math.ceil(decades.length / most);
      for (const steps of [[1, 2, 5], [1, 3], [1]]) {
        const marks = decades.flatMap((decade) => steps.map((step) => step * decade))
          .filter((mark) => mark >= low && mark <= high);
        if (marks.length <= most) return marks;
      }
      return decades.filter((mark, index) => mark >= low && mark <= high && index % every === 0);
    },
  };
}

// Grid and numbers of a chart; x and y have a scale, marks and their texts. Returns where a value is drawn.
function axes(area, x, y) {
  const px = (value) => Number((area.left + x.scale.at(value) * (area.right - area.left)).toFixed(1));
  const py = (value) => Number((area.bottom - y.scale.at(value) * (area.bottom - area.top)).toFixed(1));
  const { left, right, top, bottom } = area;
  return { px, py, parts: [
    x.marks.map((mark) => [svg("path", { class: "rule", d: `M${px(mark)} ${top}V${bottom}` }),
      svg("text", { "text-anchor": "middle", x: px(mark), y: bottom + 15 }, x.text(mark))]),
    y.marks.map((mark) => [svg("path", { class: "rule", d: `M${left} ${py(mark)}H${right}` }),
      svg("text", { "text-anchor": "end", x: left - 5, y: py(mark) + 4 }, y.text(mark))]),
  ] };
}
const pathOf = (points) => "M" + points.map((point) => point.join(" ")).join("L");

// Lines by engine, with whiskers from the lowest to the highest run, a legend, and the same figures as a table.
function lineChart(title, x, y, lines) {
  const drawn = lines.filter(({ points }) => points.length > 0);
  if (drawn.length === 0) return null;
  const all = drawn.flatMap(({ points }) => points.flatMap(({ figures }) => [figures.lowest, figures.highest]));
  const scale = logarithmic(all);
  const { px, py, parts } = axes({ left: 56, right: 420, top: 8, bottom: 250 }, x,
    { scale, marks: scale.ticks(6), text: (value) => trimmed(y.text(value)) });
  const curves = drawn.map(({ engine, points }) => svg("g", of(engine),
    stroke(engine, pathOf(points.map((point) => [px(point.x), py(point.figures.median)]))),
    points.map(({ x: at, figures }) => svg("g", {},
      svg("title", {}, `${engine.title}, ${x.text(at)}: ${y.text(figures.median)}`),
      svg("path", { class: "open", d: `M${px(at)} ${py(figures.lowest)}V${py(figures.highest)}` }),
      marker(engine, px(at), py(figures.median))))));
  const figuresAt = (points, mark) => points.find((point) => point.x === mark)?.figures;
  return html("figure", { class: "chart" }, html("figcaption", {}, `${title}: ${y.title}`),
    svg("svg", { viewBox: "0 0 440 286", role: "img", "aria-label": `${title}: ${y.title}. A table has the figures.` },
      svg("text", { "text-anchor": "middle", x: 238, y: 282 }, x.title),
      parts, curves),
    list("legend", drawn.map(({ engine }) => name(engine))),
    fold("Figures of this chart", table("figures", [x.title, ...drawn.map(({ engine }) => engine.title)],
      x.marks.map((mark) => line({}, [x.text(mark), ...drawn.map(({ points }) => {
        const figures = figuresAt(points, mark);
        return figures ? y.text(figures.median) : "–";
      })])))));
}

// Charts of rows that differ in one number, by group: that number, and what is drawn by it.
const curves = {
  durable: { key: "workers", x: { title: "writers", text: count }, charts: [
    ["operations a second; more is better", rate, measures.rate.of],
    ["99th percentile of latency; less is better", time, (run) => run.latency?.p99 / 1e9],
  ] },
  values: { key: "valueBytes", x: { title: "size of a value", text: bytes }, charts: [
    ["operations a second; more is better", rate, measures.rate.of],
    ["bytes of keys and values a second; more is better", (value) => short(value) + "B/s",
      (run) => run.bytes / run.seconds],
  ] },
  growth: { key: "keys", x: { title: "records in the store", text: count }, charts: [
    ["time for one record; less is better", time, (run) => 1 / measures.rate.of(run)],
  ] },
};

function curveCharts(group, found) {
  const { key, x, charts } = curves[group] ?? { charts: [] };
  return html("div", { class: "grid" }, [...new Set(found.map((row) => row.workload))].map((workload) => {
    const series = found.filter((row) => row.workload === workload).sort((a, b) => a[key] - b[key]);
    const marks = [...new Set(series.map((row) => row[key]))];
    if (marks.length < 2) return null;
    return charts.map(([title, text, valueOf]) => lineChart(`${workload} by ${x.title}`,
      { ...x, marks, scale: logarithmic(marks) }, { title, text },
      engines.map((engine) => ({ engine, points: series.flatMap((row) => {
        const runs = row.entries.find((entry) => entry.engine === engine)?.runs ?? [];
        const figures = spread(runs.map(valueOf).filter((value) => value > 0));
        return figures ? [{ x: row[key], figures }] : [];
      }) }))));
  }));
}

const percentiles = { p50: "50 %", p90: "90 %", p99: "99 %", p999: "99.9 %", p9999: "99.99 %", maximum: "highest" };

function latencyChart(row) {
  const keys = Object.keys(percentiles);
  const lines = row.entries.map(({ engine, runs }) => ({ engine, points: keys.flatMap((key, x) => {
    const figures = spread(runs.map((run) => run.latency?.[key] / 1e9).filter((value) => value > 0));
    return figures ? [{ x, figures }] : [];
  }) }));
  const isCorrected = row.entries.some(({ runs }) => runs.some((run) => run.latency?.isCorrected));
  const from = isCorrected ? "from the moment an operation was due" : "from the moment an operation began";
  return lineChart(row.id, { title: "percentile of the operations", scale: linear(keys.length - 1),
    marks: keys.map((_, index) => index), text: (index) => Object.values(percentiles)[index] },
  { title: `latency ${from}; less is better`, text: time }, lines);
}

// Operations of each second, and latencies below, for each engine's run with the median figure.
function timelines(row) {
  const found = row.entries.flatMap(({ engine, runs }) => {
    const order = runs.filter((run) => run.timeline?.length > 1)
      .sort((a, b) => measures[row.measure].of(a, row) - measures[row.measure].of(b, row));
    return order.length > 0 ? [{ engine, moments: order[order.length >> 1].timeline }] : [];
  });
  if (found.length === 0) return null;
  const all = found.flatMap(({ moments }) => moments);
  const [seconds, operations] = ["second", "operations"].map((key) => linear(Math.max(...all.map((at) => at[key]))));
  const latency = logarithmic(all.flatMap((at) => [at.p99, at.maximum]));
  const x = { scale: seconds, marks: seconds.ticks(6), text: (value) => trimmed(short(value)) };
  const figures = found.map(({ engine, moments }) => {
    const upper = axes({ left: 54, right: 352, top: 20, bottom: 88 }, { ...x, marks: [] },
      { scale: operations, marks: operations.ticks(3), text: (value) => trimmed(short(value)) });
    const lower = axes({ left: 54, right: 352, top: 114, bottom: 196 }, x,
      { scale: latency, marks: latency.ticks(4), text: (value) => trimmed(nanoseconds(value)) });
    const points = moments.map((at) => [upper.px(at.second), upper.py(at.operations)]);
    const label = `${engine.title}: operations and latency of each second. The table has a summary.`;
    return html("figure", of(engine), html("figcaption", {}, name(engine)),
      svg("svg", { viewBox: "0 0 360 228", role: "img", "aria-label": label },
        svg("text", { x: 2, y: 12 }, "operations a second"),
        svg("text", { x: 2, y: 106 }, "99th percentile (line), highest (dots)"),
        svg("text", { "text-anchor": "middle", x: 203, y: 226 }, "seconds"), upper.parts, lower.parts,
        svg("path", { class: "area", d: `${pathOf([[points[0][0], 88], ...points])}V88Z` }),
        svg("path", { class: "open", d: pathOf(moments.map((at) => [lower.px(at.second), lower.py(at.p99)])) }),
        moments.map((at) =>
          svg("circle", { class: "fill", r: 1.5, cx: lower.px(at.second), cy: lower.py(at.maximum) }))));
  });
  const heads = ["engine", "lowest rate", "median rate", "highest rate", "median 99th percentile", "highest latency"];
  const summary = table("figures", heads, found.map(({ engine, moments }) => {
    const [done, late, latest] = ["operations", "p99", "maximum"].map((key) => spread(moments.map((at) => at[key])));
    return line(of(engine), [engine.title, short(done.lowest), short(done.median), short(done.highest),
      nanoseconds(late.median), nanoseconds(latest.highest)]);
  }));
  return [html("h4", {}, code(row.id), " second by second"),
    html("p", { class: "hint" }, "Each engine’s run with the median figure, all on the same scales."),
    html("div", { class: "grid timelines" }, figures), summary];
}

const outcomes = {
  harmless: "every record came back as it was put", refused: "the engine reported an error",
  crashed: "the process crashed", hung: "it didn’t end in its time",
  lost: "records were missing, without an error", wrong: "records came back that were never put, without an error",
};

function damageCard(row) {
  const found = row.entries.map(({ engine, runs }) => ({ engine, damage: damageOf(runs) }));
  const isTold = found.some(({ damage }) => damage.lostButTold > 0);
  const names = Object.keys(outcomes);
  const isAlarm = (outcome, damage) => (outcome === "lost" || outcome === "wrong") && damage[outcome] > 0;
  const swatch = (outcome) => [html("span", { class: "swatch " + outcome }), outcome];
  const bar = (damage) => {
    let start = 0;
    return svg("svg", { class: "stack", "aria-hidden": "true" }, names.map((outcome) => {
      const width = damage[outcome] / damage.changes * 100;
      start += width;
      return svg("rect", { class: outcome, x: start - width + "%", width: width + "%", height: 18 });
    }));
  };
  return html("article", { id: anchor("row", row.id), class: "whole" }, html("h4", {}, code(row.id), " ", row.title),
    list("legend", names.map((outcome) => [swatch(outcome), ": ", outcomes[outcome]])),
    table("ratios damage", ["engine", "", ...names.map(swatch), isTold ? "of those lost, reported on request" : null,
      "changes"].filter((head) => head !== null), found.map(({ engine, damage }) => line(of(engine), [name(engine),
      cell("bar", bar(damage)), ...names.map((outcome) => cell(isAlarm(outcome, damage) ? "n alarm" : "n",
        grouped(damage[outcome]))), ...(isTold ? [grouped(damage.lostButTold)] : []), grouped(damage.changes)]))),
    failuresOf(row));
}

// --- A row -----------------------------------------------------------------------------------------------------------

function runsTable(row) {
  const hasLatency = row.entries.some(({ runs }) => runs.some((run) => run.latency));
  const heads = ["engine", "run", "operations", "seconds", "a second", "MB/s",
    ...(hasLatency ? ["mean", ...Object.values(percentiles)] : []), words("other figures")];
  const latencies = (latency) => ["mean", ...Object.keys(percentiles)]
    .map((key) => latency ? nanoseconds(latency[key]) : "");
  return table("runs", heads, row.entries.flatMap(({ engine, runs }) => runs.map((run, index) => line(of(engine), [
    engine.title, index + 1, grouped(run.operations), short(run.seconds), short(measures.rate.of(run)),
    short(run.bytes / run.seconds / 1e6), ...(hasLatency ? latencies(run.latency) : []),
    cell("", Object.entries(run.figures).sort().map(([key, value]) => `${figureTitles[key] ?? key} ${short(value)}`)
      .join(", "))]))));
}

const range = (row, { count, lowest, highest }) =>
  count === 1 ? "1 run" : (row.text(lowest) + "–" + row.text(highest)).replaceAll("/s", "");

// The engines' medians with bars. The scale is logarithmic if the medians span more than twenty times.
function card(row) {
  const medians = row.entries.map(({ figures }) => figures.median);
  const isLogarithmic = Math.min(...medians) > 0 && Math.max(...medians) / Math.min(...medians) > 20;
  const values = row.entries.flatMap(({ figures }) => [figures.lowest, figures.highest]);
  const scale = isLogarithmic ? logarithmic(values) : linear(Math.max(...values));
  const base = row.ways[0]?.figures.median;
  const start = isLogarithmic && base > 0 ? scale.at(base) * 100 : 0;
  const bar = ({ engine, figures }) => {
    const [low, median, high] = [figures.lowest, figures.median, figures.highest].map((value) => scale.at(value) * 100);
    const width = Math.max(Math.abs(median - start), 0.7);
    return svg("svg", { class: "bars " + of(engine).class, height: 14, "aria-hidden": "true" },
      svg("rect", { x: Math.min(start, median) + "%", width: width + "%", height: 9, y: 3 }),
      svg("line", { x1: low + "%", x2: high + "%", y1: 7.5, y2: 7.5 }));
  };
  return html("article", { id: anchor("row", row.id) }, html("h4", {}, code(row.id), " ", row.title),
    html("p", { class: "hint" }, describe(row), row.measure === "rate" ? "; more is better" : "; less is better",
      isLogarithmic && base > 0 ? "; bars are logarithmic and begin at Heartwood’s figure" : ""),
    table("ratios", ["engine", "", "median", "ratio", "lowest–highest"], row.entries.map((entry) =>
      line(of(entry.engine), [name(entry.engine), cell("bar", row.entries.length > 1 ? bar(entry) : null),
        row.text(entry.figures.median), base > 0 ? ratioText(entry.figures.median / base) : "–",
        range(row, entry.figures)]))),
    row.measure === "latency" ? latencyChart(row) : null, failuresOf(row), fold("All runs", runsTable(row)));
}

// Rows with the same promise: never two promises in one chart.
const part = (group, promise, found) => [
  promise ? html("h3", {}, "Writes: ", badge(promise)) : null, curveCharts(group.id, found), found.map(timelines),
  html("div", { class: "grid" }, found.map((row) => row.measure === "damage" ? damageCard(row) : card(row))),
];

function fillGroups() {
  for (const group of groups) {
    let section = byId(anchor("group", group.id));
    if (!section) {
      section = html("section", { id: anchor("group", group.id) }, html("h2", {}, group.id));
      byId("groups").append(section);
    }
    const promises = [...new Set(group.rows.map((row) => row.promise))];
    fill(section, {}, promises.map((promise) =>
      part(group, promise, group.rows.filter((row) => row.promise === promise))));
  }
  for (const section of [...byId("groups").children]) {
    const group = groups.find(({ id }) => anchor("group", id) === section.id);
    if (group) group.title = section.children[0].textContent;
    else section.remove();
  }
}

// --- The other sections ----------------------------------------------------------------------------------------------

function fillRun() {
  const { machine } = results;
  const length = (results.finished - results.started) / 3600;
  const state = results.isInterrupted ? html("span", { class: "badge behind" }, "interrupted: figures up to then")
    : results.finished ? html("span", { class: "badge ahead" }, "complete")
      : html("span", { class: "badge behind" }, "not finished");
  const measured = rows.filter((row) => row.entries.length > 0);
  const facts = {
    "Processor": `${machine.processor}, ${counted(machine.cores, "core")}`, "Memory": bytes(machine.memoryBytes),
    "System": machine.system, "File system": machine.fileSystem + (machine.disk ? " on " + machine.disk : ""),
    "Heartwood": results.heartwood, "Swift": machine.swift,
    "Peers": engines.filter((engine) => !engine.missing && !isOurs(engine) && !isRaw(engine))
      .map((engine) => engine.title + " " + engine.version).join(", ") || "none",
    "Seed": results.seed, "Load at the start": Number.isFinite(machine.load) ? digits(machine.load) : "not known",
  };
  fill(byId("run"), {}, [html("p", {}, state, " Plan ", html("b", {}, results.plan), ", begun ",
    moment(results.started), length > 0 ? `, ${trimmed(decimal(length, 1))} hours long` : "",
    `, ${counted(measured.length, "row")}, ${counted(results.cells.flatMap(({ runs }) => runs).length, "run")}.`),
  html("dl", { class: "grid facts" }, Object.entries(facts).map(([term, fact]) =>
    html("div", {}, html("dt", {}, term), html("dd", {}, fact)))),
  html("p", {}, html("span", { class: "hint" }, "To measure the same again: "), code(results.command))]);
}

function fillLegend() {
  fill(byId("legend"), {}, engines.filter((engine) => !engine.missing).map((engine) => {
    const box = html("input", { type: "checkbox", checked: "", "data-engine": engine.id });
    box.addEventListener("change", () => {
      for (const drawn of document.querySelectorAll("figure g[data-of], figure[data-of], tr[data-of]")) {
        if (drawn.dataset.of === engine.id) drawn.classList.toggle("out", !box.checked);
      }
    });
    return html("li", {}, html("label", {}, box, " ", name(engine)));
  }));
}

function fillSummary() {
  const rowOf = (standing) => rows.find((row) => row.id === standing.row);
  const [leads, inAWay, behind] = ["leads", "leadsAs", "behind"]
    .map((outcome) => standings.filter((standing) => standing.outcome === outcome));
  const claims = standings.filter((standing) => standing.isClaim);
  const known = leads.length + inAWay.length + behind.length;
  if (known === 0) {
    fill(byId("summary"), {}, [html("p", {}, groups.length === 0 ? "Nothing was measured."
      : "No peer was measured in this run, so nothing is compared.")]);
    return;
  }
  const side = (title, className, found) => html("div", {}, html("h3", {}, title),
    found.length === 0 ? html("p", {}, "In no row of this run.") : list("", found.map((standing) =>
      [html("span", { class: "mark " + className }, className === "ahead" ? "▲" : "▼"), " ",
        rowLink(rowOf(standing)), " ", standing.words])));
  const marks = { leads: ["yes", "ahead"], leadsAs: ["in one way", "level"], behind: ["NO", "behind"],
    unknown: ["not known", "level"] };
  fill(byId("summary"), {}, [
    html("p", {}, "In ", html("b", {}, leads.length), ` of ${counted(known, "row")} `,
      "Heartwood with its defaults leads every peer. In ", html("b", {}, inAWay.length),
      " more another way to use it does. In ", html("b", {}, behind.length), " it does not."),
    html("h3", {}, "Claims"), html("p", { class: "hint" },
      "Heartwood claims to lead every peer in these rows. This is the result of this run."),
    table("claims", ["row", words("claim holds"), words("by how much")], claims.map((standing) => {
      const [holds, className] = marks[standing.outcome];
      return line({}, [rowLink(rowOf(standing)), cell("", html("span", { class: "mark " + className }, holds)),
        cell("", standing.words)]);
    })),
    html("div", { class: "grid" }, side("It leads every peer", "ahead", leads),
      side("With its defaults it does not", "behind", [...behind, ...inAWay]))]);
}

function glanceCell(row, way, peer) {
  if (!peer) return "–";
  const [mine, theirs] = [way.figures, peer.figures];
  const lead = row.measure === "rate" ? mine.median / theirs.median : theirs.median / mine.median;
  const isAhead = row.measure === "rate" ? mine.median > theirs.median : mine.median < theirs.median;
  const isClose = mine.lowest <= theirs.highest && theirs.lowest <= mine.highest;
  const ratio = lead > 0 && lead < Infinity ? ratioText(Math.max(lead, 1 / lead))
    : trimmed(short(mine.median)) + " : " + trimmed(short(theirs.median));
  const sign = (isClose ? "≈" : "") + (mine.median === theirs.median ? "" : isAhead ? "▲" : "▼");
  const figures = `${way.engine.title} ${row.text(mine.median)}, ${peer.engine.title} ${row.text(theirs.median)}`;
  return cell("n", html("span", { class: "mark " + (isClose ? "level" : isAhead ? "ahead" : "behind"), title: figures },
    sign + " " + ratio));
}

function fillGlance() {
  const isComparable = (row) => row.ways.length > 0 && row.peers.length > 0;
  const compared = rows.filter(isComparable).flatMap((row) => row.peers.map((peer) => peer.engine));
  const peers = engines.filter((engine) => compared.includes(engine));
  const tables = groups.filter((group) => group.rows.some(isComparable)).map((group) =>
    table("glance", [html("a", { href: "#" + anchor("group", group.id) }, group.title),
      ...peers.map((peer) => peer.title)],
      group.rows.filter(isComparable).flatMap((row) => row.ways.map((way, index) => line({ title: row.title }, [
        index === 0 ? rowLink(row) : html("span", { class: "way" }, way.engine.title),
        ...peers.map((peer) => glanceCell(row, way, row.peers.find(({ engine }) => engine === peer)))])))));
  if (tables.length === 0) byId("glance").remove();
  else fill(byId("glance"), {}, [html("div", { class: "glances" }, tables)]);
}

function fillSettings() {
  const measured = engines.filter((engine) => !engine.missing);
  fill(byId("settings"), {}, [html("div", { class: "grid" }, measured.map((engine) => html("article", {},
    html("h3", {}, name(engine), " ", html("span", { class: "hint" }, engine.version)),
    engine.settings.length > 0 ? list("", engine.settings) : html("p", {}, "Defaults."))))]);
}

function fillMissing() {
  const absent = engines.filter((engine) => engine.missing);
  const failed = results.cells.filter((cell) => cell.failure);
  const unreached = results.rows.filter((row) => !results.cells.some((cell) => cell.row === row.id));
  if (absent.length + failed.length + unreached.length === 0) byId("missing").remove();
  else fill(byId("missing"), {}, [
    absent.length > 0 ? [html("h3", {}, "Engines that were not measured"),
      list("", absent.map((engine) => [html("b", {}, engine.title), ": ", engine.missing]))] : null,
    failed.length > 0 ? [html("h3", {}, "What failed"),
      table("failed", ["row", words("engine"), "runs done", words("reason")], failed.map((one) =>
        line({}, [code(one.row), cell("", titleOf(one.engine)), one.runs.length, cell("", one.failure)])))] : null,
    unreached.length > 0 ? [html("h3", {}, "Rows that were not reached"),
      html("p", {}, unreached.map((row) => [code(row.id), " "]))] : null]);
}

function fillSections() {
  const links = [...groups.map((group) => [anchor("group", group.id), group.title]), ["settings", "Settings"]];
  fill(byId("sections"), {}, [["summary", "Summary"], ...links].map(([id, title]) =>
    html("li", {}, html("a", { href: "#" + id }, title))));
}

const themes = ["system", "light", "dark"];
byId("theme").addEventListener("click", () => {
  const root = document.documentElement;
  root.dataset.theme = themes[(themes.indexOf(root.dataset.theme ?? "system") + 1) % themes.length];
  byId("theme").textContent = "Theme: " + root.dataset.theme;
});
fillRun();
fillLegend();
fillSummary();
fillGroups();
fillGlance();
fillSections();
fillSettings();
fillMissing();
// For check-page.
document.documentElement.setAttribute("data-ready", "yes");
})();
