import Heartwood
import HeartwoodFormat

extension StoreHistory {
    /// A store with segments of several moments; nil: the segment is missing.
    func mix(_ versions: [Moment?], _ what: String) -> Misplacement {
        var image = FileImage()
        for (segment, moment) in versions.enumerated() {
            if let moment { image.files[names[segment]] = moment.image.files[names[segment]]! }
        }
        return Misplacement(what: what, image: image, expectation: expectation(of: versions))
    }

    /// All segments as of the end.
    var whole: [Moment?] { Array(repeating: final, count: Self.segmentCount) }

    /// What the rules of the format require for these segments, derived from the history alone.
    private func expectation(of versions: [Moment?]) -> Misplacement.Expectation {
        let present = versions.indices.filter { versions[$0] != nil }
        guard let first = present.first, let newest = present.last else { return .opens([:], .new) }
        if first > 0 {
            return .corruption(
                names[first], lost: lost(from: 1, through: predecessor(of: first).lastSequence),
                "missing before this one")
        }
        for (earlier, later) in zip(present, present.dropFirst()) where later != earlier + 1 {
            return .corruption(
                names[later],
                lost: lost(
                    from: next(after: earlier, at: versions[earlier]!),
                    through: predecessor(of: later).lastSequence),
                "\(names[earlier]) and this one")
        }
        for segment in present.dropLast() {
            let recorded = predecessor(of: segment + 1)
            let bytes = versions[segment]!.image.files[names[segment]]!.prefix(Int(recorded.endOffset))
            guard bytes != final.image.files[names[segment]]!.prefix(Int(recorded.endOffset)) else { continue }
            return .corruption(
                names[segment], offset: UInt64(versions[segment]!.image.end(of: names[segment])),
                lost: lost(
                    from: next(after: segment, at: versions[segment]!), through: recorded.lastSequence),
                "the next segment's header proves")
        }
        let moment = whole(of: newest, at: versions[newest]!)
        return .opens(states[moment.sequence]!, moment.tail)
    }

    /// The last moment, up to this one, at which a segment was the newest.
    private func whole(of segment: Int, at moment: Moment) -> Moment {
        newest(moment) == segment ? moment : lastMoment(of: segment)
    }

    /// The number after the last one in a segment.
    private func next(after segment: Int, at moment: Moment) -> SequenceNumber {
        let first = SequenceNumber(names[segment].prefix(16), radix: 16)!
        return max(first, whole(of: segment, at: moment).sequence + 1)
    }

    /// Each opening after a crash skips to a multiple of 2^32. The number just before it belongs to no write, and which
    /// of the numbers before it were given isn't known.
    private func lost(from first: SequenceNumber, through last: SequenceNumber) -> ClosedRange<SequenceNumber>? {
        first <= last && (last + 1) % (1 << 32) != 0 ? max(first, last & ~0xFFFF_FFFF)...last : nil
    }
}
