"use strict";
(() => {
const byId = (id) => document.getElementById(id);

// Elements are made of text nodes: data from the store is never parsed as HTML.
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key === "onclick") made.addEventListener("click", value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined) continue;
    made.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return made;
}

const grouped = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
const count = (number, word) => grouped(number) + " " + word + (Number(number) === 1 ? "" : "s");

function size(bytes) {
  if (bytes < 1024) return count(bytes, "byte");
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB"];
  let [number, unit] = [bytes / 1024, 0];
  while (number >= 1023.95 && unit + 1 < units.length) { number /= 1024; unit += 1; }
  return number.toFixed(1) + " " + units[unit];
}

function share(part, whole) {
  if (!part || !whole) return "–";
  const percent = part / whole * 100;
  return percent < 0.05 ? "<0.1 %" : percent.toFixed(1) + " %";
}

function moment(milliseconds) {
  if (!(Math.abs(milliseconds) <= 8.64e15)) return grouped(milliseconds) + " ms after 1970";
  return new Date(milliseconds).toISOString().replace("T", " ").replace("Z", " UTC");
}

const cut = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;

function unpack(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  return bytes;
}
const data = JSON.parse(byId("data").textContent);
const survey = data.survey;
const kinds = ["live", "dead", "format", "torn", "corrupt", "free"];
const kindWords = {
  live: "live", dead: "dead: overwritten, deleted or expired", format: "taken by the format",
  torn: "torn, as by a crash", corrupt: "corrupt", free: "free: laid ahead",
};
const operations = ["put", "put with expiry", "delete", "optional"];
const states = ["live", "dead", "expired", "unread", "damaged"];
const stateWords = {
  live: "live: the newest of its key", dead: "dead: overwritten, deleted, or a delete", expired: "expired",
  unread: "verifies, but its commit doesn't: an opening doesn't read it", damaged: "damaged: only its header verifies",
};

class Reader {
  constructor(bytes) { this.bytes = bytes; this.at = 0; }
  byte() { return this.bytes[this.at++]; }
  number() {
    let [result, factor, byte] = [0, 1, 0];
    do { byte = this.bytes[this.at++]; result += (byte & 127) * factor; factor *= 128; } while (byte & 128);
    return result;
  }
  difference() {
    const number = this.number();
    return number % 2 ? -(number + 1) / 2 : number / 2;
  }
  // Numbers above 2^53 would lose digits, so they are read as BigInt.
  bigDifference() {
    const start = this.at;
    const near = this.difference();
    if (this.at - start <= 7) return BigInt(near);
    let [result, shift] = [0n, 0n];
    for (let at = start; at < this.at; at += 1) {
      result |= BigInt(this.bytes[at] & 127) << shift;
      shift += 7n;
    }
    return result & 1n ? -((result + 1n) >> 1n) : result >> 1n;
  }
}

// Bytes by kind, six numbers for each part of the file.
function readMap(packed, cells) {
  const reader = new Reader(unpack(packed));
  const map = new Float64Array(6 * cells);
  for (let cell = 0; cell < cells && reader.at < reader.bytes.length; cell += 1) {
    const there = reader.byte();
    for (let kind = 0; kind < 6; kind += 1) if (there & 1 << kind) map[6 * cell + kind] = reader.number();
  }
  return map;
}

function readRecords(packed, length) {
  const reader = new Reader(unpack(packed));
  const records = {
    length, offset: new Float64Array(length), end: new Float64Array(length), sequence: new BigUint64Array(length),
    time: new Float64Array(length), expiry: new Float64Array(length), keyLength: new Uint16Array(length),
    valueLength: new Uint32Array(length), flags: new Uint8Array(length), keyStart: new Uint32Array(length + 1),
  };
  let keys = new Uint8Array(Math.max(1024, reader.bytes.length * 2));
  let [end, sequence, time, kept, before] = [0, 0n, 0, 0, 0];
  for (let index = 0; index < length; index += 1) {
    const flags = records.flags[index] = reader.byte();
    const offset = records.offset[index] = end + reader.difference();
    sequence = records.sequence[index] = BigInt.asUintN(64, sequence + reader.bigDifference());
    if (flags & 64) time += reader.difference();
    records.time[index] = flags & 64 ? time : NaN;
    records.expiry[index] = flags & 128 ? time + reader.difference() : NaN;
    const [key, value] = [reader.number(), reader.number()];
    records.keyLength[index] = key;
    records.valueLength[index] = value;
    end = records.end[index] = offset + 32 + Math.ceil((key + value) / 8) * 8;
    const [shared, own] = [reader.number(), reader.number()];
    if (kept + shared + own > keys.length) {
      const larger = new Uint8Array(2 * (kept + shared + own));
      larger.set(keys);
      keys = larger;
    }
    records.keyStart[index] = kept;
    keys.copyWithin(kept, before, before + shared);
    keys.set(reader.bytes.subarray(reader.at, reader.at + own), kept + shared);
    reader.at += own;
    before = kept;
    kept += shared + own;
  }
  records.keyStart[length] = kept;
  records.keys = keys;
  return records;
}

const { cells } = data;
const files = survey.files.map((file, index) => {
  const page = data.files[index];
  let map = null;
  let records = null;
  Object.assign(file, { index, width: file.mapWidth, counts: file.records }, page);
  Object.defineProperty(file, "cells", { get: () => map ??= readMap(page.map, cells) });
  Object.defineProperty(file, "list", { get: () => records ??= readRecords(page.records, page.details) });
  return file;
});

