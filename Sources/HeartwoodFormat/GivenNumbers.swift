/// The sequence numbers that batches got, as far as the headers of log segments show.
///
/// Numbers are dense within an epoch, the 2^32 numbers from one multiple of 2^32 to the next: an epoch's numbers are
/// used from its first to some last one. An opening after a crash continues at the next epoch. The header of its first
/// segment records where the previous log ended, so the numbers in between are known to be skipped.
package struct GivenNumbers: Sendable {
    /// Numbers that were used but are missing.
    package struct Lost: Sendable, Hashable {
        package var numbers: ClosedRange<UInt64>
        /// Whether every one of the numbers was used. Otherwise those from the first to an unknown last one were,
        /// perhaps none.
        package var isExact: Bool

        package init(_ numbers: ClosedRange<UInt64>, isExact: Bool) {
            self.numbers = numbers
            self.isExact = isExact
        }
    }

    /// Skipped numbers, in order.
    private var skipped: [ClosedRange<UInt64>] = []

    /// - Parameter headers: Headers of log segments of one history, in any order. O(n log n).
    package init(_ headers: some Sequence<FileHeader>) {
        for header in headers where header.kind == .log && header.firstSequence > 0 {
            // After a repair, the store's first segment may begin at any number.
            let last = header.predecessor?.lastSequence ?? 0
            guard last < header.firstSequence - 1 else { continue }
            skipped.append(last + 1...header.firstSequence - 1)
        }
        skipped.sort { $0.lowerBound < $1.lowerBound }
    }

    /// The missing numbers that were used, or may have been. O(headers).
    ///
    /// - Parameter missing: Its last number was used, or is the last one of an epoch.
    package func lost(in missing: ClosedRange<UInt64>) -> [Lost] {
        var parts: [ClosedRange<UInt64>] = []
        var next = missing.lowerBound
        for range in skipped where range.upperBound >= next {
            guard range.lowerBound <= missing.upperBound else { break }
            if range.lowerBound > next { parts.append(next...range.lowerBound - 1) }
            guard range.upperBound < missing.upperBound else { return parts.flatMap(Self.split) }
            next = range.upperBound + 1
        }
        return (parts + [next...missing.upperBound]).flatMap(Self.split)
    }

    /// The numbers that were used but are missing; nil if there are none.
    ///
    /// The last number of an epoch belongs to no batch: a segment that it stands for contained nothing.
    package static func lost(from first: UInt64, through last: UInt64) -> ClosedRange<UInt64>? {
        last >= first && !endsEpoch(last) ? first...last : nil
    }

    private static func endsEpoch(_ number: UInt64) -> Bool {
        number % FormatConstants.sequenceEpoch == FormatConstants.sequenceEpoch - 1
    }

    /// Splits missing numbers into the dense ones before a known number, and those of earlier epochs.
    ///
    /// The last number of an epoch counts as skipped: it stands for a predecessor that contained nothing.
    private static func split(_ part: ClosedRange<UInt64>) -> [Lost] {
        let epoch = FormatConstants.sequenceEpoch
        guard !endsEpoch(part.upperBound) else { return [Lost(part, isExact: false)] }
        let start = part.upperBound / epoch * epoch
        guard part.lowerBound < start else { return [Lost(part, isExact: true)] }
        return [
            Lost(part.lowerBound...start - 1, isExact: false), Lost(start...part.upperBound, isExact: true),
        ]
    }
}
