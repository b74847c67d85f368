/// The text format of Prometheus, version 0.0.4.
enum PrometheusText {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// All metrics of a registry.
    static func text(_ registry: MetricsRegistry) -> String {
        var text = ""
        for (name, family) in registry.current {
            text += "# TYPE \(name) \(family.kind.rawValue)\n"
            let series = family.series.map { (labels: render($0.key), reading: $0.value.reading) }
            for (labels, reading) in series.sorted(by: { $0.labels < $1.labels }) {
                append(name, labels, reading, to: &text)
            }
        }
        return text
    }

    private static func append(_ name: String, _ labels: String, _ reading: SeriesReading, to text: inout String) {
        func braces(_ labels: String) -> String { labels.isEmpty ? "" : "{\(labels)}" }
        switch reading {
        case .count(let count): text += "\(name)\(braces(labels)) \(count)\n"
        case .value(let value): text += "\(name)\(braces(labels)) \(number(value))\n"
        case .histogram(let histogram):
            var count: UInt64 = 0
            let bounds = histogram.bounds.map(number) + ["+Inf"]
            for (bound, inBucket) in zip(bounds, histogram.counts) {
                count += inBucket
                let le = (labels.isEmpty ? "" : labels + ",") + "le=\"\(bound)\""
                text += "\(name)_bucket{\(le)} \(count)\n"
            }
            text += "\(name)_sum\(braces(labels)) \(number(histogram.sum))\n"
            text += "\(name)_count\(braces(labels)) \(count)\n"
        }
    }

    private static func render(_ labels: Labels) -> String {
        labels.pairs.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",")
    }

    private static func escaped(_ value: String) -> String {
        var text = ""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
    }
}