const stateOf = (file, index) => states[file.list.flags[index] >> 2 & 7];
const operationOf = (file, index) => operations[file.list.flags[index] & 3];

// The text of a key: escaped, or what a key of a repository stands for.
const decoder = new TextDecoder();
const keyOf = ({ list }, index) => decoder.decode(list.keys.subarray(list.keyStart[index], list.keyStart[index + 1]));

// The first record that ends after an offset.
function firstAfter(file, offset) {
  let [low, high] = [0, file.list.length];
  while (low < high) {
    const middle = low + high >> 1;
    if (file.list.end[middle] <= offset) low = middle + 1; else high = middle;
  }
  return low;
}

function recordAt(file, offset) {
  const index = firstAfter(file, offset);
  return index < file.list.length && file.list.offset[index] <= offset ? index : -1;
}

// The kind of the bytes between records.
function betweenRecords(file, from, to, tell) {
  const edges = [[0, 0, "format"]];
  for (const part of file.damagedParts) edges.push([part.from, part.to, "corrupt"]);
  if (file.torn) edges.push([file.torn.from, file.torn.to, "torn"]);
  let at = from;
  while (at < to) {
    let [kind, until] = [null, to];
    for (const [start, end, name] of edges) {
      if (start <= at && at < end) { kind = name; until = Math.min(until, end); }
      else if (start > at) until = Math.min(until, start);
    }
    if (kind === null) {
      const isFree = file.kind === "log" && at >= file.end;
      if (file.kind === "log" && at < file.end) until = Math.min(until, file.end);
      kind = isFree ? "free" : "format";
    }
    if (file.isHeaderDamaged && at < 4096) { kind = "corrupt"; until = Math.min(until, 4096); }
    tell(kind, at, until);
    at = until;
  }
}
const color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

// Each kind has a pattern of its own, so that the colours are not needed.
function makePatterns() {
  const patterns = {};
  for (const kind of kinds) {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 8;
    const pen = tile.getContext("2d");
    pen.fillStyle = color(kind);
    pen.fillRect(0, 0, 8, 8);
    pen.strokeStyle = pen.fillStyle = color("stroke");
    pen.lineWidth = 1.2;
    pen.beginPath();
    if (kind === "dead" || kind === "corrupt") { pen.moveTo(-2, 10); pen.lineTo(10, -2); }
    if (kind === "dead" || kind === "corrupt") { pen.moveTo(-2, 2); pen.lineTo(2, -2); }
    if (kind === "dead" || kind === "corrupt") { pen.moveTo(6, 10); pen.lineTo(10, 6); }
    if (kind === "corrupt") {
      pen.moveTo(-2, -2); pen.lineTo(10, 10);
      pen.moveTo(6, -2); pen.lineTo(10, 2);
      pen.moveTo(-2, 6); pen.lineTo(2, 10);
    }
    if (kind === "torn") { pen.moveTo(0, 2); pen.lineTo(8, 2); pen.moveTo(0, 6); pen.lineTo(8, 6); }
    pen.stroke();
    if (kind === "format") { pen.fillRect(1, 1, 2, 2); pen.fillRect(5, 5, 2, 2); }
    patterns[kind] = tile;
  }
  return patterns;
}
let patterns = makePatterns();

