extension PageScript {
    /// Small helpers: elements, numbers, bytes as text.
    static let basics = #"""
        const byId = (id) => document.getElementById(id);

        // Elements are made of text nodes: nothing that comes from the store is ever read as HTML.
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

        // As the tool escapes keys: what prints stands as it is, all else so that it can be told back.
        const decoder = new TextDecoder("utf-8", { fatal: true });
        const encoder = new TextEncoder();
        // Controls, and what turns the direction of writing round.
        const hidden = /[\u0080-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
        const hex = (byte) => "\\x" + byte.toString(16).padStart(2, "0");

        function escapeBytes(bytes) {
          let text = "";
          for (let at = 0; at < bytes.length;) {
            const first = bytes[at];
            const short = { 9: "\\t", 10: "\\n", 13: "\\r", 92: "\\\\" }[first];
            if (short) { text += short; at += 1; continue; }
            if (first < 0x20 || first === 0x7f) { text += hex(first); at += 1; continue; }
            const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
            let character = null;
            try { character = decoder.decode(bytes.subarray(at, at + length)); } catch { character = null; }
            if (character && [...character].length === 1 && !hidden.test(character)) {
              text += character;
              at += length;
            } else { text += hex(first); at += 1; }
          }
          return text;
        }

        // A key out of the JSON, where it is text or base64.
        const keyBytes = (item) => item.key64 === undefined ? encoder.encode(item.key) : unpack(item.key64);
        const cut = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;

        function unpack(base64) {
          const text = atob(base64);
          const bytes = new Uint8Array(text.length);
          for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
          return bytes;
        }
        """#

    /// The data: maps and records out of their packed form, each file's when it is first looked at.
    static let data = #"""
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
          // Beyond 2^53 numbers lose digits: those are read as big ones.
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

        function keyOf(file, index) {
          const { list } = file;
          const text = escapeBytes(list.keys.subarray(list.keyStart[index], list.keyStart[index + 1]));
          return list.keyStart[index + 1] - list.keyStart[index] < list.keyLength[index] ? text + "…" : text;
        }

        // The first record that ends behind an offset.
        function firstBehind(file, offset) {
          let [low, high] = [0, file.list.length];
          while (low < high) {
            const middle = low + high >> 1;
            if (file.list.end[middle] <= offset) low = middle + 1; else high = middle;
          }
          return low;
        }

        function recordAt(file, offset) {
          const index = firstBehind(file, offset);
          return index < file.list.length && file.list.offset[index] <= offset ? index : -1;
        }

        // What bytes between records are.
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
        """#
}
