/// Parts of a whole, one after the other, with numbers in those that have room for them.
struct StackedBar: Sendable {
    let parts: [Part]

    /// One part.
    struct Part: Sendable {
        let title: String
        let className: String
        let count: Int
    }

    /// - Parameter words: What the bar is about.
    func drawing(_ words: String) -> Markup {
        let whole = parts.reduce(0.0) { $0 + Double($1.count) }
        guard whole > 0 else { return "" }
        var start = 0.0
        var result = Markup.empty
        for part in parts where part.count > 0 {
            let percent = Double(part.count) / whole * 100
            // What is there at all is seen: a part has two thousandths of the width at least.
            result += """
                <g class="\(part.className)"><title>\(part.title): \(Numbers.grouped(part.count))</title>\
                <rect x="\(min(start, 99.4))%" width="\(max(percent, 0.6))%" height="24"/>
                """
            if percent >= 9 {
                result += """
                    <text x="\(start + percent / 2)%" y="16.5" text-anchor="middle">\
                    \(Numbers.grouped(part.count))</text>
                    """
            }
            result += "</g>"
            start += percent
        }
        return """
            <svg class="stack" height="24" role="img" aria-label="\(words)">\(result)</svg>
            """
    }
}
