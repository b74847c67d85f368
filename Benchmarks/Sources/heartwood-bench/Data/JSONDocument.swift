/// Documents like those of services: about 700 bytes of JSON with the same fields and different contents.
enum JSONDocument {
    private static let names = [
        "Amsel", "Birke", "Distel", "Erle", "Fichte", "Ginster", "Hasel", "Iris", "Kiefer", "Linde", "Mohn", "Nelke",
        "Olive", "Pappel", "Quitte", "Rose", "Salbei", "Tanne", "Ulme", "Veilchen",
    ]
    private static let states = ["active", "suspended", "invited", "closed"]
    private static let words = [
        "order", "shipped", "waiting", "invoice", "returned", "address", "changed", "customer", "asked", "for", "the",
        "delivery", "on", "monday", "instead", "of", "friday", "and", "paid", "by", "transfer",
    ]

    static func make(_ random: inout SplitMix64) -> [UInt8] {
        func pick(_ choices: [String]) -> String { choices[Int(random.next() % UInt64(choices.count))] }
        func number(_ limit: UInt64) -> UInt64 { random.next() % limit }
        let (first, last) = (pick(names), pick(names))
        let items = (0..<3).map { _ in
            "{\"sku\":\"\(pick(names).uppercased())-\(number(100_000))\",\"quantity\":\(1 + number(9)),"
                + "\"price\":\(number(50_000)),\"currency\":\"EUR\"}"
        }
        let note = (0..<16 + Int(number(10))).map { _ in pick(words) }.joined(separator: " ")
        let text =
            "{\"id\":\(number(1 << 52)),\"type\":\"order\",\"state\":\"\(pick(states))\",\"customer\":{\"name\":"
            + "\"\(first) \(last)\",\"email\":\"\(first.lowercased()).\(last.lowercased())@example.org\","
            + "\"address\":{\"street\":\"\(last)weg \(1 + number(200))\",\"city\":\"\(first)stadt\",\"zip\":"
            + "\"\(10_000 + number(89_999))\",\"country\":\"DE\"}},\"items\":[\(items.joined(separator: ","))],"
            + "\"total\":\(number(200_000)),\"created\":\"2026-0\(1 + number(9))-1\(number(9))T0\(number(9)):"
            + "\(10 + number(49)):\(10 + number(49))Z\",\"token\":\"\(String(random.next(), radix: 16))\","
            + "\"note\":\"\(note)\"}"
        return Array(text.utf8)
    }
}
