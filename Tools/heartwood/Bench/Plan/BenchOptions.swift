/// How much is measured.
struct BenchOptions: Sendable {
    static let secondsRange = 0.01...600.0
    static let recordRange = 1...100_000_000
    /// Limited, because a thousand tasks each hold a value.
    static let valueRange = 8...(256 << 10)

    /// For each figure.
    var seconds = 2.0
    /// Records of the figures that don't wait for the disk.
    var records = 200_000
    var valueBytes = 100

    /// What is wrong with the options, and what to do about it; nil if they are valid.
    var problem: String? {
        if !Self.secondsRange.contains(seconds) {
            return "'--seconds \(seconds)' is out of range: give 0.01 to 600"
        }
        if !Self.recordRange.contains(records) {
            return "'--records \(records)' is out of range: give 1 to 100000000"
        }
        if !Self.valueRange.contains(valueBytes) {
            return "'--value-size \(valueBytes)' is out of range: give 8 to 262144"
        }
        return nil
    }
}
