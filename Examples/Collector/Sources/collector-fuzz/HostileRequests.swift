import HeartwoodTesting

/// Random requests that know the service's routes, its JSON, and the ids, cursors, positions and cookies that it has
/// given: most of them wrong in some way.
struct HostileRequests {
    let writeToken: String
    let readToken: String
    private var random: SeededRandom
    /// What the service has given, to be given back, often changed.
    private var given: [Given: [String]] = [:]

    enum Given: CaseIterable { case id, cursor, position, cookie }

    /// A request, as bytes.
    struct Sent {
        var bytes: [UInt8]
        /// Whether the answer may have no end, or never come.
        var isStream = false
        /// The parts in which it is sent.
        var cuts: [Int] = []
    }

    init(seed: UInt64, writeToken: String, readToken: String) {
        (self.writeToken, self.readToken, random) = (writeToken, readToken, SeededRandom(seed))
    }

    /// Notes something that the service has given.
    mutating func note(_ kind: Given, _ text: String) {
        var known = given[kind] ?? []
        if known.count < 64 { known.append(text) } else { known[random.below(64)] = text }
        given[kind] = known
    }

    mutating func next() -> Sent {
        var sent: Sent
        switch random.below(20) {
        case 0..<8: sent = post()
        case 8..<12: sent = get("/events?" + query())
        case 12..<14: sent = stream()
        case 14: sent = get("/events/" + text(.id))
        case 15: sent = get("/summaries?" + query())
        case 16: sent = get(random.pick(["/events/count?" + query(), "/jobs", "/stats", "/metrics", "/", "/ready"]))
        case 17: sent = session()
        case 18:
            let method = random.pick(["PUT", "DELETE", "HEAD", "PATCH", "gET", "TRACE"])
            sent = Sent(bytes: request(method, path(), [], []))
        default: sent = Sent(bytes: (0..<random.below(300)).map { _ in UInt8(random.below(256)) })
        }
        if random.oneIn(12) { damage(&sent.bytes) }
        if random.oneIn(4), !sent.bytes.isEmpty {
            sent.cuts = (0..<random.below(4)).map { _ in random.below(sent.bytes.count) }.sorted()
        }
        return sent
    }

    // MARK: Requests

    private mutating func post() -> Sent {
        var body: [UInt8] = []
        let isLines = random.oneIn(2)
        for number in 0..<random.number(in: 1...6) {
            if number > 0 { body += isLines ? [0x0A] : [0x2C] }
            body += event()
        }
        if !isLines { body = [0x5B] + body + [0x5D] }
        if random.oneIn(5) { RandomJSON.damage(&body, &random) }
        var headers = ["Content-Type: " + (isLines ? "application/x-ndjson" : "application/json")]
        if random.oneIn(20) {
            headers = ["Content-Type: " + random.pick(["", "text/plain", "application/json; charset=x"])]
        }
        headers.append("Authorization: Bearer " + (random.oneIn(20) ? "wrong" : writeToken))
        if random.oneIn(3) { headers.append("Idempotency-Key: key-\(random.below(40))") }
        if random.oneIn(10) { headers.append("Expect: 100-continue") }
        if random.oneIn(20) { headers.append("Content-Encoding: gzip") }
        return Sent(bytes: request("POST", "/events", headers, body))
    }

    private mutating func event() -> [UInt8] {
        if random.oneIn(20) { return RandomJSON.document(&random) }
        let type = random.pick(
            random.oneIn(20) ? ["\\u0000", "", "\u{85}"] : ["a", "b", "c", "é", "\\u00e9"])
        var time = ""
        if random.oneIn(3) { time = ",\"time\":\(random.below(1 << 41))" }
        if random.oneIn(20) { time = ",\"time\":" + (random.oneIn(2) ? number() : "\"\(moment())\"") }
        return Array("{\"type\":\"\(type)\"\(time),\"x\":".utf8) + RandomJSON.document(&random) + [0x7D]
    }

    private mutating func get(_ path: String) -> Sent {
        Sent(bytes: request("GET", path, [authorization()], []))
    }

    private mutating func stream() -> Sent {
        let position = random.oneIn(5) ? text(.position) : text(.position) + "+" + number()
        let path = random.pick(["/events/stream", "/events/stream?type=a", "/events/stream?after=" + escaped(position)])
        let headers = [authorization()] + (random.oneIn(2) ? ["Last-Event-ID: " + position] : [])
        return Sent(bytes: request("GET", path, headers, []), isStream: true)
    }

    private mutating func session() -> Sent {
        let cookie = "Cookie: collector_session=" + text(.cookie)
        switch random.below(4) {
        case 0: return Sent(bytes: request("POST", "/logout", random.oneIn(2) ? [cookie] : [], []))
        case 1: return Sent(bytes: request("GET", random.pick(["/session", "/events?limit=1"]), [cookie], []))
        default:
            let token = random.oneIn(3) ? readToken : number()
            return Sent(bytes: request("POST", "/login", [], Array("{\"token\":\"\(token)\"}".utf8)))
        }
    }

