extension PageScript {
    /// Drawing: patterns, and what of a file lies under each column of pixels.
    static let mapDrawing = #"""
        const color = (name) => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();

        // Each kind has a pattern of its own, so that nobody needs the colours.
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
            for (let index = firstBehind(file, from); index < file.list.length; index += 1) {
              const [start, end] = [Math.max(from, file.list.offset[index]), Math.min(to, file.list.end[index])];
              if (start >= to) break;
              if (start > at) between(at, start);
              this.add(kinds.indexOf(kindOf(file, index)), Math.max(at, start), end);
              at = Math.max(at, end);
            }
            if (at < to) between(at, to);
          }
        }

        // What a record's bytes count for.
        function kindOf(file, index) {
          const state = stateOf(file, index);
          if (state === "live") return "live";
          if (state === "dead" || state === "expired") return "dead";
          const torn = file.torn;
          return torn && torn.from <= file.list.offset[index] && file.list.offset[index] < torn.to ? "torn" : "corrupt";
        }

        // Parts of a stretch, each with whether all of its records are told.
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
          // From far away the parts of the map are finer than pixels, and quicker.
          if ((to - from) / width > file.width) made.addCells(file, from, end);
          else {
            for (const [start, stop, isTold] of stretches(file, from, end)) {
              if (isTold) made.addRecords(file, start, stop); else made.addCells(file, start, stop);
            }
          }
          return made.counts;
        }

        // Columns as stacks; what is wrong comes last, on top, and is never thinner than can be seen.
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
                // Equal neighbours become one rectangle.
                const key = kind + "/" + Math.round(rest) + "/" + Math.round(tall);
                live[key] = [x, Math.max(0, rest), tall, kind];
              }
            }
            flush(x);
            for (const [key, value] of Object.entries(live)) if (!starts.has(key)) starts.set(key, value);
          }
          flush(null);
        }
        """#
}
