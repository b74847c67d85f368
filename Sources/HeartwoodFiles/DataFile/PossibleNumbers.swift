package import HeartwoodFormat

extension FormatConstants {
    /// The sequence numbers that a store can reach, minus some space for the jumps of openings and of a repair.
    ///
    /// A forged file may contain any 64-bit number under a valid checksum, and no opening continues after the greatest
    /// ones. A greater number was written by no store. Items that have one are ignored, so sums of numbers can't
    /// overflow.
    package static let possibleSequences: Range<UInt64> = 1..<(sequences.upperBound - 4 * sequenceEpoch)
}
