extension PageScript {
    /// Summary, advice, findings, chain, largest records.
    static let tables = #"""
        const linkTo = (file, from, to) => "#file=" + (file.index + 1) + "&from=" + Math.max(0, Math.floor(from)) + "&to=" + Math.ceil(to);

        // A place a little wider than what lies there.
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
            ["Compaction would give back", data.gain || null],
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
          const place = byId("findings").querySelector("div");
          if (!survey.findings.length) return place.append("Nothing is wrong: every byte verifies.");
          const most = 500;
          const rows = survey.findings.slice(0, most).map((finding, index) => {
            const file = files.find((one) => one.path === finding.file);
            const where = file ? file.name + " at " + grouped(finding.offset) : finding.file;
            const named = (keys) => keys.slice(0, 5).map((key) => cut(escapeBytes(keyBytes(key)), 60)).join(", ");
            const keys = (finding.keys.length ? "; keys: " + named(finding.keys) : "")
              + (finding.perhapsKeys.length ? "; perhaps of key " + named(finding.perhapsKeys) : "");
            return element("tr", {},
              element("td", {}, element("span", { class: "badge " + finding.severity }, finding.severity)),
              element("td", { class: "mono place" },
                file ? element("a", { href: linkAround(file, finding.offset, finding.length) }, where) : where),
              element("td", { class: "wide" }, data.findings[index] + keys),
              element("td", { class: "n" }, finding.length ? size(finding.length) : "–"));
          });
          place.className = "scroll";
          place.append(tableOf([["Severity"], ["Place"], ["What"], ["Bytes", 1]], rows,
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
          element("p", {}, "goes on: " + file.goesOn))));
          if (!files.length) byId("chain").hidden = true;
        }

        function fillLargest() {
          const { largestValues, largestKeys } = survey.totals;
          const seen = new Set();
          const rows = [...largestValues, ...largestKeys].filter((record) => {
            const place = record.file + "/" + record.offset;
            return !seen.has(place) && seen.add(place);
          }).map((record) => {
            const file = files.find((one) => one.name === record.file);
            const length = 32 + Math.ceil((record.keyBytes + record.valueBytes) / 8) * 8;
            return element("tr", {},
              element("td", { class: "n" }, size(record.valueBytes)), element("td", { class: "n" }, size(record.keyBytes)),
              element("td", { class: "mono wide" }, cut(escapeBytes(keyBytes(record).subarray(0, 256)), 80)),
              element("td", { class: "mono place" }, element("a", { href: linkAround(file, record.offset, length) },
                record.file + " at " + grouped(record.offset))));
          });
          if (!rows.length) byId("largest").hidden = true;
          byId("largest").querySelector("div").append(tableOf([["Value", 1], ["Key", 1], ["Key"], ["Place"]], rows));
        }
        """#

    /// Timelines, histograms, bytes and records by kind.
    static let charts = #"""
        function chart(name, values, timeline, told) {
          const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
          const most = Math.max(...values, 1);
          svg.setAttribute("viewBox", "0 0 " + values.length + " 100");
          svg.setAttribute("preserveAspectRatio", "none");
          svg.setAttribute("role", "img");
          svg.setAttribute("aria-label", name + ": at most " + told(most) + " in " + spanOf(timeline.width));
          values.forEach((value, index) => {
            if (!value) return;
            const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect");
            const tallness = Math.max(1.5, value / most * 96);
            for (const [key, number] of Object.entries({ x: index + 0.04, width: 0.92, y: 100 - tallness, height: tallness })) {
              bar.setAttribute(key, number);
            }
            const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
            title.textContent = moment(timeline.start + index * timeline.width) + ": " + told(value);
            bar.append(title);
            svg.append(bar);
          });
          const end = timeline.start + values.length * timeline.width;
          return element("figure", {},
            element("figcaption", {}, name), svg,
            element("div", { class: "ends" }, element("span", {}, moment(timeline.start)), element("span", {}, moment(end))),
            element("div", { class: "ends" }, element("span", {}, "at most " + told(most) + " in " + spanOf(timeline.width))));
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
          const place = byId("figures").querySelector("div");
          place.append(bars("Bytes by kind", [["Kind"], ["Bytes", 1]], kinds.filter((kind) => totals.bytes[kind])
            .map((kind) => ({ kind, name: kind, value: totals.bytes[kind],
              text: size(totals.bytes[kind]) + ", " + share(totals.bytes[kind], all) }))));
          place.append(bars("Records by what they do", [["Kind"], ["Records", 1]], records.filter((one) => one[1])
            .map(([name, value]) => ({ name, value, text: grouped(value) + ", " + share(value, totals.records.all) }))));
          for (const [name, buckets] of [["Key sizes", totals.keySizes], ["Value sizes, as stored", totals.valueSizes]]) {
            place.append(bars(name, [["Bytes"], ["Records", 1]], buckets.map((bucket) => ({
              name: sizeRange(bucket), value: bucket.records, text: grouped(bucket.records),
            }))));
          }
        }
        """#

    /// Puts it together.
    static let start = #"""
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
            // What the link was for is in the middle of what it shows.
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
          fillLargest();
          if (files.length) fillMap(); else byId("map").hidden = true;
          drawOverview();
          if (files.length && !follow()) {
            // What is wrong is what one wants to see first.
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
        """#
}
