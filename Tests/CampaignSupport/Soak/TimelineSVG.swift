#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// An SVG file of values over time: panels one above the other on one time axis, and rows of events above them. It is
/// readable on light and dark backgrounds.
package struct TimelineSVG: Sendable {
    /// Values over time.
    package struct Series: Sendable {
        var name: String
        /// Time in seconds, value in the panel's unit.
        var points: [(time: Double, value: Double)]
        /// Where a column has several values: whether the maximum is drawn instead of the median.
        var isPeak: Bool

        package init(_ name: String, _ points: [(time: Double, value: Double)], isPeak: Bool = false) {
            (self.name, self.points, self.isPeak) = (name, points, isPeak)
        }
    }

    package struct Panel: Sendable {
        var title: String
        var unit: String
        /// A logarithmic axis shows seconds.
        var isLogarithmic: Bool
        /// The range that the axis covers at least, so that panels can be compared.
        var range: ClosedRange<Double>?
        var series: [Series]

        package init(
            _ title: String, unit: String, isLogarithmic: Bool = false, range: ClosedRange<Double>? = nil,
            _ series: [Series]
        ) {
            (self.title, self.unit, self.isLogarithmic) = (title, unit, isLogarithmic)
            (self.range, self.series) = (range, series)
        }
    }

    /// Events of one kind, drawn as a row of ticks.
    package struct Marks: Sendable {
        var name: String
        var times: [Double]

        package init(_ name: String, _ times: [Double]) { (self.name, self.times) = (name, times) }
    }

    private let title: String
    private let subtitle: String
    /// The length of the time axis in seconds.
    private let duration: Double
    private let panels: [Panel]
    private let marks: [Marks]

    package init(title: String, subtitle: String, duration: Double, panels: [Panel], marks: [Marks]) {
        (self.title, self.subtitle, self.duration) = (title, subtitle, max(duration, 1))
        (self.panels, self.marks) = (panels, marks)
    }

    private static let left = 84.0
    private static let right = 860.0
    private static let top = 62.0
    private static let rowHeight = 18.0
    private static let panelHeight = 132.0
    private static let panelDistance = 174.0
    /// A series has at most one point for each column.
    private static let columns = 388.0
    private static let colours = ["#2f81f7", "#c9750b", "#c64fb0", "#e5534b"]

    /// The whole file.
    package var text: String {
        let panelsTop = Self.top + Double(marks.count) * Self.rowHeight + 34
        let height = panelsTop + Double(panels.count) * Self.panelDistance + 22
        var out = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 960 \(decimal(height))" width="960" \
            height="\(decimal(height))" role="img" aria-label="\(escaped(title))">
            <style>
            text { font: 11px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #57606a }
            line { stroke: #808890; stroke-opacity: 0.4 }
            path { fill: none; stroke-width: 1.4; stroke-linejoin: round }
            .title { font-size: 16px; font-weight: 600 }
            .ground { fill: #ffffff }
            @media (prefers-color-scheme: dark) { text { fill: #adbac7 } .ground { fill: #0d1117 } }
            </style>
            <rect class="ground" width="960" height="\(decimal(height))"/>

            """
        out += label(title, x: Self.left, y: 26, #"class="title""#)
        out += label(subtitle, x: Self.left, y: 45)
        for (row, mark) in marks.enumerated() {
            let y = Self.top + Double(row) * Self.rowHeight
            out += label(mark.name, x: Self.left - 8, y: y + 10, #"text-anchor="end""#)
            out += label("\(mark.times.count)", x: Self.right + 8, y: y + 10)
            for time in mark.times { out += line(x(time), y + 2, x(time), y + 11) }
        }
        for (index, panel) in panels.enumerated() {
            out += draw(panel, at: panelsTop + Double(index) * Self.panelDistance)
        }
        return out + "</svg>\n"
    }

    private func draw(_ panel: Panel, at top: Double) -> String {
        let bottom = top + Self.panelHeight
        let series = panel.series.map { thinned($0) }
        let axis = ValueAxis(panel, values: series.flatMap { $0.map(\.value) })
        func y(_ share: Double) -> Double { bottom - share * Self.panelHeight }

        var out = label(panel.title, x: Self.left, y: top - 8)
        for tick in axis.ticks {
            out += line(Self.left, y(tick.share), Self.right, y(tick.share))
            out += label(tick.label, x: Self.left - 8, y: y(tick.share) + 4, #"text-anchor="end""#)
        }
        let unit = duration < 240 ? ("s", 1.0) : duration < 14_400 ? ("min", 60.0) : ("h", 3_600.0)
        let step = [1.0, 2, 5, 10, 15, 20, 30, 60].first { duration / unit.1 / $0 <= 13 } ?? 120
        for time in stride(from: 0, through: duration / unit.1, by: step) {
            let text = "\(decimal(time)) \(unit.0)"
            out += line(x(time * unit.1), bottom, x(time * unit.1), bottom + 4)
            out += label(text, x: x(time * unit.1), y: bottom + 17, #"text-anchor="middle""#)
        }
        for (index, points) in series.enumerated() {
            let colour = Self.colours[index % Self.colours.count]
            let path = path(points.map { ($0.time, y(axis.share(of: $0.value))) })
            out += "<path stroke=\"\(colour)\" d=\"\(path)\"/>\n"
            let name = panel.series[index].name
            out += label(name, x: Self.right + 8, y: top + 12 * Double(index + 1), "style=\"fill: \(colour)\"")
        }
        return out
    }

    private func x(_ time: Double) -> Double {
        Self.left + min(max(time / duration, 0), 1) * (Self.right - Self.left)
    }

    /// One point for each column.
    private func thinned(_ series: Series) -> [(time: Double, value: Double)] {
        let columns = Dictionary(grouping: series.points) { Int($0.time / duration * Self.columns) }
        return columns.sorted { $0.key < $1.key }.map { _, points in
            let values = points.map(\.value).sorted()
            return (points[0].time, values[series.isPeak ? values.count - 1 : values.count / 2])
        }
    }

    /// A line that is interrupted where values are missing, for example while a store is reopened.
    private func path(_ points: [(time: Double, y: Double)]) -> String {
        let gap = max(3, duration / Self.columns * 2.5)
        var text = ""
        var last = -Double.infinity
        for point in points {
            text += "\(point.time - last > gap ? "M" : "L")\(decimal(x(point.time))) \(decimal(point.y))"
            last = point.time
        }
        return text
    }

    private func label(_ text: String, x: Double, y: Double, _ attribute: String = "") -> String {
        "<text x=\"\(decimal(x))\" y=\"\(decimal(y))\" \(attribute)>\(escaped(text))</text>\n"
    }

    private func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
        "<line x1=\"\(decimal(x1))\" y1=\"\(decimal(y1))\" x2=\"\(decimal(x2))\" y2=\"\(decimal(y2))\"/>\n"
    }

    private func escaped(_ text: String) -> String {
        String(text.flatMap { ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"][$0] ?? String($0) })
    }
}

/// The value axis of a panel.
private struct ValueAxis {
    let isLogarithmic: Bool
    private let lower: Double
    private let upper: Double
    /// The height of each tick from 0 to 1, and its label.
    private(set) var ticks: [(share: Double, label: String)] = []

    /// A linear axis begins at 0. A logarithmic axis goes from one power of ten to another.
    init(_ panel: TimelineSVG.Panel, values: [Double]) {
        isLogarithmic = panel.isLogarithmic
        let all = values + (panel.range.map { [$0.lowerBound, $0.upperBound] } ?? [])
        let (least, most) = (all.min() ?? 1, all.max() ?? 1)
        if isLogarithmic {
            lower = log10(max(least, 1e-9)).rounded(.down)
            upper = max(lower + 1, log10(max(most, 1e-9)).rounded(.up))
            for power in Int(lower)...Int(upper) {
                ticks.append(((Double(power) - lower) / (upper - lower), Self.duration(power)))
            }
        } else {
            let steps = [1.0, 10, 100, 1_000, 10_000].flatMap { [$0, 2 * $0, 5 * $0] }
            let step = steps.first { most / $0 <= 5 } ?? most
            lower = 0
            upper = max(step, (most / step).rounded(.up) * step)
            for value in stride(from: 0, through: upper, by: step) {
                ticks.append((value / upper, "\(decimal(value)) \(panel.unit)"))
            }
        }
    }

    /// The height of a value, from 0 to 1.
    func share(of value: Double) -> Double {
        let position = isLogarithmic ? log10(max(value, 1e-9)) : value
        return min(max((position - lower) / (upper - lower), 0), 1)
    }

    /// "100 µs" for -4.
    private static func duration(_ power: Int) -> String {
        let (unit, base) = power < -6 ? ("ns", -9) : power < -3 ? ("µs", -6) : power < 0 ? ("ms", -3) : ("s", 0)
        return "1" + String(repeating: "0", count: power - base) + " " + unit
    }
}

/// "5" or "2.5": at most one decimal.
private func decimal(_ value: Double) -> String {
    let rounded = (value * 10).rounded() / 10
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
}
