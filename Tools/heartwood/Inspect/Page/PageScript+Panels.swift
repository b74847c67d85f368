extension PageScript {
    /// What is said beside the map: the tip at the pointer, the chosen record, the records in view, the list of files.
    static let mapPanels = #"""
        const tip = byId("tip");

        // What lies under the pointer.
        function point(x) {
          const { file } = shown;
          const offset = offsetAt(x);
          const index = file.details ? recordAt(file, offset) : -1;
          const isAlone = index >= 0 && xOf(file.list.end[index]) - xOf(file.list.offset[index]) >= 1;
          if ((isAlone ? index : -1) !== pointed) { pointed = isAlone ? index : -1; queue(); }
          tip.textContent = isAlone ? shortOf(file, index) : around(file, offset);
          tip.hidden = false;
          const room = view.clientWidth - tip.offsetWidth;
          tip.style.left = Math.max(0, Math.min(room, x + 14 > room ? x - tip.offsetWidth - 14 : x + 14)) + "px";
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
          const kept = list.keyStart[index + 1] - list.keyStart[index];
          const key = keyOf(file, index) + (kept < list.keyLength[index] ? " (the first " + grouped(kept) + " bytes)" : "");
          return element("dl", {},
            pair("Key", key, true), pair("Operation", operationOf(file, index)),
            pair("State", stateWords[stateOf(file, index)]), pair("Offset", grouped(list.offset[index])),
            pair("Sequence number", grouped(list.sequence[index])), pair("Record", size(list.end[index] - list.offset[index])),
            pair("Key", size(list.keyLength[index])), pair("Value, as stored", value),
            pair("Committed", Number.isNaN(list.time[index]) ? "not told by a snapshot" : moment(list.time[index])),
            pair("Expires", Number.isNaN(list.expiry[index]) ? "never" : moment(list.expiry[index])));
        }

        // All that is said of what is shown.
        function describe(visible) {
          const { file, from, to } = shown;
          byId("shown").textContent = "File " + (file.index + 1) + ": " + file.name;
          byId("range").textContent = "bytes " + grouped(Math.floor(from)) + " to " + grouped(Math.ceil(to)) + " of "
            + grouped(file.size) + " (" + size(to - from) + ")";
          view.setAttribute("aria-label", "Map of " + file.name + ", bytes " + Math.floor(from) + " to " + Math.ceil(to)
            + ": " + around2(file, from, to));
          const isTold = stretches(file, from, Math.min(to, file.size)).every((part) => part[2]);
          const wide = size(file.width);
          byId("detail").textContent = !file.details ? "No record of this file is told one by one."
            : visible ? (isTold ? "" : "Of a part of this only shares are known, in steps of " + wide + ".")
              : isTold ? "Zoom in to see records one by one." : "Records are told one by one in parts of this file.";
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

        // The same as a table, for those who don't see the map.
        function listRecords(visible) {
          const { file, from, to } = shown;
          const place = byId("inview").querySelector("div");
          if (!file.details) return place.replaceChildren("No record of this file is told one by one.");
          const first = visible ? visible.first : firstBehind(file, from);
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
          place.replaceChildren(tableOf(
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
          const place = byId("overview");
          for (const file of files) {
            const canvas = element("canvas", { "aria-hidden": "true" });
            place.append(element("button", {
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
            ? "Every record of the store is in this page: zoom in to see them one by one."
            : "The store has too many records to have all of them in this page. " + count(data.records, "record")
              + " can be seen one by one: those at the start and before the end of each file, and around each finding. "
              + "Elsewhere the map shows what share of the bytes is what.";
          listFiles();
        }
        """#
}
