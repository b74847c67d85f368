package import HeartwoodFormat

extension FormatConstants {
    /// The numbers that the batches of a store can come to, with room behind them for what numbering jumps at openings
    /// and at a repair.
    ///
    /// Files tell of any number of 64 bits, under checksums that hold, where somebody has made them so; behind those that
    /// are greater no opening goes on. What has such a number was written by no store, and as it is taken for nothing that
    /// was found, no sum of numbers overflows.
    package static let possibleSequences: Range<UInt64> = 1..<(sequences.upperBound - 4 * sequenceEpoch)
}