// A canvas as sharp as the screen.
function prepare(canvas, width, height) {
  const ratio = Math.min(window.devicePixelRatio || 1, 3);
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

const fills = (pen) => Object.fromEntries(kinds.map((kind) => [kind, pen.createPattern(patterns[kind], "repeat")]));

function drawSwatch(canvas, kind) {
  const pen = prepare(canvas, 26, 14);
  pen.fillStyle = fills(pen)[kind];
  pen.fillRect(0, 0, 26, 14);
}

// Bytes of each kind under each of `width` columns, for a part of the file.
class Columns {
  constructor(from, to, width) {
    Object.assign(this, { from, to, width, counts: new Float64Array(6 * width) });
  }
  add(kind, from, to, weight = 1) {
    const scale = this.width / (this.to - this.from);
    const start = Math.max(0, (from - this.from) * scale);
    const end = Math.min(this.width, (to - this.from) * scale);
    for (let x = Math.floor(start); x < end; x += 1) {
      this.counts[6 * x + kind] += (Math.min(end, x + 1) - Math.max(start, x)) * weight;
    }
  }
  addCells(file, from, to) {
    const last = Math.min(cells - 1, Math.floor((to - 1) / file.width));
    for (let cell = Math.floor(from / file.width); cell <= last; cell += 1) {
      const start = cell * file.width;
      const end = Math.min(file.size, start + file.width);
      for (let kind = 0; kind < 6; kind += 1) {
        const bytes = file.cells[6 * cell + kind];
        if (bytes) this.add(kind, Math.max(from, start), Math.min(to, end), bytes / (end - start));
      }
    }
  }
  addRecords(file, from, to) {
    const between = (start, end) => betweenRecords(file, start, end, (kind, a, b) => this.add(kinds.indexOf(kind), a, b));
    let at = from;
    for (let index = firstAfter(file, from); index < file.list.length; index += 1) {
      const [start, end] = [Math.max(from, file.list.offset[index]), Math.min(to, file.list.end[index])];
      if (start >= to) break;
      if (start > at) between(at, start);
      this.add(kinds.indexOf(kindOf(file, index)), Math.max(at, start), end);
      at = Math.max(at, end);
    }
    if (at < to) between(at, to);
  }
}

// The kind that a record's bytes count as.
function kindOf(file, index) {
  const state = stateOf(file, index);
  if (state === "live") return "live";
  if (state === "dead" || state === "expired") return "dead";
  const torn = file.torn;
  return torn && torn.from <= file.list.offset[index] && file.list.offset[index] < torn.to ? "torn" : "corrupt";
}

// The parts of a range, and for each whether the page has all of its records.
function stretches(file, from, to) {
  const found = [];
  let at = from;
  for (let index = 0; index < file.parts.length && at < to; index += 2) {
    const [start, end] = [Math.max(at, file.parts[index]), Math.min(to, file.parts[index + 1])];
    if (start >= end) continue;
    if (start > at) found.push([at, start, false]);
    found.push([start, end, true]);
    at = end;
  }
  if (at < to) found.push([at, to, false]);
  return found;
}

function columns(file, from, to, width) {
  const made = new Columns(from, to, width);
  const end = Math.min(to, file.size);
  // Zoomed out, the parts of the map are finer than pixels, and faster.
  if ((to - from) / width > file.width) made.addCells(file, from, end);
  else {
    for (const [start, stop, isListed] of stretches(file, from, end)) {
      if (isListed) made.addRecords(file, start, stop); else made.addCells(file, start, stop);
    }
  }
  return made.counts;
}

// Columns as stacks. Damage comes last, on top, and is always wide enough to be visible.
const order = [0, 1, 2, 5, 3, 4];

function drawColumns(pen, counts, width, height) {
  const fill = fills(pen);
  const heights = new Float64Array(6);
  const starts = new Map();
  const flush = (x) => {
    for (const [key, [from, top, tall, kind]] of starts) {
      if (x !== null && key in live) continue;
      pen.fillStyle = fill[kinds[kind]];
      pen.fillRect(from, top, (x ?? width) - from, tall);
      starts.delete(key);
    }
  };
  let live = {};
  for (let x = 0; x < width; x += 1) {
    let total = 0;
    for (let kind = 0; kind < 6; kind += 1) total += heights[kind] = counts[6 * x + kind];
    live = {};
    if (total > 0) {
      let rest = height;
      for (const kind of [3, 4]) if (heights[kind] > 0) heights[kind] = Math.max(heights[kind] / total, 6 / height) * total;
      const scale = height / heights.reduce((sum, one) => sum + one, 0);
      for (const kind of order) {
        if (!heights[kind]) continue;
        const tall = heights[kind] * scale;
        rest -= tall;
        // Equal neighbours are merged into one rectangle.
        const key = kind + "/" + Math.round(rest) + "/" + Math.round(tall);
        live[key] = [x, Math.max(0, rest), tall, kind];
      }
    }
    flush(x);
    for (const [key, value] of Object.entries(live)) if (!starts.has(key)) starts.set(key, value);
  }
  flush(null);
}
const view = byId("view");
const tall = { bar: 130, all: 170 };
let shown = { file: files[0], from: 0, to: files[0] ? Math.max(8, files[0].size) : 8 };
let chosen = -1;
let pointed = -1;
let isQueued = false;

const span = () => shown.to - shown.from;
const xOf = (offset) => (offset - shown.from) / span() * view.clientWidth;
const offsetAt = (x) => shown.from + x / view.clientWidth * span();

// Shows a part of a file, clamped to the file, and records it in the address.
function show(file, from, to, keep = false) {
  const size = Math.max(8, file.size);
  const length = Math.min(size, Math.max(64, to - from));
  const start = Math.min(Math.max(0, from), size - length);
  if (file !== shown.file || !keep) { chosen = -1; pointed = -1; }
  shown = { file, from: start, to: start + length };
  try {
    const address = "#file=" + (file.index + 1) + "&from=" + Math.floor(start) + "&to=" + Math.ceil(start + length);
    if (isStarted) history.replaceState(null, "", address);
  } catch { /* Some browsers forbid it for files; links still work. */ }
  queue();
}

function zoom(factor, at = view.clientWidth / 2) {
  const offset = offsetAt(at);
  const length = span() * factor;
  show(shown.file, offset - at / view.clientWidth * length, offset + (1 - at / view.clientWidth) * length, true);
}

const move = (share) => show(shown.file, shown.from + share * span(), shown.to + share * span(), true);

function choose(index, zoomed = false) {
  const { list } = shown.file;
  if (index < 0 || index >= list.length) return;
  chosen = index;
  const [start, end] = [list.offset[index], list.end[index]];
  if (zoomed) show(shown.file, start - (end - start), end + (end - start), true);
  else if (end < shown.from || start > shown.to) {
    show(shown.file, start - span() / 2, start + span() / 2, true);
  } else queue();
}

function step(direction) {
  if (chosen >= 0) return choose(chosen + direction);
  const first = firstAfter(shown.file, shown.from);
  choose(direction > 0 ? first : first - 1);
}

function queue() {
  if (isQueued) return;
  isQueued = true;
  requestAnimationFrame(() => { isQueued = false; draw(); });
}

// Records are drawn one by one if they are wide enough for the pointer.
function visibleRecords() {
  const { file, from, to } = shown;
  if (!file.details) return null;
  const first = firstAfter(file, from);
  const last = firstAfter(file, to);
  const total = last - first + 1;
  return total <= view.clientWidth / 4 ? { first, last: Math.min(last, file.list.length - 1) } : null;
}

function draw() {
  const { file, from, to } = shown;
  if (!file) return;
  const width = Math.max(50, view.clientWidth);
  const pen = prepare(view, width, tall.all);
  drawColumns(pen, columns(file, from, to, width), width, tall.bar);
  const visible = visibleRecords();
  if (visible) drawRecords(pen, file, visible, width);
  for (const [index, name] of [[pointed, "accent"], [chosen, "mark"]]) {
    if (index < 0 || index >= file.list.length) continue;
    const start = xOf(file.list.offset[index]);
    pen.strokeStyle = color(name);
    pen.lineWidth = 3;
    pen.strokeRect(start + 1, 2, Math.max(3, xOf(file.list.end[index]) - start - 2), tall.bar - 4);
  }
  drawAxis(pen, width);
  describe(visible);
}

function drawRecords(pen, file, { first, last }, width) {
  pen.font = "12px ui-monospace, Menlo, Consolas, monospace";
  pen.textBaseline = "middle";
  for (let index = first; index <= last; index += 1) {
    const start = xOf(file.list.offset[index]);
    const end = xOf(file.list.end[index]);
    if (start > width) break;
    if (stateOf(file, index) === "unread") {
      // In a damaged commit, records that verify are paler than the others.
      pen.globalAlpha = 0.6;
      pen.fillStyle = color("card");
      pen.fillRect(start, 0, end - start, tall.bar);
      pen.globalAlpha = 1;
    }
    pen.strokeStyle = color("card");
    pen.lineWidth = 1;
    pen.strokeRect(start + 0.5, 0.5, end - start - 1, tall.bar - 1);
    const [left, right] = [Math.max(start, 0) + 4, Math.min(end, width) - 4];
    if (right - left < 90) { drawUpright(pen, keyOf(file, index), start, end); continue; }
    const state = stateOf(file, index);
    const lines = [keyOf(file, index), operationOf(file, index) + ", " + state, "#" + grouped(file.list.sequence[index])];
    pen.save();
    pen.beginPath();
    pen.rect(left - 2, 0, right - left + 4, tall.bar);
    pen.clip();
    lines.forEach((line, row) => {
      const wide = Math.min(right - left, pen.measureText(line).width + 8);
      pen.fillStyle = color("card");
      pen.fillRect(left, 14 + 22 * row, wide, 18);
      pen.fillStyle = color("ink");
      pen.fillText(line, left + 4, 23 + 22 * row);
    });
    pen.restore();
  }
}

// In a narrow record the key is vertical.
function drawUpright(pen, text, start, end) {
  if (end - start < 18) return;
  pen.save();
  pen.translate((start + end) / 2, tall.bar - 6);
  pen.rotate(-Math.PI / 2);
  const shown = cut(text, Math.floor((tall.bar - 20) / 7.3));
  pen.fillStyle = color("card");
  pen.fillRect(-2, -8, pen.measureText(shown).width + 6, 16);
  pen.fillStyle = color("ink");
  pen.fillText(shown, 1, 0);
  pen.restore();
}

function drawAxis(pen, width) {
  const rough = span() / Math.max(2, width / 130);
  const power = 2 ** Math.ceil(Math.log2(Math.max(8, rough)));
  pen.strokeStyle = color("line");
  pen.fillStyle = color("soft");
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "top";
  pen.lineWidth = 1;
  for (let offset = Math.ceil(shown.from / power) * power; offset <= shown.to; offset += power) {
    const x = Math.round(xOf(offset)) + 0.5;
    pen.beginPath();
    pen.moveTo(x, tall.bar);
    pen.lineTo(x, tall.bar + 7);
    pen.stroke();
    const text = grouped(offset);
    const half = pen.measureText(text).width / 2;
    if (x - half < 0 || x + half > width) continue;
    pen.fillText(text, x - half, tall.bar + 10);
  }
}

// Pointer, wheel, keys.
let drag = null;
view.addEventListener("pointerdown", (event) => {
  drag = { x: event.offsetX, from: shown.from, moved: false };
  view.setPointerCapture(event.pointerId);
});
view.addEventListener("pointermove", (event) => {
  if (drag) {
    const by = (event.offsetX - drag.x) / view.clientWidth * span();
    if (Math.abs(event.offsetX - drag.x) > 3) drag.moved = true;
    if (drag.moved) show(shown.file, drag.from - by, drag.from - by + span(), true);
  }
  point(event.offsetX);
});
view.addEventListener("pointerup", (event) => {
  if (drag && !drag.moved) {
    const index = recordAt(shown.file, offsetAt(event.offsetX));
    if (index >= 0) choose(index);
  }
  drag = null;
});
view.addEventListener("pointercancel", () => { drag = null; });
view.addEventListener("pointerleave", () => { pointed = -1; byId("tip").hidden = true; queue(); });
view.addEventListener("dblclick", (event) => zoom(0.25, event.offsetX));
view.addEventListener("wheel", (event) => {
  const factor = Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 150);
  // If there is nothing to zoom, the page scrolls as usual.
  if (factor > 1 && span() >= shown.file.size) return;
  event.preventDefault();
  zoom(factor, event.offsetX);
}, { passive: false });
const actions = {
  in: () => zoom(0.5), out: () => zoom(2), left: () => move(-0.25), right: () => move(0.25),
  all: () => show(shown.file, 0, shown.file.size, true), previous: () => step(-1), next: () => step(1),
};
const keysToActions = {
  "+": "in", "=": "in", "-": "out", ArrowUp: "in", ArrowDown: "out", ArrowLeft: "left", ArrowRight: "right", 0: "all",
  n: "next", N: "next", p: "previous", P: "previous",
};
view.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const { file } = shown;
  if (event.key === "Home") show(file, 0, span(), true);
  else if (event.key === "End") show(file, file.size - span(), file.size, true);
  else if (event.key === "Enter") choose(chosen, true);
  else if (keysToActions[event.key]) actions[keysToActions[event.key]]();
  else return;
  event.preventDefault();
});
for (const button of document.querySelectorAll("[data-do]")) {
  button.addEventListener("click", () => actions[button.dataset.do]());
}
const tip = byId("tip");

