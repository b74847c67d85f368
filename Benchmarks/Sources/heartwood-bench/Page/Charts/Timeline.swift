/// What an engine did second by second: operations above, the latest of them below. All of a row have the same scales,
/// so that they can be laid beside each other.
struct Timeline: Sendable {
    let name: String
    let look: EngineLook
    let moments: [CellResult.Moment]
    let axes: Axes

    /// What the timelines of a row have in common.
    struct Axes: Sendable {
        let seconds: Axis
        let operations: Axis
        let latency: Axis

        init(_ all: [[CellResult.Moment]]) {
            let moments = all.flatMap { $0 }
            seconds = Axis("seconds", .linear(to: moments.map(\.second).max() ?? 1)) { FigureText.round($0) }
            let most = moments.map { Double($0.operations) }.max() ?? 1
            let operationsScale = Scale.linear(to: most)
            operations = Axis("", operationsScale, at: operationsScale.ticks(about: 3)) { FigureText.round($0) }
            let latencies = moments.flatMap { [Double($0.p99), Double($0.maximum)] }
            let latencyScale = Scale.logarithmic(latencies)
            latency = Axis("", latencyScale, at: latencyScale.ticks(about: 4)) { FigureText.roundSeconds($0 / 1e9) }
        }
    }

    private let left = 54.0
    private let right = 352.0
    private let upper = (top: 20.0, bottom: 88.0)
    private let lower = (top: 116.0, bottom: 196.0)

    init(name: String, look: EngineLook, moments: [CellResult.Moment], axes: Axes) {
        self.name = name
        self.look = look
        self.moments = moments.sorted { $0.second < $1.second }
        self.axes = axes
    }

    var figure: Markup {
        """
        <figure class="timeline e \(look.className)" data-of="\(look.id)"><figcaption>\(look.key)\(name)</figcaption>
        <svg viewBox="0 0 360 230" role="img" aria-label="\(name): operations and latency of each second">
        <text class="axis" x="2" y="12">operations a second</text>\
        <text class="axis" x="2" y="108">99 %, and the latest</text>
        \(grid)\(operations)\(latency)\(targets)
        </svg></figure>

        """
    }

    private var grid: Markup {
        var result = Markup.empty
        for (axis, panel) in [(axes.operations, upper), (axes.latency, lower)] {
            for mark in axis.marks {
                let place = panel.bottom - axis.scale.position(mark.value) * (panel.bottom - panel.top)
                result += """
                    <line class="grid" x1="\(left)" x2="\(right)" y1="\(place)" y2="\(place)"/>\
                    <text class="tick" text-anchor="end" x="\(left - 6)" y="\(place + 4)">\(mark.text)</text>
                    """
            }
        }
        for mark in axes.seconds.clear(along: right - left) {
            result += """
                <text class="tick" text-anchor="middle" \
                x="\(x(mark.value))" y="\(lower.bottom + 16)">\(mark.text)</text>
                """
        }
        let middle = (left + right) / 2
        return "\(result)<text class=\"axis\" text-anchor=\"middle\" x=\"\(middle)\" y=\"227\">seconds</text>\n"
    }

    private var operations: Markup {
        guard let first = moments.first, let last = moments.last else { return "" }
        var path: Markup = "M\(x(first.second)) \(upper.bottom)"
        for moment in moments { path += "L\(x(moment.second)) \(y(Double(moment.operations), axes.operations, upper))" }
        return "<path class=\"area\" d=\"\(path)L\(x(last.second)) \(upper.bottom)Z\"/>\n"
    }

    private var latency: Markup {
        var path = Markup.empty
        var latest = Markup.empty
        for moment in moments {
            path += "\(path.text.isEmpty ? "M" : "L")\(x(moment.second)) \(y(Double(moment.p99), axes.latency, lower))"
            latest += """
                <circle class="latest" cx="\(x(moment.second))" \
                cy="\(y(Double(moment.maximum), axes.latency, lower))" r="1.8"/>
                """
        }
        return "<path class=\"stroke thin\" d=\"\(path)\"/>\(latest)\n"
    }

    /// Strips that show a second's figures where somebody points at it.
    private var targets: Markup {
        let width = (right - left) / Double(max(moments.count, 1))
        return moments.map { moment -> Markup in
            let words = """
                second \(FigureText.short(moment.second)): \(Numbers.grouped(moment.operations)) operations, \
                99 % within \(FigureText.seconds(Double(moment.p99) / 1e9)), the latest after \
                \(FigureText.seconds(Double(moment.maximum) / 1e9))
                """
            return """
                <rect class="target" x="\(x(moment.second) - width / 2)" width="\(width)" y="\(upper.top)" \
                height="\(lower.bottom - upper.top)"><title>\(words)</title></rect>
                """
        }.joined()
    }

    private func x(_ second: Double) -> Double { left + axes.seconds.scale.position(second) * (right - left) }

    private func y(_ value: Double, _ axis: Axis, _ panel: (top: Double, bottom: Double)) -> Double {
        panel.bottom - axis.scale.position(value) * (panel.bottom - panel.top)
    }
}
