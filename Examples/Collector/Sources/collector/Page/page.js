"use strict";

const kept = 121;                   // samples: two minutes, and the one before
let samples = [];
let source = null;
let hours = [];                     // summaries of the last day, the newest first
let timers = [];

const element = (id) => document.getElementById(id);
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

function bytes(count) {
    const units = ["B", "KB", "MB", "GB", "TB"];
    let unit = 0;
    while (count >= 1000 && unit < units.length - 1) { count /= 1000; unit += 1; }
    return `${fine.format(count)} ${units[unit]}`;
}

function connection(state, text) {
    element("connection").dataset.state = state;
    element("connection").textContent = text;
}

/* ---- login ---- */

function showLogin() {
    if (source) { source.close(); source = null; }
    timers.forEach(clearInterval);
    element("dashboard").hidden = true;
    element("logout").hidden = true;
    element("login").hidden = false;
    connection("waiting", "not connected");
}

element("login").addEventListener("submit", async (event) => {
    event.preventDefault();
    const error = element("login-error");
    error.textContent = "";
    try {
        const answer = await fetch("login", {
            method: "POST", headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ token: element("token").value }),
        });
        if (answer.ok) {
            element("token").value = "";
            return start();
        }
        const problem = await answer.json();
        error.textContent = answer.status === 401 ? "This token isn't known." : problem.detail;
    } catch {
        error.textContent = "The service can't be reached.";
    }
});

element("logout").addEventListener("click", async () => {
    await fetch("logout", { method: "POST" }).catch(() => {});
    showLogin();
});

/* ---- samples ---- */

/* Pairs of samples that follow each other in one run of the service, as rates. */
function rates() {
    const result = [];
    for (let index = 1; index < samples.length; index += 1) {
        const [before, now] = [samples[index - 1], samples[index]];
        const seconds = (now.time - before.time) / 1000;
        if (seconds <= 0 || now.events < before.events) continue;
        const types = {};
        for (const [name, count] of Object.entries(now.types)) {
            types[name] = (count - (before.types[name] || 0)) / seconds;
        }
        result.push({
            time: now.time, events: (now.events - before.events) / seconds,
            requests: (now.requests - before.requests) / seconds, bytes: (now.bytes - before.bytes) / seconds,
            median: now.median ?? null, percentile99: now.percentile99 ?? null, types,
        });
    }
    return result;
}

function add(sample) {
    samples.push(sample);
    if (samples.length > kept) samples.shift();
    draw();
}

function draw() {
    const all = rates();
    const now = samples[samples.length - 1];
    const rate = all[all.length - 1];
    if (!now) return;
    element("refused").textContent = whole.format(now.refused);
    if (rate) {
        element("rate").textContent = whole.format(rate.events);
        element("requests").textContent = whole.format(rate.requests);
        element("throughput").textContent = fine.format(rate.bytes / 1e6);
        element("median").textContent = rate.median === null ? "–" : fine.format(rate.median);
        element("percentile99").textContent = rate.percentile99 === null ? "–" : fine.format(rate.percentile99);
        drawTypes(now.types, rate.types);
    }
    chart("rate-chart", all, [["events", "first"]], "events/s");
    chart("latency-chart", all, [["median", "first"], ["percentile99", "second"]], "ms");
    drawStore(now);
}

function cell(row, text) {
    const cell = document.createElement("td");
    cell.textContent = text;
    row.append(cell);
}

function drawTypes(totals, perSecond) {
    const body = element("types").tBodies[0];
    body.replaceChildren();
    const names = Object.keys(totals).sort((a, b) => totals[b] - totals[a]).slice(0, 12);
    for (const name of names) {
        const row = document.createElement("tr");
        cell(row, name);
        cell(row, whole.format(perSecond[name] || 0));
        cell(row, whole.format(totals[name]));
        body.append(row);
    }
}

function drawStore(now) {
    const list = element("store");
    list.replaceChildren();
    const store = now.store;
    const rows = store ? [
        ["state", store.state], ["keys", whole.format(store.keys)], ["log", bytes(store.logBytes)],
        ["snapshot", bytes(store.snapshotBytes)], ["index, in memory", bytes(store.indexBytes)],
        ["commits", whole.format(store.commits)], ["syncs", whole.format(store.syncs)],
        ["open streams", whole.format(now.streams)],
    ] : [
        ["state", now.isOnCluster ? "on a cluster" : "none: events aren't stored"],
        ["open streams", whole.format(now.streams)],
    ];
    for (const [name, value] of rows) {
        const term = document.createElement("dt");
        term.textContent = name;
        const text = document.createElement("dd");
        text.textContent = value;
        list.append(term, text);
    }
}

/* ---- charts ---- */

function svg(name, attributes, text) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    return node;
}

/* A round number that isn't below the value. */
function ceiling(value) {
    const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-3)));
    return [1, 2, 5, 10].map((factor) => factor * power).find((bound) => bound >= value);
}

/* Empties a chart and draws its axes. Returns the ends of the horizontal axis, which begins after a margin, and the
   place of a value. */