// The item under the pointer.
function point(x) {
  const { file } = shown;
  const offset = offsetAt(x);
  const index = file.details ? recordAt(file, offset) : -1;
  const isAlone = index >= 0 && xOf(file.list.end[index]) - xOf(file.list.offset[index]) >= 1;
  if ((isAlone ? index : -1) !== pointed) { pointed = isAlone ? index : -1; queue(); }
  tip.textContent = isAlone ? shortOf(file, index) : around(file, offset);
  tip.hidden = false;
  const space = view.clientWidth - tip.offsetWidth;
  tip.style.left = Math.max(0, Math.min(space, x + 14 > space ? x - tip.offsetWidth - 14 : x + 14)) + "px";
}

function shortOf(file, index) {
  const { list } = file;
  return cut(keyOf(file, index), 120) + "\n" + operationOf(file, index) + ", " + stateOf(file, index)
    + "\noffset " + grouped(list.offset[index]) + ", number " + grouped(list.sequence[index])
    + "\nkey " + size(list.keyLength[index]) + ", value " + size(list.valueLength[index]);
}

function around(file, offset) {
  const [from, to] = [offset, offset + span() / view.clientWidth];
  const counts = columns(file, from, to, 1);
  let total = 0;
  for (const one of counts) total += one;
  const parts = kinds.map((kind, index) => [kind, counts[index]]).filter((part) => part[1] > 0);
  return "offset " + grouped(Math.floor(offset)) + "\n"
    + parts.map(([kind, bytes]) => kind + " " + share(bytes, total)).join(", ");
}

