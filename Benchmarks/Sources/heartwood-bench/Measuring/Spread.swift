/// The median of some values, and how far they spread.
struct Spread: Sendable, Equatable {
    var median: Double
    var minimum: Double
    var maximum: Double

    /// Nil where there are no values.
    init?(_ values: [Double]) {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        minimum = sorted[0]
        maximum = sorted[sorted.count - 1]
    }
}
