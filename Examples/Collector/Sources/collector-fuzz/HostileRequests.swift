import HeartwoodTesting

/// Requests to the service that are wrong in some way: a table of right ones, in which random parts are changed.
struct HostileRequests {
    /// The request line, header fields, an empty part, and the body. `$name` stands for something that is known.
    private static let table = [
        #"POST /events|$json|$write||[{"type":"a","time":1700000000000,"x":[1.5e3,{"é\u00e9":null}]},{"type":"b"}]"#,
        #"POST /events|$json|$write|Idempotency-Key: key-1||{"type":"\ud834\udd1e","time":"2026-01-01T00:00:00Z"}"#,
        "POST /events|$lines|$write|Idempotency-Key: key-2||{\"type\":\"a\"}\n\n{\"type\":\"b\",\"time\":5}",
        "POST /events|$lines|$write|Expect: 100-continue||{\"type\":\"c\",\"x\":\"\u{85}\"}",
        #"POST /events|$json|$write|Transfer-Encoding: chunked||{"type":"a","x":{"y":[[[true,false]]]}}"#,
        #"POST /events|$json|$read|Content-Encoding: gzip||{"type":"a"}"#,
        "GET /events?limit=10&cursor=$cursor|$read", "GET /events?type=a&limit=2&order=asc|$read",
        "GET /events?from=2026-01-01T00:00:00Z&to=1700000000000&type=%C2%85|$read", "GET /events/$id|$read",
        "GET /events/count?type=a&from=0|$read", "GET /events?limit=1|Cookie: collector_session=$cookie",
        "GET /events/stream?type=a|$read|Last-Event-ID: $position", "GET /events/stream?after=$position%2B1|$read",
        "GET /summaries?limit=2&cursor=$cursor&from=0|$read", "GET /jobs|$read", "POST /jobs/retry|$write||",
        "GET /stats|$read", "GET /metrics|$read|Range: bytes=0-1", "GET /|Connection: Close", "GET /ready",
        #"POST /login||{"token":"$token"}"#, "POST /logout|Cookie: collector_session=$cookie||",
        "GET /session|Cookie: collector_session=$cookie", "TRACE /events/stream/|$read", "PUT /%2e%2e/*|Upgrade: h2c",
    ]

    /// What stands in the place of a number, or of any part.
    private static let numbers = [
        "0", "1", "-1", "00", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "18446744073709551616", "4294967295", "4294967296", "281474976710656", "ffffffffffffffff", "1e400", "1.5",
        "0x10", "٣", "", String(repeating: "9", count: 400), "2026-02-30T25:61:61Z", "9999-12-31T23:59:59.999Z",
        "292277026596-12-04T15:30:07Z", "+", "%00", "%", "%ff", "=&=", "\\u0000", "\u{85}", "[", "}", "\"",
    ]

    private let known: [String: String]
    private var random: SeededRandom
    /// What the service has given, to be given back.
    private var given: [String: [String]] = [:]

    /// A request, as bytes, and the parts in which it is sent.
    struct Sent {
        var bytes: [UInt8]
        /// Whether the answer may have no end, or never come.
        var isStream = false
        var cuts: [Int] = []
    }

    init(seed: UInt64, writeToken: String, readToken: String) {
        random = SeededRandom(seed)
        known = [
            "json": "Content-Type: application/json", "lines": "Content-Type: application/x-ndjson",
            "write": "Authorization: Bearer \(writeToken)", "read": "Authorization: Bearer \(readToken)",
            "token": readToken,
        ]
    }

    /// Notes ids, cursors, positions and cookies of an answer.
    mutating func learn(from answer: String) {
        note("id", answer.matches(of: /"ids?":\[?"([0-9a-f]{32})"/).map { String($0.1) })
        note("cursor", answer.matches(of: /"(?:next|previous)":"([^"]+)"/).map { String($0.1) })
        note("position", answer.matches(of: /(?m)^id: ([^\r\n]+)/).map { String($0.1) })
        note("cookie", answer.matches(of: /collector_session=([^;\s]+)/).map { String($0.1) })
    }

    private mutating func note(_ name: String, _ texts: [String]) {
        given[name] = ((given[name] ?? []) + texts.prefix(4)).suffix(64)
    }

    mutating func next() -> Sent {
        var text = random.pick(Self.table)
        for name in ["id", "cursor", "position", "cookie"] where text.contains("$\(name)") {
            text = text.replacing("$\(name)", with: random.pick(given[name].flatMap { $0.isEmpty ? nil : $0 } ?? ["1"]))
        }
        for (name, value) in known { text = text.replacing("$\(name)", with: value) }
        for _ in 0..<random.pick([0, 0, 1, 1, 2, 3]) { change(&text) }

        var parts = text.split(separator: "||", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var lines = parts.removeFirst().split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        lines[0] += random.oneIn(30) ? " HTTP/1.0" : " HTTP/1.1"
        if random.oneIn(15) { lines.remove(at: random.below(lines.count)) }
        lines.insert("Host: a", at: min(1, lines.count))
        var body = Array((parts.first ?? "").utf8)
        if lines.contains("Transfer-Encoding: chunked") {
            let size = random.oneIn(10) ? random.pick(Self.numbers) : String(body.count, radix: 16)
            body = Array("\(size)\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8)
        } else if parts.first != nil {
            lines.append("Content-Length: " + (random.oneIn(20) ? random.pick(Self.numbers) : "\(body.count)"))
        }
        var sent = Sent(bytes: Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)
        sent.isStream = text.contains("/stream")
        for _ in 0..<(random.oneIn(12) ? 3 : 0) where !sent.bytes.isEmpty {
            sent.bytes[random.below(sent.bytes.count)] = UInt8(random.below(256))
        }
        if random.oneIn(4) { sent.cuts = (0..<3).map { _ in random.below(sent.bytes.count) }.sorted() }
        return sent
    }

    /// Replaces a run of digits, or any part, by a number; or removes or repeats a part.
    private mutating func change(_ text: inout String) {
        let runs = text.ranges(of: /[0-9a-f]*[0-9]+[0-9a-f]*/)
        if random.oneIn(2), !runs.isEmpty {
            return text.replaceSubrange(random.pick(runs), with: random.pick(Self.numbers))
        }
        guard !text.isEmpty else { return }
        let start = text.index(text.startIndex, offsetBy: random.below(text.count))
        let end = text.index(start, offsetBy: random.below(8), limitedBy: text.endIndex) ?? text.endIndex
        let part = String(text[start..<end])
        text.replaceSubrange(start..<end, with: random.pick(["", part + part, random.pick(Self.numbers)]))
    }
}