const pair = (name, value, whole) => element("div", whole ? { class: "whole" } : {},
  element("dt", {}, name), element("dd", whole ? { class: "mono" } : {}, value));

function panelOf(file, index) {
  const { list } = file;
  const value = size(list.valueLength[index]) + (list.flags[index] & 32 ? ", compressed" : "");
  return element("dl", {},
    pair("Key", keyOf(file, index), true), pair("Operation", operationOf(file, index)),
    pair("State", stateWords[stateOf(file, index)]), pair("Offset", grouped(list.offset[index])),
    pair("Sequence number", grouped(list.sequence[index])), pair("Record", size(list.end[index] - list.offset[index])),
    pair("Key", size(list.keyLength[index])), pair("Value, as stored", value),
    pair("Committed", Number.isNaN(list.time[index]) ? "not stored in a snapshot" : moment(list.time[index])),
    pair("Expires", Number.isNaN(list.expiry[index]) ? "never" : moment(list.expiry[index])));
}

// The text about the visible part.
function describe(visible) {
  const { file, from, to } = shown;
  byId("shown").textContent = "File " + (file.index + 1) + ": " + file.name;
  byId("range").textContent = "bytes " + grouped(Math.floor(from)) + " to " + grouped(Math.ceil(to)) + " of "
    + grouped(file.size) + " (" + size(to - from) + ")";
  view.setAttribute("aria-label", "Map of " + file.name + ", bytes " + Math.floor(from) + " to " + Math.ceil(to)
    + ": " + around2(file, from, to));
  const isListed = stretches(file, from, Math.min(to, file.size)).every((part) => part[2]);
  const wide = size(file.width);
  byId("detail").textContent = !file.details ? "The page lists no single records of this file."
    : visible ? (isListed ? "" : "For some of this, the page has only shares, in steps of " + wide + ".")
      : isListed ? "Zoom in to see records one by one." : "The page lists single records for parts of this file.";
  for (const button of document.querySelectorAll("#overview button")) {
    button.setAttribute("aria-pressed", String(Number(button.dataset.file) === file.index));
  }
  byId("panel").replaceChildren(...(chosen >= 0 ? [panelOf(file, chosen)] : []));
  listRecords(visible);
}

function around2(file, from, to) {
  const counts = columns(file, from, to, 1);
  let total = 0;
  for (const one of counts) total += one;
  return kinds.map((kind, index) => [kind, counts[index]]).filter((part) => part[1] > 0)
    .map(([kind, bytes]) => kind + " " + share(bytes, total)).join(", ");
}

