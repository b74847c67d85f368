import Foundation
import Heartwood
import HeartwoodRepository
import Testing

/// The worked example of Documentation/RecordLayout.md: the document has every key and value of a store.
@Suite struct RecordLayoutTests {
    struct Island: Codable, Identifiable, Sendable {
        var id: Int
        var name: String
        var code: String?
    }

    private let document = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Documentation/RecordLayout.md")

    @Test func theExampleIsWhatAStoreHas() async throws {
        let text = try String(contentsOf: document, encoding: .utf8)
        let sorted = JSONEncoder()
        sorted.outputFormatting = .sortedKeys
        let store = try Store.inMemory()

        let islands = try await store.repository(
            of: Island.self, named: "islands", indexes: [Index("name", \.name), .unique("code", \.code)],
            coder: JSONCoder(encoder: sorted))
        try await islands.save(Island(id: 7, name: "Fårö", code: "SE-I"))

        var lines: [String] = []
        for entry in try store.scan().entries() {
            lines.append("key    " + hexadecimal(entry.key))
            lines += value(entry)
        }
        let example = "```\n" + lines.joined(separator: "\n") + "\n```"
        #expect(text.contains(example), "\(example)")

        // Without a code, the entry has the id in its key.
        try await islands.save(Island(id: 7, name: "Fårö", code: nil))
        let changed = try store.scan(.prefix([0xFE, 0x15, 1, 0x15, 2] as [UInt8])).keys.map(hexadecimal)
        #expect(changed == ["FE 15 01 15 02 00 15 07"])
        #expect(changed.allSatisfy { text.contains("`\($0)`") })
    }

    /// A value as the document shows it: JSON as text, in lines that are filled up to a width; bytes in lines of 32.
    private func value(_ entry: Entry) -> [String] {
        if entry.value.isEmpty { return ["value  (empty)"] }
        var parts: [String] = []
        if entry.value.first == UInt8(ascii: "{") {
            var line = ""
            for part in String(decoding: entry.value, as: UTF8.self).split(separator: ",") {
                let next = line.isEmpty ? "\(part)" : "\(line),\(part)"
                if next.count > 100 {
                    parts.append(line + ",")
                    line = "\(part)"
                } else {
                    line = next
                }
            }
            parts.append(line)
        } else {
            parts = stride(from: 0, to: entry.value.count, by: 32).map { start in
                hexadecimal(Array(entry.value[start..<min(start + 32, entry.value.count)]))
            }
        }
        return parts.enumerated().map { ($0 == 0 ? "value  " : "       ") + $1 }
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }.joined(separator: " ")
    }

    /// The document's table of type codes is that of the encoder.
    @Test func theTableOfCodesIsRight() throws {
        let text = try String(contentsOf: document, encoding: .utf8)
        let uuid = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF") ?? UUID()
        let rows: [(String, (inout TupleEncoder) -> Void)] = [
            ("nil", { $0.append(TupleValue.null) }),
            ("bytes `61 00 62`", { $0.append(TupleValue.bytes([0x61, 0, 0x62])) }),
            ("\"é\"", { $0.append("e\u{301}") }),
            ("(\"a\", nil)", { $0.append(TupleValue.tuple([.string("a"), .null])) }),
            ("−256", { $0.append(-256 as Int64) }),
            ("−1", { $0.append(-1 as Int64) }),
            ("0", { $0.append(0 as Int64) }),
            ("255", { $0.append(255 as Int64) }),
            ("256", { $0.append(256 as Int64) }),
            ("1.5 as `Float`", { $0.append(1.5 as Float) }),
            ("−1.5 as `Double`", { $0.append(-1.5) }),
            ("0.0 and −0.0", { $0.append(-0.0) }),
            ("NaN", { $0.append(-Double.nan) }),
            ("false", { $0.append(false) }),
            ("`00112233-4455-6677-8899-AABBCCDDEEFF`", { $0.append(uuid) }),
        ]
        for (name, append) in rows {
            var encoder = TupleEncoder()
            append(&encoder)
            let row = "| \(name) | `\(hexadecimal(encoder.bytes))` |"
            #expect(text.contains(row), "\(row)")
        }
    }
}
