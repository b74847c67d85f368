internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// Walks over the commits of a log that may be being written, in order, from segment to segment.
///
/// It keeps the segment open that it reads; compaction may delete that.
struct CommitWalk {
    enum Step {
        /// A commit that has records, or the next part of a very large one, in `commit`. After other steps, `commit`
        /// has nothing that counts.
        case commit
        /// Numbers that a repair could not bring back.
        case lost(ClosedRange<SequenceNumber>)
        /// The files have no more.
        case end
    }

    let log: LogDirectory
    /// The first sequence number that is wanted. The first commit may have earlier ones.
    let start: SequenceNumber
    private(set) var commit = ScannedCommit()
    /// The segment of the commit.
    var segment: ChangeSegment?
    /// The segment after it, once it is found.
    private var following: ChangeSegment?
    /// The sequence number after the last batch that was returned whole.
    private var reached: SequenceNumber
    /// Lost numbers that are still to be returned.
    private var lost: ClosedRange<SequenceNumber>?

    /// How often a directory that changes while it is read is read again.
    private static var attempts: Int { 50 }

    init(_ log: LogDirectory, from start: SequenceNumber) { (self.log, self.start, reached) = (log, start, start) }

    /// The next step, for commits that begin with a number up to `limit`.
    ///
    /// - Throws: `.positionUnavailable` if the log that follows was removed; `.corruption`, `.inputOutput`,
    ///   `.unsupportedFormat`.
    mutating func next(upTo limit: SequenceNumber) throws(StoreError) -> Step {
        if segment == nil, try !openFirst() { return .end }
        if let step = takeLost() { return step }
        // The window may have bytes from before the commit was written.
        var isFresh = false
        while reached <= limit {
            switch try segment!.next(into: &commit) {
            case .commit:
                isFresh = false
                if commit.records.isEmpty { continue }
                reached = max(reached, commit.nextSequence)
                return .commit
            case .stop(let stop):
                if !isFresh {
                    try segment!.refresh()
                    isFresh = true
                } else if segment!.successor == nil {
                    if case .damage(.unsupported) = stop.reason { throw segment!.damage(stop) }
                    guard try findSuccessor() else {
                        if try segment!.isDamaged(at: stop) { throw segment!.damage(stop) }
                        return .end
                    }
                } else {
                    guard segment!.isAtRecordedEnd else { throw segment!.damage(stop) }
                    try moveOn()
                    if let step = takeLost() { return step }
                    isFresh = false
                }
            }
        }
        return .end
    }

    /// Gives back the memory of the last commit and of the segment's window.
    mutating func release() {
        commit = ScannedCommit()
        segment?.release()
    }

    /// Opens the segment that has the first wanted write. False if there is no log yet.
    private mutating func openFirst() throws(StoreError) -> Bool {
        for _ in 0..<Self.attempts {
            let names = try log.segments()
            guard let oldest = names.first else { return false }
            guard let opened = try log.open(names.last { $0 <= start } ?? oldest) else { continue }
            let first = opened.header.firstSequence
            if first > start {
                // Nothing is missing if the segments before it ended at the position.
                guard start == (opened.header.predecessor?.lastSequence ?? 0) + 1 else {
                    throw try log.unavailable(Self.removed)
                }
                noteLost(before: first)
            }
            reached = max(reached, first)
            segment = opened
            return true
        }
        throw try log.unavailable(Self.removed)
    }

    private static var removed: String { "the log after this position was removed, as a compaction does" }

    /// Looks for the segment after this one, and notes where this one ends if there is one.
    private mutating func findSuccessor() throws(StoreError) -> Bool {
        let header = segment!.header
        for _ in 0..<Self.attempts {
            guard let name = try log.segments().first(where: { $0 > header.firstSequence }) else { return false }
            guard let opened = try log.open(name) else { continue }
            guard let predecessor = opened.header.predecessor, predecessor.salt == header.salt else {
                throw try log.unavailable(Self.removed)
            }
            // Only a log that lost writes in a crash can end before what was read of it.
            guard predecessor.endOffset >= segment!.scanner.position else {
                throw try log.unavailable("writes that were read were lost in a crash")
            }
            try segment!.end(predecessor)
            following = opened
            return true
        }
        return false
    }

    /// Continues with the next segment.
    private mutating func moveOn() throws(StoreError) {
        let (last, first) = (segment!.successor!.lastSequence, following!.header.firstSequence)
        guard start <= last + 1 || start >= first else {
            throw try log.unavailable("the writes up to this position were lost in a crash")
        }
        reached = max(reached, last + 1)
        noteLost(before: first)
        segment = following
        following = nil
        reached = max(reached, first)
    }

    /// Notes the numbers before the first one of a segment. After a crash, numbering continues at the next epoch; any
    /// other gap is what a repair could not bring back.
    private mutating func noteLost(before first: SequenceNumber) {
        if reached < first, first % FormatConstants.sequenceEpoch != 0 { lost = reached...first - 1 }
    }

    private mutating func takeLost() -> Step? {
        defer { lost = nil }
        return lost.map { .lost($0) }
    }
}
