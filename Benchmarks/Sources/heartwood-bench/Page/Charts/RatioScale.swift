/// The scale of bars in which Heartwood is 1, the same for all bars of a section.
///
/// Where the ratios span more than twenty times it is logarithmic: then bars begin at 1, and go to the right for more
/// and to the left for less, because such a scale has no 0 to begin at.
struct RatioScale: Sendable {
    static let widestLinearSpan = 20.0

    let scale: Scale

    init(_ comparisons: [Comparison]) {
        var ratios: [Double] = [1]
        var ends: [Double] = [1]
        for comparison in comparisons {
            guard let base = comparison.base?.figures.median, base > 0 else { continue }
            for entry in comparison.entries {
                ratios.append(entry.figures.median / base)
                ends += [entry.figures.lowest / base, entry.figures.highest / base]
            }
        }
        ratios = ratios.filter { $0.isFinite && $0 > 0 }
        let span = (ratios.max() ?? 1) / (ratios.min() ?? 1)
        if span > Self.widestLinearSpan {
            scale = .logarithmic(ratios + ends.filter { $0 > 0 }, margin: 1.25)
        } else {
            scale = .linear(to: (ratios + ends).filter(\.isFinite).max() ?? 1)
        }
    }

    var isLogarithmic: Bool { scale.isLogarithmic }

    /// In per cent of the width, with some room at both ends.
    func percent(_ ratio: Double) -> Double { 2 + scale.position(ratio) * 96 }

    /// A bar with its whiskers, as wide as its place.
    func bar(_ figures: RunFigures, base: Double, look: EngineLook, words: String) -> Markup {
        let place = percent(figures.median / base)
        let start = percent(isLogarithmic ? 1 : 0)
        let (from, to) = (min(start, place), max(start, place))
        let (low, high) = (percent(figures.lowest / base), percent(figures.highest / base))
        let rectangle: Markup =
            to - from < 0.7
            ? "<rect class=\"bar\" x=\"\(place - 0.35)%\" width=\"0.7%\" y=\"3\" height=\"12\"/>"
            : "<rect class=\"bar\" x=\"\(from)%\" width=\"\(to - from)%\" y=\"4\" height=\"10\"/>"
        var whiskers = Markup.empty
        if figures.count > 1, figures.highest > figures.lowest {
            whiskers = """
                <line class="whisker" x1="\(low)%" x2="\(high)%" y1="9" y2="9"/>\
                <line class="whisker" x1="\(low)%" x2="\(low)%" y1="5.5" y2="12.5"/>\
                <line class="whisker" x1="\(high)%" x2="\(high)%" y1="5.5" y2="12.5"/>
                """
        }
        return """
            <svg class="bars e \(look.className)" height="18" role="img" aria-label="\(words)"><title>\(words)</title>\
            <rect class="target" width="100%" height="18"/>\(rectangle)\
            <line class="one" x1="\(percent(1))%" x2="\(percent(1))%" y1="0" y2="18"/>\(whiskers)</svg>
            """
    }

    /// The numbers below the bars.
    var axis: Markup {
        // Few enough for the narrowest place.
        let axis = Axis("", scale, at: isLogarithmic ? scale.ticks(about: 5) : scale.ticks(about: 4)) { value in
            FigureText.round(value) + (value == 0 ? "" : "×")
        }
        return """
            <svg class="bars axis" height="20" aria-hidden="true">\(axis.clear(along: 150).map { mark -> Markup in
                let place = percent(mark.value)
                let anchor = place < 8 ? "start" : place > 90 ? "end" : "middle"
                return """
                    <line class="grid" x1="\(place)%" x2="\(place)%" y1="0" y2="4"/>\
                    <text class="tick" text-anchor="\(anchor)" x="\(place)%" y="16">\(mark.text)</text>
                    """
            })</svg>
            """
    }
}
