internal import Foundation

/// Where a value lies between the two ends of an axis.
struct Scale: Sendable {
    private let kind: Kind
    let lower: Double
    let upper: Double

    private enum Kind: Sendable { case linear, logarithmic, nines }

    private init(_ kind: Kind, _ lower: Double, _ upper: Double) {
        self.kind = kind
        self.lower = lower
        self.upper = upper
    }

    /// From 0 to a little more than the highest value.
    static func linear(to highest: Double) -> Scale {
        Scale(.linear, 0, highest.isFinite && highest > 0 ? highest * 1.04 : 1)
    }

    /// Just wide enough for these; those that aren't above 0 have no place on it.
    static func logarithmic(_ values: [Double], margin: Double = 1.15) -> Scale {
        let valid = values.filter { $0 > 0 && $0.isFinite }
        guard let lowest = valid.min(), let highest = valid.max() else { return Scale(.logarithmic, 1, 10) }
        guard highest > lowest else { return Scale(.logarithmic, lowest / 2, lowest * 2) }
        return Scale(.logarithmic, lowest / margin, highest * margin)
    }

    /// Of percentiles: as much room for 90 to 99 as for 99 to 99.9, up to that many nines.
    static func nines(_ count: Double) -> Scale { Scale(.nines, 0, min(max(count, 2), 7)) }

    var isLogarithmic: Bool { kind == .logarithmic }

    /// 0 at the lower end, 1 at the upper; what is beyond them is put at the end.
    func position(_ value: Double) -> Double {
        let place =
            switch kind {
            case .linear: (value - lower) / (upper - lower)
            case .logarithmic: value > 0 ? log(value / lower) / log(upper / lower) : 0
            case .nines: Self.nines(of: value) / upper
            }
        return place.isNaN ? 0 : min(max(place, 0), 1)
    }

    /// Round numbers on it, about that many at most.
    func ticks(about count: Int) -> [Double] {
        switch kind {
        case .linear: linearTicks(count)
        case .logarithmic: logarithmicTicks(count)
        case .nines: [50, 90, 99, 99.9, 99.99, 99.999, 99.9999, 99.99999].filter { Self.nines(of: $0) <= upper + 1e-9 }
        }
    }

    private func linearTicks(_ count: Int) -> [Double] {
        let rough = upper / Double(max(count, 2))
        let decade = pow(10, log10(rough).rounded(.down))
        let step = [1, 2, 5, 10].map { $0 * decade }.first { $0 >= rough * 0.999 } ?? rough
        return Array(stride(from: 0, through: upper, by: step))
    }

    private func logarithmicTicks(_ count: Int) -> [Double] {
        let decades =
            Int(log10(lower).rounded(.up))...max(Int(log10(lower).rounded(.up)), Int(log10(upper).rounded(.down)))
        let whole = decades.map { pow(10, Double($0)) }.filter { $0 >= lower * 0.999 && $0 <= upper * 1.001 }
        if whole.count > count {
            let every = (whole.count + count - 1) / count
            return whole.enumerated().filter { $0.offset % every == 0 }.map(\.element)
        }
        for steps in [[1.0, 2, 5], [1, 3]] {
            let finer = ((decades.lowerBound - 1)...decades.upperBound)
                .flatMap { decade in steps.map { $0 * pow(10, Double(decade)) } }
                .filter { $0 >= lower * 0.999 && $0 <= upper * 1.001 }
            if finer.count <= count, finer.count > whole.count { return finer }
        }
        return whole
    }

    private static func nines(of percentile: Double) -> Double {
        percentile < 100 ? -log10(1 - max(percentile, 0) / 100) : .infinity
    }
}
