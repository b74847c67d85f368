/// Which sequence numbers batches were given, as far as the headers of log segments tell.
///
/// Numbers are dense within an epoch, the 2^32 numbers from one multiple of 2^32 to the next: an epoch's numbers are given
/// from its first one on, up to some last one. An opening after a crash goes on at the next epoch. The header of its first
/// segment records where the log before it ended, so that the numbers between are known to have been skipped.
package struct GivenNumbers: Sendable {
    /// Numbers that were given and are not there.
    package struct Lost: Sendable, Hashable {
        package var numbers: ClosedRange<UInt64>
        /// Whether each of the numbers was given. Otherwise those from the first one on were, up to an unknown last one,
        /// and perhaps none.
        package var isExact: Bool

        package init(_ numbers: ClosedRange<UInt64>, isExact: Bool) {
            self.numbers = numbers
            self.isExact = isExact
        }
    }

    /// Skipped numbers, in order.
    private var skipped: [ClosedRange<UInt64>] = []

    /// - Parameter headers: Of log segments of one history, in any order. O(n log n).
    package init(_ headers: some Sequence<FileHeader>) {
        for header in headers where header.kind == .log && header.firstSequence > 0 {
            // The store's first segment may begin anywhere after a repair.
            let last = header.predecessor?.lastSequence ?? 0
            guard last < header.firstSequence - 1 else { continue }
            skipped.append(last + 1...header.firstSequence - 1)
        }
        skipped.sort { $0.lowerBound < $1.lowerBound }
    }

    /// Those of the missing numbers that were given, or may have been. O(headers).
    ///
    /// - Parameter missing: Its last number was given, or is the last one of an epoch.
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

    /// The numbers between what is there and what was: nil where there are none.
    ///
    /// A last number just before an epoch is of no batch: the segment that it stands for held nothing.
    package static func lost(from first: UInt64, through last: UInt64) -> ClosedRange<UInt64>? {
        last >= first && !endsEpoch(last) ? first...last : nil
    }

    private static func endsEpoch(_ number: UInt64) -> Bool {
        number % FormatConstants.sequenceEpoch == FormatConstants.sequenceEpoch - 1
    }

    /// Dense numbers before a known one, and what came before their epoch.
    ///
    /// The last number of an epoch is taken for skipped: a predecessor that held nothing is recorded by it.
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