// The same as a table, for users who can't see the map.
function listRecords(visible) {
  const { file, from, to } = shown;
  const container = byId("inview").querySelector("div");
  if (!file.details) return container.replaceChildren("The page lists no single records of this file.");
  const first = visible ? visible.first : firstAfter(file, from);
  const rows = [];
  for (let index = first; index < file.list.length && rows.length < 100; index += 1) {
    if (file.list.offset[index] >= to) break;
    rows.push(element("tr", index === chosen ? { class: "chosen" } : {},
      element("td", { class: "n" }, element("button", { class: "link", type: "button", onclick: () => choose(index, true) },
        grouped(file.list.offset[index]))),
      element("td", { class: "n" }, grouped(file.list.sequence[index])),
      element("td", {}, operationOf(file, index)), element("td", {}, stateOf(file, index)),
      element("td", { class: "n" }, grouped(file.list.valueLength[index])),
      element("td", { class: "mono wide" }, cut(keyOf(file, index), 80))));
  }
  container.replaceChildren(tableOf(
    [["Offset", 1], ["Number", 1], ["Operation"], ["State"], ["Value bytes", 1], ["Key"]], rows,
    rows.length === 100 ? "The first 100 of this part" : null));
}

function tableOf(heads, rows, caption) {
  return element("table", {}, caption ? element("caption", {}, caption) : null,
    element("thead", {}, element("tr", {}, heads.map(([text, isNumber]) =>
      element("th", { scope: "col", class: isNumber ? "n" : null }, text)))),
    element("tbody", {}, rows));
}

// All files, each with a small map of its own.
function listFiles() {
  const container = byId("overview");
  for (const file of files) {
    const canvas = element("canvas", { "aria-hidden": "true" });
    container.append(element("button", {
      type: "button", "data-file": file.index, "aria-pressed": "false", onclick: () => show(file, 0, file.size),
    }, element("span", {}, (file.index + 1) + ". " + file.name, element("br"),
      element("small", {}, file.role + ", " + size(file.size) + ": " + sharesOf(file))), canvas));
  }
  drawOverview();
}

function sharesOf(file) {
  return kinds.filter((kind) => file.bytes[kind] > 0)
    .map((kind) => kind + " " + share(file.bytes[kind], file.size)).join(", ");
}

function drawOverview() {
  for (const button of document.querySelectorAll("#overview button")) {
    const canvas = button.querySelector("canvas");
    const file = files[Number(button.dataset.file)];
    const width = Math.max(20, Math.min(canvas.clientWidth, 1024));
    const pen = prepare(canvas, width, 18);
    if (file.size > 0) drawColumns(pen, columns(file, 0, file.size, width), width, 18);
  }
  for (const canvas of document.querySelectorAll("canvas[data-kind]")) drawSwatch(canvas, canvas.dataset.kind);
}

const swatch = (kind) => element("canvas", { "data-kind": kind, "aria-hidden": "true" });

function fillMap() {
  byId("legend").append(...kinds.map((kind) => element("li", {}, swatch(kind), kindWords[kind])));
  byId("extent").textContent = data.hasEveryRecord
    ? "Every record of the store is in this page: zoom in to see single records."
    : "The store has too many records to have all of them in this page. " + count(data.records, "record")
      + " are in it: those at the start and at the end of each file, and around each finding. "
      + "Elsewhere the map shows the share of each kind of bytes.";
  listFiles();
}
const linkTo = (file, from, to) => "#file=" + (file.index + 1) + "&from=" + Math.max(0, Math.floor(from)) + "&to=" + Math.ceil(to);

// A link to a range a little wider than the item.
function linkAround(file, offset, length) {
  const wide = Math.max(2048, length * 1.5);
  const start = offset + length / 2 - wide / 2;
  return linkTo(file, start, start + wide);
}

function fillSummary() {
  const { totals } = survey;
  const about = totals.isEstimated ? "about " : "";
  byId("path").textContent = survey.path;
  const facts = [
    ["Opening", survey.isFile ? null : data.opening], ["Keys", about + grouped(totals.keys)],
    ["Records", grouped(totals.records.all) + (totals.commits ? ", " + count(totals.commits, "commit") + " of log" : "")],
    ["Size", size(Object.values(totals.bytes).reduce((sum, one) => sum + one, 0)) + " in " + count(files.length, "file")],
    ["Live", about + size(totals.bytes.live)], ["Dead", about + size(totals.bytes.dead)],
    ["Last write", totals.lastSequence ? "number " + data.lastSequence : "none"],
    ["Compaction would free", data.gain || null],
    ["Compressed", totals.compressedRecords ? count(totals.compressedRecords, "value") + ": "
      + size(totals.inflatedBytes) + " take " + size(totals.compressedBytes) : null],
    ["Expiring keys", totals.expiring ? about + grouped(totals.expiring) + "; the next " + moment(totals.expiry.first)
      + ", the last " + moment(totals.expiry.last) : null],
    ["Expired already", totals.expired ? about + grouped(totals.expired) : null],
    ["Store id", survey.storeID],
    ["Process named by LOCK", survey.holder === null ? null : survey.holder + "; it may have ended"],
    ["Not Heartwood's", survey.others.length ? cut(survey.others.join(", "), 200) : null],
  ];
  byId("summary").append(
    element("p", {}, element("span", { class: "badge " + survey.verdict }, survey.verdict), " ",
      data.state.replace(/^[a-z]+,? ?/, "")),
    element("dl", {}, facts.filter((fact) => fact[1] !== null)
      .map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))));
  byId("made").textContent = "Made by heartwood inspect at " + moment(survey.totals.now)
    + (totals.isEstimated ? ". What is live is estimated from " + share(totals.sampledShare, 1) + " of the keys." : ".");
  if (survey.advice.length) {
    byId("advice").hidden = false;
    byId("advice").querySelector("ul").append(...survey.advice.map((line) => element("li", {}, line)));
  }
}