    private mutating func request(_ method: String, _ path: String, _ headers: [String], _ body: [UInt8]) -> [UInt8] {
        var lines = ["\(method) \(path) \(random.oneIn(30) ? "HTTP/1.0" : "HTTP/1.1")", "Host: a"] + headers
        if random.oneIn(15) { lines.append("Range: bytes=\(number())-\(number())") }
        if random.oneIn(15) { lines.append("Connection: " + random.pick(["close", "Close", "keep-alive", "upgrade"])) }
        var content = body
        if !body.isEmpty || method == "POST" {
            if random.oneIn(6) {
                lines.append("Transfer-Encoding: chunked")
                let size = random.oneIn(10) ? number() : String(body.count, radix: 16)
                content = Array("\(size)\r\n".utf8) + body + Array("\r\n0\r\n\r\n".utf8)
            } else {
                lines.append("Content-Length: " + (random.oneIn(20) ? number() : "\(body.count)"))
            }
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + content
    }

    private mutating func authorization() -> String {
        if random.oneIn(8) { return "Cookie: collector_session=" + text(.cookie) }
        return "Authorization: Bearer " + (random.oneIn(30) ? "wrong" : readToken)
    }

    // MARK: Parts

    private mutating func query() -> String {
        (0..<random.below(5)).map { _ in
            switch random.below(7) {
            case 0: "limit=" + number()
            case 1: "cursor=" + escaped(text(.cursor))
            case 2: random.pick(["from=", "to="]) + (random.oneIn(2) ? number() : escaped(moment()))
            case 3: "type=" + random.pick(["a", "b", "%00", "%C2%85", "%", "%ff", ""])
            case 4: "order=" + random.pick(["asc", "desc", "x"])
            case 5: "after=" + escaped(text(.position))
            default: random.pick(["", "&", "=", "limit", "cursor=", "%=%"])
            }
        }.joined(separator: "&")
    }

    private mutating func path() -> String {
        random.pick([
            "/", "/events", "/events/", "/none", "//", "/events/stream/", "/%2e%2e/", "*", "/jobs/retry", "/login",
        ])
    }

    /// Something that was given, as it was or changed; or nothing like it.
    private mutating func text(_ kind: Given) -> String {
        guard let known = given[kind], !known.isEmpty, !random.oneIn(10) else { return number() }
        var text = known[random.below(known.count)]
        guard random.oneIn(2) else { return text }
        switch random.below(4) {
        case 0:
            var bytes = Array(text.utf8)
            for _ in 0..<random.number(in: 1...3) where !bytes.isEmpty {
                bytes[random.below(bytes.count)] = Array("0123456789abcdefF-+.Z".utf8).randomElement(using: &random)!
            }
            text = String(decoding: bytes, as: UTF8.self)
        case 1: text = String(text.prefix(random.below(text.count + 1)))
        case 2: text += number()
        default:
            // Each run of digits may be a number.
            let parts = text.split(separator: /[^0-9a-f]/, omittingEmptySubsequences: false)
            guard let part = parts.randomElement(using: &random), !part.isEmpty else { return text }
            text = text.replacing(part, with: number(), maxReplacements: 1)
        }
        return text
    }

    private mutating func number() -> String {
        random.pick([
            "0", "1", "-1", "00", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
            "18446744073709551615", "18446744073709551616", "4294967295", "4294967296", "2147483648",
            "281474976710655", "281474976710656", "ffffffffffffffff", "7fffffffffffffff", "1e400", "1.5", "0x10", "٣",
            "\(random.below(2_000))", String(repeating: "9", count: random.number(in: 1...400)),
        ])
    }

    private mutating func moment() -> String {
        random.pick([
            "2026-01-01T00:00:00Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "0000-00-00T00:00:00Z",
            "2026-02-30T25:61:61Z", "2026-01-01T00:00:00+99:99", "292277026596-12-04T15:30:07Z", "now", number(),
        ])
    }

    /// Without what would end a line or a target; often without any other care.
    private mutating func escaped(_ text: String) -> String {
        random.oneIn(3) ? text.replacing(" ", with: "") : text.replacing("+", with: "%2B").replacing(" ", with: "%20")
    }

    private mutating func damage(_ bytes: inout [UInt8]) {
        for _ in 0..<random.number(in: 1...3) where !bytes.isEmpty {
            let place = random.below(bytes.count)
            switch random.below(3) {
            case 0: bytes[place] = UInt8(random.below(256))
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8(random.below(256)), at: place)
            }
        }
    }
}
