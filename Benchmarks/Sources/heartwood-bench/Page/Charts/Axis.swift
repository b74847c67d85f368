/// One side of a chart: a scale with its marks.
struct Axis: Sendable {
    let title: String
    let scale: Scale
    let marks: [Mark]

    /// A value that is written beside the axis.
    struct Mark: Sendable {
        let value: Double
        let text: String
    }

    /// - Parameter values: What is marked; by default round numbers.
    init(_ title: String, _ scale: Scale, at values: [Double]? = nil, text: (Double) -> String) {
        self.title = title
        self.scale = scale
        marks = (values ?? scale.ticks(about: 6)).map { Mark(value: $0, text: text($0)) }
    }

    /// The marks whose texts stay clear of each other along so many pixels.
    func clear(along length: Double) -> [Mark] {
        var result: [Mark] = []
        var end = -Double.infinity
        for mark in marks.sorted(by: { $0.value < $1.value }) {
            let half = TextWidth.of(mark.text, size: 11.5) / 2
            let middle = scale.position(mark.value) * length
            guard middle - half >= end + 4 else { continue }
            result.append(mark)
            end = middle + half
        }
        return result
    }
}