function fillFindings() {
  const container = byId("findings").querySelector("div");
  if (!survey.findings.length) return container.append("Nothing is wrong: every byte verifies.");
  const most = 500;
  const rows = survey.findings.slice(0, most).map((finding, index) => {
    const file = files.find((one) => one.path === finding.file);
    const where = file ? file.name + " at " + grouped(finding.offset) : finding.file;
    return element("tr", {},
      element("td", {}, element("span", { class: "badge " + finding.severity }, finding.severity)),
      element("td", { class: "mono location" },
        file ? element("a", { href: linkAround(file, finding.offset, finding.length) }, where) : where),
      element("td", { class: "wide" }, data.findings[index]),
      element("td", { class: "n" }, finding.length ? size(finding.length) : "–"));
  });
  container.className = "scroll";
  container.append(tableOf([["Severity"], ["Location"], ["What"], ["Bytes", 1]], rows,
    survey.findings.length > most ? "The first " + most + " of " + grouped(survey.findings.length) : null));
}

function fillChain() {
  byId("chain").querySelector("ol").append(...files.map((file) => element("li", {
    class: file.bytes.corrupt ? "bad-file" : null,
  },
  element("p", {}, element("a", { href: linkTo(file, 0, file.size) }, (file.index + 1) + ". " + file.name)),
  element("p", {}, file.role + (file.counts.all ? ", " + count(file.counts.all, "record") : "")
    + (file.commits ? ", " + count(file.commits, "commit") : "")),
  element("p", {}, "numbers: " + file.numbers), element("p", {}, "written: " + file.written),
  element("p", {}, "continues: " + file.continues))));
  if (!files.length) byId("chain").hidden = true;
}

function fillRepositories() {
  const { repositories, isEstimated } = survey.totals;
  if (!repositories.length) { byId("repositories").hidden = true; return; }
  const about = isEstimated ? "about " : "";
  const most = Math.max(...repositories.map((part) => part.liveBytes + part.deadBytes), 1);
  const bar = (kind, bytes) => bytes ? element("span", {
    class: "bar", style: "width:" + (bytes / most * 100).toFixed(2) + "%;background:var(--" + kind + ")",
  }) : null;
  const rows = repositories.map((part) => element("tr", {},
    element("th", { scope: "row" }, part.part ?? part.prefix64),
    element("td", { class: "n" }, about + grouped(part.keys)),
    element("td", { class: "n" }, part.keys ? size(part.liveBytes) : "–"),
    element("td", { class: "n" }, part.deadRecords ? grouped(part.deadRecords) : "–"),
    element("td", { class: "n" }, part.deadRecords ? size(part.deadBytes) : "–"),
    element("td", { class: "barcell" }, bar("live", part.liveBytes), bar("dead", part.deadBytes))));
  byId("repositories").querySelector("div").append(tableOf(
    [["Part"], ["Keys", 1], ["Live", 1], ["Dead records", 1], ["Dead", 1], [""]], rows));
}

function fillLargest() {
  const { largestValues, largestKeys } = survey.totals;
  const seen = new Set();
  const all = [...largestValues, ...largestKeys].map((record, index) => ({ ...record, text: data.largest[index] }));
  const rows = all.filter((record) => {
    const position = record.file + "/" + record.offset;
    return !seen.has(position) && seen.add(position);
  }).map((record) => {
    const file = files.find((one) => one.name === record.file);
    const length = 32 + Math.ceil((record.keyBytes + record.valueBytes) / 8) * 8;
    return element("tr", {},
      element("td", { class: "n" }, size(record.valueBytes)), element("td", { class: "n" }, size(record.keyBytes)),
      element("td", { class: "mono wide" }, record.text),
      element("td", { class: "mono location" }, element("a", { href: linkAround(file, record.offset, length) },
        record.file + " at " + grouped(record.offset))));
  });
  if (!rows.length) byId("largest").hidden = true;
  byId("largest").querySelector("div").append(tableOf([["Value", 1], ["Key", 1], ["Key"], ["Location"]], rows));
}
function chart(name, values, timeline, format) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const most = Math.max(...values, 1);
  svg.setAttribute("viewBox", "0 0 " + values.length + " 100");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", name + ": at most " + format(most) + " in " + spanOf(timeline.width));
  values.forEach((value, index) => {
    if (!value) return;
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    const tallness = Math.max(1.5, value / most * 96);
    for (const [key, number] of Object.entries({ x: index + 0.04, width: 0.92, y: 100 - tallness, height: tallness })) {
      bar.setAttribute(key, number);
    }
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = moment(timeline.start + index * timeline.width) + ": " + format(value);
    bar.append(title);
    svg.append(bar);
  });
  const end = timeline.start + values.length * timeline.width;
  return element("figure", {},
    element("figcaption", {}, name), svg,
    element("div", { class: "ends" }, element("span", {}, moment(timeline.start)), element("span", {}, moment(end))),
    element("div", { class: "ends" }, element("span", {}, "at most " + format(most) + " in " + spanOf(timeline.width))));
}