function axes(node, values, unit, from, to, margin = 0) {
    const width = node.clientWidth || 600;
    const height = node.clientHeight || 170;
    const [left, right, top, bottom] = [8, width - 8, 18, 20];
    node.setAttribute("viewBox", `0 0 ${width} ${height}`);
    node.replaceChildren();
    const highest = ceiling(Math.max(0.001, ...values));
    const y = (value) => top + (height - top - bottom) * (1 - value / highest);
    for (const share of [0, 0.5, 1]) {
        const line = y(share * highest);
        node.append(svg("line", { x1: left, x2: right, y1: line, y2: line }));
        node.append(svg("text", { x: left, y: line - 4 }, `${fine.format(share * highest)} ${unit}`));
    }
    node.append(svg("text", { x: left + margin, y: height - 4 }, from));
    node.append(svg("text", { x: right, y: height - 4, "text-anchor": "end" }, to));
    return { left: left + margin, right, y };
}

function chart(id, all, series, unit) {
    const node = element(id);
    const values = all.flatMap((rate) => series.map(([key]) => rate[key])).filter((value) => value !== null);
    const { left, right, y } = axes(node, values, unit, "2 min ago", "now");
    const end = all.length ? all[all.length - 1].time : Date.now();
    const x = (time) => left + (right - left) * (1 - (end - time) / 120000);
    for (const [key, style] of series) {
        let path = "";
        let isOpen = false;
        for (const rate of all) {
            if (rate[key] === null || x(rate.time) < left) { isOpen = false; continue; }
            path += `${isOpen ? "L" : "M"}${x(rate.time).toFixed(1)} ${y(rate[key]).toFixed(1)}`;
            isOpen = true;
        }
        if (!path) continue;
        if (series.length === 1) {
            const first = all.find((rate) => x(rate.time) >= left);
            const area = `${path}L${x(end).toFixed(1)} ${y(0)}L${x(first.time).toFixed(1)} ${y(0)}Z`;
            node.append(svg("path", { class: "area", d: area }));
        }
        node.append(svg("path", { class: style, d: path }));
    }
}

/* ---- hours ---- */

function drawHours() {
    element("hours").hidden = hours.length === 0;
    if (!hours.length) return;
    const node = element("hours-chart");
    const values = hours.map(({ events }) => events);
    // The bars don't cover the numbers of the axis.
    const { left, right, y } = axes(node, values, "events", "24 h ago", "last full hour", 100);
    const last = Math.floor(Date.now() / 3600000) - 1;
    const step = (right - left) / 24;
    for (const { hour, events, types } of hours) {
        const place = 23 - (last - Date.parse(hour) / 3600000);
        if (place < 0 || place > 23) continue;
        const bar = svg("rect", {
            x: left + place * step + 1, width: Math.max(1, step - 2), y: y(events), height: y(0) - y(events),
        });
        const names = types.slice(0, 5).map(({ type, events }) => `${type}: ${whole.format(events)}`);
        bar.append(svg("title", {}, [`${hour}: ${whole.format(events)} events`, ...names].join("\n")));
        node.append(bar);
    }
}

async function showHours() {
    try {
        const answer = await fetch(`summaries?limit=24&from=${Date.now() - 25 * 3600000}`);
        hours = answer.ok ? (await answer.json()).summaries : [];
        drawHours();
    } catch { /* the connection's state says it */ }
}

/* ---- newest events ---- */

async function showNewest() {
    if (!source || source.readyState !== EventSource.OPEN) return;
    try {
        const answer = await fetch("events?limit=8");
        if (!answer.ok) return;
        const list = element("newest");
        list.replaceChildren();
        for (const { time, event } of (await answer.json()).events) {
            const item = document.createElement("li");
            item.textContent = `${time}  ${JSON.stringify(event)}`;
            list.append(item);
        }
    } catch { /* the connection's state says it */ }
}

/* ---- start ---- */

function follow() {
    source = new EventSource("stats/stream");
    source.onopen = () => {
        connection("open", "connected");
        showNewest();
    };
    source.onmessage = (message) => add(JSON.parse(message.data));
    source.onerror = () => {
        connection("lost", "connection lost, trying again");
        // After an answer that isn't a stream, the browser doesn't try again.
        if (source && source.readyState === EventSource.CLOSED) setTimeout(start, 2000);
    };
}

async function start() {
    if (source) { source.close(); source = null; }
    timers.forEach(clearInterval);
    try {
        if (!(await (await fetch("session")).json()).isOpen) return showLogin();
        samples = await (await fetch("stats")).json();
    } catch {
        connection("lost", "connection lost, trying again");
        return setTimeout(start, 2000);
    }
    element("login").hidden = true;
    element("dashboard").hidden = false;
    element("logout").hidden = false;
    draw();
    follow();
    showHours();
    timers = [setInterval(showNewest, 2000), setInterval(showHours, 60000)];
}

addEventListener("resize", () => { draw(); drawHours(); });
start();
