/// Lines over two axes. It is drawn twice, for wide and for narrow screens, and the style shows one of them: so that
/// texts are as large on a telephone as anywhere.
struct LineChart: Sendable {
    let title: String
    let x: Axis
    let y: Axis
    let lines: [Line]

    /// One engine's.
    struct Line: Sendable {
        let name: String
        let look: EngineLook
        let points: [Point]
        /// Whether each point is marked; otherwise only some are, to show the shape.
        var isMarkedEverywhere = true
        /// What is shown where somebody points at the line; its name where it is nil.
        var words: String?
    }

    /// A point, with the lowest and highest of what it is the median of.
    struct Point: Sendable {
        let x: Double
        let y: Double
        var lowest: Double?
        var highest: Double?
        /// What is shown where somebody points at it.
        var words = ""
    }

    /// The figure with both drawings and a legend.
    var figure: Markup {
        """
        <figure class="chart"><figcaption>\(title)</figcaption>
        \(drawing(.wide))\(drawing(.narrow))
        <ul class="legend narrow">\(lines.map(key))</ul>
        </figure>

        """
    }

    private func key(_ line: Line) -> Markup {
        "<li data-of=\"\(line.look.id)\">\(line.look.lineKey)\(PlainText.cut(line.name, to: 28))</li>"
    }

    private func drawing(_ size: Size) -> Markup {
        """
        <svg class="\(size.name)" viewBox="0 0 \(size.width) \(size.height)" role="img" aria-label="\(title)">
        \(grid(size))\(lines.map { line($0, size) })\(size.hasNames ? names(size) : .empty)
        </svg>

        """
    }

    private func grid(_ size: Size) -> Markup {
        var result: Markup = "<text class=\"axis\" x=\"2\" y=\"12\">\(y.title)</text>"
        for mark in x.clear(along: size.plotWidth) {
            let place = size.x(x.scale.position(mark.value))
            // The last one stays within the drawing.
            let middle = min(place, size.width - TextWidth.of(mark.text, size: 11.5) / 2)
            result += """
                <line class="grid" x1="\(place)" x2="\(place)" y1="\(size.top)" y2="\(size.bottom)"/>\
                <text class="tick" text-anchor="middle" x="\(middle)" y="\(size.bottom + 16)">\(mark.text)</text>
                """
        }
        for mark in y.marks {
            let place = size.y(y.scale.position(mark.value))
            result += """
                <line class="grid" x1="\(size.left)" x2="\(size.right)" y1="\(place)" y2="\(place)"/>\
                <text class="tick" text-anchor="end" x="\(size.left - 6)" y="\(place + 4)">\(mark.text)</text>
                """
        }
        let middle = (size.left + size.right) / 2
        result +=
            "<text class=\"axis\" text-anchor=\"middle\" x=\"\(middle)\" y=\"\(size.height - 4)\">\(x.title)</text>\n"
        return result
    }

    private func line(_ line: Line, _ size: Size) -> Markup {
        let places = line.points.map { (size.x(x.scale.position($0.x)), size.y(y.scale.position($0.y))) }
        var path: Markup = ""
        for (index, place) in places.enumerated() { path += "\(index == 0 ? "M" : "L")\(place.0) \(place.1)" }
        let title = line.words ?? line.name
        var result: Markup =
            "<g class=\"e \(line.look.className)\" data-of=\"\(line.look.id)\"><title>\(title)</title>"
        if line.points.count > 1 { result += "<path class=\"stroke\" d=\"\(path)\"\(line.look.dashes)/>" }
        let every = line.isMarkedEverywhere ? 1 : max(line.points.count / 4, 1)
        for (index, (point, place)) in zip(line.points, places).enumerated()
        where (index + 1) % every == 0 || index == line.points.count - 1 {
            let marker = line.look.marker.at("\(place.0)", "\(place.1)", radius: 4.2)
            guard !point.words.isEmpty else {
                result += marker
                continue
            }
            result += "<g><title>\(point.words)</title>"
            if let lowest = point.lowest, let highest = point.highest, lowest < highest {
                let (low, high) = (size.y(y.scale.position(lowest)), size.y(y.scale.position(highest)))
                result += "<path class=\"whisker\" d=\"M\(place.0) \(low)V\(high)\"/>"
            }
            result += "\(marker)<circle class=\"target\" cx=\"\(place.0)\" cy=\"\(place.1)\" r=\"9\"/></g>"
        }
        return "\(result)</g>\n"
    }

    /// The names at the ends of the lines, pushed apart where they would cover each other.
    private func names(_ size: Size) -> Markup {
        let step = 15.0
        var ends = lines.compactMap { line in
            line.points.last.map { last in
                (line, size.x(x.scale.position(last.x)), size.y(y.scale.position(last.y)))
            }
        }
        ends.sort { $0.2 < $1.2 }
        var places = ends.map(\.2)
        for index in places.indices.dropFirst() { places[index] = max(places[index], places[index - 1] + step) }
        // What went beyond the lower end pushes back upwards.
        var floor = size.bottom + 4
        for index in places.indices.reversed() {
            places[index] = min(places[index], floor)
            floor = places[index] - step
        }
        let room = size.width - size.right - 33
        return zip(ends, places).map { end, place -> Markup in
            let name = TextWidth.fitted(end.0.name, size: 12.5, width: room)
            return """
                <g data-of="\(end.0.look.id)">\
                <path class="leader" d="M\(end.1 + 6) \(end.2)L\(size.right + 14) \(place)"/>\
                <svg class="e \(end.0.look.className)" overflow="visible">\
                \(end.0.look.marker.at("\(size.right + 22)", "\(place)", radius: 4))</svg>\
                <text class="name" x="\(size.right + 31)" y="\(place + 4)">\(name)\
                <title>\(end.0.name)</title></text></g>
                """
        }.joined()
    }

    /// The measures of a drawing.
    private struct Size {
        let name: String
        let width: Double
        let height: Double
        let left: Double
        let right: Double
        let hasNames: Bool
        let top = 24.0
        var bottom: Double { height - 40 }
        var plotWidth: Double { right - left }

        static let wide = Size(name: "wide", width: 660, height: 370, left: 62, right: 470, hasNames: true)
        static let narrow = Size(name: "narrow", width: 340, height: 300, left: 62, right: 328, hasNames: false)

        func x(_ position: Double) -> Double { left + position * plotWidth }
        func y(_ position: Double) -> Double { bottom - position * (bottom - top) }
    }
}
