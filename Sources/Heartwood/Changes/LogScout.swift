internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Finds out how far the log of a store goes that another process may be writing. Reads each commit once.
struct LogScout {
    let log: LogDirectory
    /// The newest segment that was found. Everything before it is on the disk, because it exists.
    private var newest: ChangeSegment?
    private var commit = ScannedCommit()
    /// The sequence number up to which the files have whole commits.
    private(set) var written: SequenceNumber = 0
    /// The same, for what is proven to be on the disk.
    private var durable: SequenceNumber = 0
    /// Commits that aren't proven yet, oldest first: the end of each, and its last sequence number.
    private var unproven: [(end: UInt64, last: SequenceNumber)] = []

    private static var attempts: Int { 50 }

    init(_ log: LogDirectory) { self.log = log }

    /// How far the log goes now. O(bytes written since the last call); the first time, O(bytes of the newest segment).
    ///
    /// - Throws: `.corruption` if something that was durable is damaged; `.inputOutput`, `.unsupportedFormat`,
    ///   `.positionUnavailable`.
    mutating func look(_ level: ChangeLevel) throws(StoreError) -> SequenceNumber {
        try findNewest()
        try readOn()
        return level == .durable ? durable : written
    }

    private mutating func findNewest() throws(StoreError) {
        for _ in 0..<Self.attempts {
            guard let name = try log.segments().last, name != newest?.header.firstSequence else { return }
            guard let opened = try log.open(name) else { continue }
            newest = opened
            // The number before the first one was given, or skipped by the opening that began the segment.
            (written, durable, unproven) = (name - 1, name - 1, [])
            return
        }
    }

    private mutating func readOn() throws(StoreError) {
        guard newest != nil else { return }
        try newest!.refresh()
        while true {
            switch try newest!.next(into: &commit) {
            case .commit:
                // Of a very large commit all is verified before its first part is returned.
                written = max(written, newest!.scanner.nextSequence - 1)
                unproven.append((newest!.scanner.position, written))
                noteProven()
            case .stop(let stop):
                if case .damage(.unsupported) = stop.reason { throw newest!.damage(stop) }
                if try newest!.isDamaged(at: stop) { try confirm(stop) }
                return
            }
        }
    }

    private mutating func noteProven() {
        let proven = newest!.scanner.provenEnd
        guard let first = unproven.first, first.end <= proven else { return }
        let count = unproven.firstIndex { $0.end > proven } ?? unproven.count
        durable = max(durable, unproven[count - 1].last)
        unproven.removeFirst(count)
    }

    /// Throws if the commit at a stop is damaged: the proof may have been written after the commit was read.
    private mutating func confirm(_ stop: TailVerdict.Stop) throws(StoreError) {
        try newest!.refresh()
        if case .stop(let again) = try newest!.next(into: &commit), try newest!.isDamaged(at: again) {
            throw newest!.damage(again)
        }
    }
}
