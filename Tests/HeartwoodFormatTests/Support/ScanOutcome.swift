import HeartwoodFormat

/// Everything that a scan of a segment finds, with the verdict on its end, combined as recovery does it.
struct ScanOutcome {
    var commits: [ScannedCommit] = []
    var stop: TailVerdict.Stop
    var proof: TailVerdict.Proof?
    var verdict: TailVerdict
    var nextSequence: UInt64
    var isClosed: Bool
    var provenEnd: UInt64

    /// - Parameter keep: Whether the commits are kept.
    init(
        _ bytes: [UInt8], _ header: FileHeader, successor: (end: UInt64, lastSequence: UInt64)? = nil,
        keep: Bool = true
    ) {
        var scanner = SegmentScanner(source: MemoryBytes(bytes), header: header, recordedEnd: successor?.end)
        var commit = ScannedCommit()
        var reached: TailVerdict.Stop?
        while reached == nil {
            let before = scanner.position
            switch scanner.next(into: &commit) {
            case .commit:
                precondition(scanner.position > before && scanner.position <= scanner.limit, "no progress")
                if keep { commits.append(commit) }
            case .stop(let stop):
                reached = stop
            }
        }
        stop = reached!
        if let successor {
            proof = .successor(end: successor.end, lastSequence: successor.lastSequence)
        } else if case .damage = stop.reason {
            proof = scanner.proofOfDurability(beyond: stop.offset)
        }
        nextSequence = scanner.nextSequence
        isClosed = scanner.isClosed
        provenEnd = scanner.provenEnd
        verdict = TailVerdict.decide(stop: stop, isClosed: isClosed, proof: proof)
    }

    /// The records of all commits, as the test writer notes them.
    var records: [TestLog.Record] {
        commits.flatMap { commit in
            commit.records.map { record in
                TestLog.Record(
                    offset: Int(record.offset), end: Int(record.offset) + record.header.encodedLength,
                    key: Array(commit.keys[record.keyStart..<(record.keyStart + Int(record.header.keyLength))]),
                    kind: record.header.kind.rawValue, sequence: record.sequence, expiry: record.header.expiry)
            }
        }
    }

    var isCorrupt: Bool {
        if case .corrupt = verdict { true } else { false }
    }
}
