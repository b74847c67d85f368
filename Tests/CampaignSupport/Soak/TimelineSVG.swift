/// A picture of numbers over time: panels one above the other, over one axis of time, and marks of events. One file of
/// SVG that needs nothing else, readable on light and on dark ground.
package struct TimelineSVG: Sendable {
    /// Values over time.
    package struct Series: Sendable {
        package var name: String
        /// Time in seconds, value in the panel's unit.
        package var points: [(time: Double, value: Double)]
        /// Whether the largest of values that fall together is drawn, and not their median.
        package var isPeak: Bool

        package init(_ name: String, _ points: [(time: Double, value: Double)], isPeak: Bool = false) {
            self.name = name
            self.points = points
            self.isPeak = isPeak
        }
    }

    package struct Panel: Sendable {
        package var title: String
        package var unit: String
        package var isLogarithmic: Bool
        package var series: [Series]
        /// What the axis must reach to at least, so that panels can be compared.
        package var range: ClosedRange<Double>?

        package init(
            _ title: String, unit: String, isLogarithmic: Bool = false, range: ClosedRange<Double>? = nil,
            _ series: [Series]
        ) {
            self.title = title
            self.unit = unit
            self.isLogarithmic = isLogarithmic
            self.range = range
            self.series = series
        }
    }

    /// Events of one kind: ticks in a row of their own, or lines through all panels.
    package struct Marks: Sendable {
        package var name: String
        package var times: [Double]
        package var areLines: Bool

        package init(_ name: String, _ times: [Double], areLines: Bool = false) {
            self.name = name
            self.times = times
            self.areLines = areLines
        }
    }

    package var title: String
    package var subtitle: String
    /// The length of the axis in seconds.
    package var duration: Double
    package var panels: [Panel]
    package var marks: [Marks]

    package init(title: String, subtitle: String, duration: Double, panels: [Panel], marks: [Marks]) {
        self.title = title
        self.subtitle = subtitle
        self.duration = max(duration, 1)
        self.panels = panels
        self.marks = marks
    }

    private static let width = 960.0
    private static let left = 84.0
    private static let right = 100.0
    private static let top = 62.0
    private static let rowHeight = 18.0
    private static let panelHeight = 132.0
    private static let panelGap = 34.0
    /// No more points than can be told apart.
    private static let columns = 388

    private var plotWidth: Double { Self.width - Self.left - Self.right }
    private var rowsHeight: Double { Double(marks.count) * Self.rowHeight }
    private var panelsTop: Double { Self.top + rowsHeight + Self.panelGap }
    private var height: Double { panelsTop + Double(panels.count) * (Self.panelHeight + Self.panelGap) + 22 }

    /// The whole file.
    package var text: String {
        var out = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(Self.width)) \(number(height))" role="img" \
            aria-label="\(escaped(title))">
            <style>\(Self.style)</style>
            <rect class="ground" width="\(number(Self.width))" height="\(number(height))"/>
            <text class="title" x="\(number(Self.left))" y="26">\(escaped(title))</text>
            <text class="faint" x="\(number(Self.left))" y="45">\(escaped(subtitle))</text>

            """
        drawMarks(&out)
        for (index, panel) in panels.enumerated() {
            draw(panel, at: panelTop(index), isLast: index == panels.count - 1, &out)
        }
        let bottom = panelTop(panels.count) - Self.panelGap
        out += label("time in \(unitOfTime.name)", x: Self.left + plotWidth / 2, y: bottom + 34, "faint middle")
        return out + "</svg>\n"
    }

    /// Colours that can be told apart, too, by those who see few of them, on both grounds.
    private static let style = """

        text { font: 11px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #24292f }
        .ground { fill: #ffffff }
        .title { font-size: 16px; font-weight: 600 }
        .name { font-weight: 600 }
        .faint { fill: #6b737c }
        .end { text-anchor: end }
        .middle { text-anchor: middle }
        .grid { stroke: #e3e6ea; stroke-width: 1 }
        .axis { stroke: #9aa2ab; stroke-width: 1 }
        .event { stroke: #9aa2ab; stroke-width: 1; stroke-dasharray: 3 3 }
        .tick { stroke: #6b737c; stroke-width: 1 }
        .line { fill: none; stroke-width: 1.4; stroke-linejoin: round }
        .s0 { stroke: #0969da } .t0 { fill: #0969da }
        .s1 { stroke: #bf6900 } .t1 { fill: #a85c00 }
        .s2 { stroke: #b3369a } .t2 { fill: #b3369a }
        .s3 { stroke: #cf222e } .t3 { fill: #cf222e }
        @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3 }
        .ground { fill: #0d1117 }
        .faint { fill: #99a3ae }
        .grid { stroke: #262c34 }
        .axis { stroke: #6b737c }
        .event { stroke: #6b737c }
        .tick { stroke: #99a3ae }
        .s0 { stroke: #58a6ff } .t0 { fill: #58a6ff }
        .s1 { stroke: #e3a03b } .t1 { fill: #e3a03b }
        .s2 { stroke: #e685d0 } .t2 { fill: #e685d0 }
        .s3 { stroke: #ff7b72 } .t3 { fill: #ff7b72 }
        }

        """

    private func panelTop(_ index: Int) -> Double {
        panelsTop + Double(index) * (Self.panelHeight + Self.panelGap)
    }

    private func x(_ time: Double) -> Double { Self.left + min(max(time / duration, 0), 1) * plotWidth }

    // MARK: - Marks

    private func drawMarks(_ out: inout String) {
        for (row, mark) in marks.enumerated() {
            let y = Self.top + Double(row) * Self.rowHeight
            out += label(mark.name, x: Self.left - 8, y: y + 10, "end faint")
            out += label("\(mark.times.count)", x: Self.left + plotWidth + 8, y: y + 10, "faint")
            for time in mark.times {
                out += line(x(time), y + 2, x(time), y + 11, "tick")
                guard mark.areLines else { continue }
                out += line(x(time), panelsTop, x(time), panelTop(panels.count) - Self.panelGap, "event")
            }
        }
    }

    // MARK: - Panels

    private func draw(_ panel: Panel, at top: Double, isLast: Bool, _ out: inout String) {
        let bottom = top + Self.panelHeight
        let drawn = panel.series.map { thinned($0) }
        let axis = ValueAxis(
            panel.range, values: drawn.flatMap { $0.map(\.value) }, isLogarithmic: panel.isLogarithmic)
        func y(_ value: Double) -> Double { bottom - axis.share(of: value) * Self.panelHeight }

        out += label(panel.title, x: Self.left, y: top - 8, "name")
        for tick in axis.ticks {
            out += line(Self.left, y(tick.value), Self.left + plotWidth, y(tick.value), "grid")
            let unit = panel.unit.isEmpty ? "" : " " + panel.unit
            let text = tick.label ?? Self.text(tick.value) + unit
            out += label(text, x: Self.left - 8, y: y(tick.value) + 4, "end faint")
        }
        for time in timeTicks {
            let place = x(time * unitOfTime.seconds)
            out += line(place, bottom, place, bottom + 4, "axis")
            if isLast { out += label(Self.text(time), x: place, y: bottom + 17, "middle faint") }
        }
        out += line(Self.left, bottom, Self.left + plotWidth, bottom, "axis")
        for (index, points) in drawn.enumerated() where !points.isEmpty {
            out += "<path class=\"line s\(index % 4)\" d=\"\(path(points, y))\"/>\n"
        }
        // Names at the ends of the lines, apart from each other.
        var used: [Double] = []
        for (index, points) in drawn.enumerated().reversed() {
            guard let typical = points.map(\.value).sorted().middle else { continue }
            var place = min(max(y(typical) + 4, top + 8), bottom)
            // A little more than asked for, or rounding would have it try the same place for ever.
            while let near = used.first(where: { abs($0 - place) < 12 }) { place = near + 12.1 }
            used.append(place)
            out += label(panel.series[index].name, x: Self.left + plotWidth + 8, y: place, "t\(index % 4)")
        }
    }

    /// One point for each column.
    private func thinned(_ series: Series) -> [(time: Double, value: Double)] {
        guard series.points.count > Self.columns else { return series.points }
        var columns: [Int: [(time: Double, value: Double)]] = [:]
        for point in series.points {
            columns[Int(point.time / duration * Double(Self.columns)), default: []].append(point)
        }
        return columns.sorted { $0.key < $1.key }.map { _, points in
            let values = points.map(\.value).sorted()
            return (points[0].time, series.isPeak ? values[values.count - 1] : values[values.count / 2])
        }
    }

    /// Gaps, as while a store is reopened, stay open.
    private func path(_ points: [(time: Double, value: Double)], _ y: (Double) -> Double) -> String {
        var text = ""
        var last = -Double.infinity
        let gap = max(3, duration / Double(Self.columns) * 2.5)
        for point in points {
            text += "\(point.time - last > gap ? "M" : "L")\(number(x(point.time))) \(number(y(point.value)))"
            last = point.time
        }
        return text
    }

    private var unitOfTime: (name: String, seconds: Double) {
        duration < 240 ? ("seconds", 1) : duration < 14_400 ? ("minutes", 60) : ("hours", 3_600)
    }

    /// In the unit of time; whole numbers, no more than fit.
    private var timeTicks: [Double] {
        let length = duration / unitOfTime.seconds
        let step = [1, 2, 5, 10, 15, 20, 30, 60].first { length / $0 <= 13 } ?? 120
        return Array(stride(from: 0, through: length, by: step))
    }

    // MARK: - Text

    private func label(_ text: String, x: Double, y: Double, _ style: String) -> String {
        "<text class=\"\(style)\" x=\"\(number(x))\" y=\"\(number(y))\">\(escaped(text))</text>\n"
    }

    private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) -> String {
        "<line class=\"\(style)\" x1=\"\(number(x1))\" y1=\"\(number(y1))\" x2=\"\(number(x2))\" "
            + "y2=\"\(number(y2))\"/>\n"
    }

    private func escaped(_ text: String) -> String {
        String(text.flatMap { ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"][$0] ?? String($0) })
    }

    /// With one decimal, which is a tenth of a pixel.
    private func number(_ value: Double) -> String { Self.text(value) }

    /// "5", "2.5"
    private static func text(_ value: Double) -> String {
        let tenths = Int(min(max((value * 10).rounded(), -1e15), 1e15))
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }
}

/// The axis of values: where it begins and ends, and what is written at it.
struct ValueAxis {
    let lower: Double
    let upper: Double
    let isLogarithmic: Bool
    var ticks: [(value: Double, label: String?)] = []

    /// Linear ones begin at 0; logarithmic ones, of seconds, go from one power of ten to another.
    init(_ range: ClosedRange<Double>?, values: [Double], isLogarithmic: Bool) {
        self.isLogarithmic = isLogarithmic
        let least = min(values.min() ?? .infinity, range?.lowerBound ?? .infinity)
        let most = max(values.max() ?? 0, range?.upperBound ?? 0)
        if isLogarithmic {
            var power = -9
            var value = 1e-9
            while value * 10 <= least, power < 3 { (power, value) = (power + 1, value * 10) }
            lower = value
            var ticks: [(Double, String?)] = [(value, Self.duration(power))]
            while value < most, power < 4 {
                (power, value) = (power + 1, value * 10)
                ticks.append((value, Self.duration(power)))
            }
            upper = value
            self.ticks = ticks
        } else {
            var step = 1.0
            while most / step > 5 { step = Self.next(after: step) }
            lower = 0
            upper = max(step, (most / step).rounded(.up) * step)
            ticks = stride(from: 0, through: upper + step / 2, by: step).map { ($0, nil) }
        }
    }

    /// How far up a value is, from 0 to 1.
    func share(of value: Double) -> Double {
        guard isLogarithmic else { return min(max(value / upper, 0), 1) }
        let span = Self.log10(upper / lower)
        return span == 0 ? 0 : min(max(Self.log10(max(value, lower) / lower) / span, 0), 1)
    }

    /// 1, 2, 5, 10, 20, 50, …
    private static func next(after step: Double) -> Double {
        var power = 1.0
        while power * 10 <= step { power *= 10 }
        return step / power < 1.5 ? 2 * power : step / power < 3 ? 5 * power : 10 * power
    }

    /// "100 µs" for -4.
    private static func duration(_ power: Int) -> String {
        let unit = power < -6 ? "ns" : power < -3 ? "µs" : power < 0 ? "ms" : "s"
        let base = power < -6 ? -9 : power < -3 ? -6 : power < 0 ? -3 : 0
        return "1" + String(repeating: "0", count: power - base) + " " + unit
    }

    /// Without a library: halves and squares, to some nine digits.
    private static func log10(_ value: Double) -> Double {
        guard value > 0, value.isFinite else { return 0 }
        var rest = value.significand
        var bits = Double(value.exponent)
        var bit = 0.5
        while bit > 1e-9 {
            rest *= rest
            if rest >= 2 {
                bits += bit
                rest /= 2
            }
            bit /= 2
        }
        return bits * 0.301_029_995_663_981_2
    }
}

extension Array {
    fileprivate var middle: Element? { isEmpty ? nil : self[count / 2] }
}
