extension PageScript {
    /// The view of one file: what is shown of it, zooming and moving, records one by one.
    static let mapView = #"""
        const view = byId("view");
        const tall = { bar: 130, all: 170 };
        let shown = { file: files[0], from: 0, to: files[0] ? Math.max(8, files[0].size) : 8 };
        let chosen = -1;
        let pointed = -1;
        let isQueued = false;

        const span = () => shown.to - shown.from;
        const xOf = (offset) => (offset - shown.from) / span() * view.clientWidth;
        const offsetAt = (x) => shown.from + x / view.clientWidth * span();

        // Shows a part of a file, kept within it, and notes it in the address.
        function show(file, from, to, keep = false) {
          const size = Math.max(8, file.size);
          const length = Math.min(size, Math.max(64, to - from));
          const start = Math.min(Math.max(0, from), size - length);
          if (file !== shown.file || !keep) { chosen = -1; pointed = -1; }
          shown = { file, from: start, to: start + length };
          try {
            const place = "#file=" + (file.index + 1) + "&from=" + Math.floor(start) + "&to=" + Math.ceil(start + length);
            if (isStarted) history.replaceState(null, "", place);
          } catch { /* Some browsers forbid it for files; links go on working. */ }
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
          const first = firstBehind(shown.file, shown.from);
          choose(direction > 0 ? first : first - 1);
        }

        function queue() {
          if (isQueued) return;
          isQueued = true;
          requestAnimationFrame(() => { isQueued = false; draw(); });
        }

        // Records are drawn one by one where they are wide enough to be pointed at.
        function visibleRecords() {
          const { file, from, to } = shown;
          if (!file.details) return null;
          const first = firstBehind(file, from);
          const last = firstBehind(file, to);
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
              // What verifies in a damaged commit is paler than what doesn't.
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

        // Where a record is narrow its key stands upright in it.
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
          // Where there is nothing to zoom the page scrolls as ever.
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
        """#
}
