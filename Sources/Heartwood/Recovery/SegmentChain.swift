internal import HeartwoodFormat

/// What makes segments one log: each names its predecessor by salt, last number and end.
enum SegmentChain {
    /// Whether a segment can follow `previous`; nil: whether it can be the first.
    static func check(_ header: FileHeader, path: String, after previous: Segment?) throws(StoreError) {
        guard let previous else {
            if let predecessor = header.predecessor {
                throw .corruption(
                    "log segments are missing before this one: it follows another, which ends at number \(predecessor.lastSequence)",
                    file: path, offset: 0, lost: lost(through: predecessor.lastSequence, from: 1))
            }
            return
        }
        guard header.storeID == previous.header.storeID else {
            throw .corruption(
                "a log segment belongs to another store (\(header.storeID), not \(previous.header.storeID))",
                file: path, offset: 0)
        }
        guard let predecessor = header.predecessor else {
            throw .corruption(
                "a log segment says that it is the store's first, but \(previous.path) comes before it", file: path,
                offset: 0)
        }
        guard predecessor.salt == previous.header.salt else {
            throw .corruption(
                "a log segment is missing, or was replaced, between \(previous.path) and this one: it follows another, which ends at number \(predecessor.lastSequence)",
                file: path, offset: 0)
        }
        guard predecessor.lastSequence < header.firstSequence,
            predecessor.lastSequence &+ 1 >= previous.header.firstSequence
        else {
            throw .corruption("a log segment's numbers do not follow its predecessor's", file: path, offset: 0)
        }
    }

    /// Whether a segment that is whole up to the recorded end also holds the recorded numbers.
    static func endMatches(
        _ nextSequence: SequenceNumber, _ recorded: FileHeader.Predecessor, path: String, offset: UInt64
    ) -> Result<Void, StoreError> {
        guard nextSequence == recorded.lastSequence &+ 1 else {
            return .failure(
                .corruption(
                    "a log segment ends at number \(nextSequence &- 1), but its successor says \(recorded.lastSequence)",
                    file: path, offset: offset, lost: lost(through: recorded.lastSequence, from: nextSequence)))
        }
        return .success(())
    }

    private static func lost(through last: SequenceNumber, from first: SequenceNumber) -> ClosedRange<SequenceNumber>? {
        last >= first ? first...last : nil
    }
}