function spanOf(milliseconds) {
  const seconds = milliseconds / 1000;
  if (seconds < 120) return seconds + " s";
  if (seconds < 7200) return (seconds / 60).toFixed(0) + " minutes";
  return seconds < 172800 ? (seconds / 3600).toFixed(1) + " hours" : (seconds / 86400).toFixed(1) + " days";
}

function fillTime() {
  const { timeline } = survey.totals;
  if (!timeline.commits.length) { byId("time").hidden = true; return; }
  byId("time").querySelector("div").append(
    chart("Commits", timeline.commits, timeline, (one) => count(one, "commit")),
    chart("Records", timeline.records, timeline, (one) => count(one, "record")),
    chart("Bytes of log", timeline.bytes, timeline, size));
}

// Rows of name, number, and a bar as long as its share.
function bars(caption, heads, items) {
  const most = Math.max(...items.map((item) => item.value), 1);
  return element("div", { class: "scroll" }, tableOf([...heads, [""]], items.map((item) => element("tr", {},
    element("th", { scope: "row" }, item.kind ? swatch(item.kind) : null, item.kind ? " " : null, item.name),
    element("td", { class: "n" }, item.text),
    element("td", { class: "barcell" }, element("span", {
      class: "bar", style: "width:" + (item.value / most * 100).toFixed(2) + "%"
        + (item.kind ? ";background:var(--" + item.kind + ")" : ""),
    })))), caption));
}

function sizeRange({ from, to }) {
  if (from === to) return grouped(from);
  return from < 1024 ? grouped(from) + " to " + grouped(to) : size(from) + " and more";
}

function fillFigures() {
  const { totals } = survey;
  const all = Object.values(totals.bytes).reduce((sum, one) => sum + one, 0);
  const { puts, expiringPuts, deletes, optional } = totals.records;
  const records = [["put", puts], ["put with expiry", expiringPuts], ["delete", deletes], ["optional", optional]];
  const container = byId("figures").querySelector("div");
  container.append(bars("Bytes by kind", [["Kind"], ["Bytes", 1]], kinds.filter((kind) => totals.bytes[kind])
    .map((kind) => ({ kind, name: kind, value: totals.bytes[kind],
      text: size(totals.bytes[kind]) + ", " + share(totals.bytes[kind], all) }))));
  container.append(bars("Records by what they do", [["Kind"], ["Records", 1]], records.filter((one) => one[1])
    .map(([name, value]) => ({ name, value, text: grouped(value) + ", " + share(value, totals.records.all) }))));
  for (const [name, buckets] of [["Key sizes", totals.keySizes], ["Value sizes, as stored", totals.valueSizes]]) {
    container.append(bars(name, [["Bytes"], ["Records", 1]], buckets.map((bucket) => ({
      name: sizeRange(bucket), value: bucket.records, text: grouped(bucket.records),
    }))));
  }
}
let isStarted = false;

// `#file=3&from=4096&to=9000`: a number from 1 on, or a name.
function follow() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const name = asked.get("file");
  if (name === null) return false;
  const file = files.find((one) => one.name === name) ?? files[Number(name) - 1];
  if (!file) return false;
  const from = Number(asked.get("from") ?? 0);
  const to = Number(asked.get("to") ?? file.size);
  if (!Number.isFinite(from) || !Number.isFinite(to) || to <= from) return false;
  show(file, from, to);
  if (asked.has("from")) {
    // The link's target is in the middle of the range that it shows.
    const middle = recordAt(file, (shown.from + shown.to) / 2);
    if (middle >= 0 && shown.to - shown.from < 64 * 1024) choose(middle);
    byId("inview").open = true;
  }
  return true;
}

const themes = [["", "as the system"], ["light", "light"], ["dark", "dark"]];
let theme = 0;
function turnTheme(to) {
  theme = to % themes.length;
  const [name, words] = themes[theme];
  if (name) document.documentElement.dataset.theme = name; else delete document.documentElement.dataset.theme;
  byId("theme").textContent = "Theme: " + words;
  repaint();
}
function repaint() { patterns = makePatterns(); drawOverview(); queue(); }

function begin() {
  fillSummary();
  fillFindings();
  fillChain();
  fillTime();
  fillFigures();
  fillRepositories();
  fillLargest();
  if (files.length) fillMap(); else byId("map").hidden = true;
  drawOverview();
  if (files.length && !follow()) {
    // Damage is shown first.
    const worst = files.find((file) => file.bytes.corrupt) ?? files.find((file) => file.bytes.torn) ?? files[0];
    show(worst, 0, worst.size);
  }
  if (files.length) draw();
  isStarted = true;
  byId("theme").addEventListener("click", () => turnTheme(theme + 1));
  window.addEventListener("hashchange", () => {
    if (follow()) byId("shown").scrollIntoView({ block: "start" });
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  new ResizeObserver(() => { drawOverview(); queue(); }).observe(document.body);
  // For Tools/check-page.
  const beyond = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (beyond > 0) document.body.dataset.overflow = String(beyond);
  document.body.dataset.ready = "yes";
  document.body.dataset.width = String(window.innerWidth);
}

try { begin(); } catch (error) {
  byId("error").hidden = false;
  byId("error").textContent = "This page could not be drawn: " + error;
  throw error;
}
})();
