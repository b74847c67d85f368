internal import HeartwoodFormat

/// All results of a scan of a segment, with the verdict on its end, combined as in recovery.
struct Scan: Equatable {
    struct Commit: Equatable {
        var offset: UInt64
        var end: UInt64
        var header: CommitHeader
        var records: [Record]
    }

    struct Record: Equatable {
        var offset: UInt64
        var header: RecordHeader
        var key: [UInt8]
        var sequence: UInt64
    }

    private(set) var commits: [Commit] = []
    private(set) var stop = TailVerdict.Stop(offset: 0, reason: .end, damageOffset: 0)
    private(set) var verdict = TailVerdict.intact
    private(set) var proof: TailVerdict.Proof?
    private(set) var nextSequence: UInt64 = 0
    private(set) var provenEnd: UInt64 = 0
    private(set) var lastTime: UInt64 = 0
    private(set) var isClosed = false
    private(set) var limit: UInt64 = 0
    let recordedEnd: UInt64?
    let fileHeader: FileHeader

    init<Source: SegmentBytes>(
        _ source: Source, _ header: FileHeader, recordedEnd: UInt64?
    ) throws(Source.Failure) {
        fileHeader = header
        self.recordedEnd = recordedEnd
        var scanner = SegmentScanner(source: source, header: header, recordedEnd: recordedEnd)
        limit = scanner.limit
        try walk(&scanner)
        if let recordedEnd {
            proof = .successor(end: recordedEnd, lastSequence: scanner.nextSequence &- 1)
        } else if case .damage = stop.reason {
            proof = try scanner.proofOfDurability(beyond: stop.offset)
        }
        nextSequence = scanner.nextSequence
        isClosed = scanner.isClosed
        provenEnd = scanner.provenEnd
        lastTime = scanner.lastTime
        verdict = TailVerdict.decide(stop: stop, isClosed: isClosed, proof: proof)
    }

    private mutating func walk<Source: SegmentBytes>(_ scanner: inout SegmentScanner<Source>) throws(Source.Failure) {
        var found = ScannedCommit()
        while true {
            let before = scanner.position
            switch try scanner.next(into: &found) {
            case .stop(let stop):
                require(scanner.position == before && stop.offset == before, "a stop that changed the position")
                self.stop = stop
                return
            case .commit:
                require(
                    scanner.position >= before + 48 && scanner.position <= scanner.limit,
                    "from \(before) to \(scanner.position) of \(scanner.limit)")
                commits.append(Commit(found))
            }
        }
    }
}

extension Scan.Commit {
    init(_ found: ScannedCommit) {
        self.init(
            offset: found.offset, end: found.end, header: found.header,
            records: found.records.map { record in
                Scan.Record(
                    offset: record.offset, header: record.header,
                    key: Array(found.keys[record.keyStart..<(record.keyStart + Int(record.header.keyLength))]),
                    sequence: record.sequence)
            })
    }
}

// MARK: - What must hold

extension Scan {
    /// Checks all results against the bytes, without the decoder.
    func check(against bytes: [UInt8]) {
        require(limit == min(UInt64(bytes.count), recordedEnd ?? .max), "the limit is \(limit)")
        var position: UInt64 = 4096
        var next = fileHeader.firstSequence
        for commit in commits {
            let header = commit.header
            require(header.firstSequence == next, "numbers are not dense")
            if commit.offset != position {
                require(
                    header.flags.contains(.mark) && commit.offset == (position + 4095) / 4096 * 4096
                        && bytes.isZero(Int(position)..<Int(commit.offset)), "a commit after something that is no gap")
            }
            require(header.syncedMark <= commit.offset, "a synced mark after its commit")
            require(UInt64(commit.records.count) == UInt64(header.recordCount), "a wrong number of records")
            require(commit.end == commit.offset + 48 + header.bodyLength, "a commit of another length")
            let raw = Array(bytes[Int(commit.offset)..<Int(commit.offset + 48)])
            let problem = CommitHeaderTarget.expected(raw, fileHeader.salt, commit.offset, false)
            require(problem == nil, "\(problem!), but it was accepted")
            check(commit.records, from: commit.offset + 48, to: commit.end, &next, bytes)
            position = commit.end
        }
        require(stop.offset == position && stop.damageOffset >= position, "stopped at \(stop), not \(position)")
        require(nextSequence == next, "the next number is \(nextSequence), not \(next)")
        require(provenEnd <= max(position, 4096), "more is proven than was read")
        require(isClosed == commits.last?.header.flags.contains(.closing) ?? false, "isClosed is \(isClosed)")
        require(lastTime == commits.map(\.header.time).max() ?? 0, "the time is \(lastTime)")
        if recordedEnd == nil { checkVerdict(bytes) }
    }

    private func check(
        _ records: [Record], from start: UInt64, to end: UInt64, _ next: inout UInt64, _ bytes: [UInt8]
    ) {
        var at = start
        // Only logs of version 3 mark the records of a batch.
        let marksBatches = bytes[8] == 3
        var isContinuation = false
        for (index, record) in records.enumerated() {
            require(record.offset == at, "records are not adjacent")
            require(record.sequence == next, "a record with the number \(record.sequence), not \(next)")
            require(record.sequence == fileHeader.firstSequence &+ record.header.sequenceDistance, "another distance")
            at += UInt64(record.header.encodedLength)
            require(at <= end, "a record beyond its commit")
            let start = Int(record.offset)
            let header = Array(bytes[start..<(start + 32)])
            let problem = RecordHeaderTarget.expected(
                header, fileHeader.salt, record.offset, marksBatches: marksBatches)
            require(problem == nil, "\(problem!), but it was accepted")
            let payload = bytes.checksum((start + 32)..<Int(at), salt: fileHeader.salt, offset: record.offset)
            require(UInt64(payload) == header.number(at: 24, bytes: 4), "a payload that doesn't verify")
            require(
                record.key.elementsEqual(bytes[(start + 32)..<(start + 32 + Int(record.header.keyLength))]),
                "another key")
            let continues = record.header.flags.contains(.batchContinues)
            require(!continues || index < records.count - 1, "a batch without an end")
            require(!marksBatches || (header[1] & 4 != 0) == isContinuation, "records that disagree on their batch")
            isContinuation = continues
            if !continues { next &+= 1 }
        }
        require(at == end, "records end at \(at), the commit at \(end)")
    }

    /// Checks the verdict without a successor against the table in the file format.
    private func checkVerdict(_ bytes: [UInt8]) {
        let isZero = bytes.isZero(Int(stop.offset)..<bytes.count)
        switch stop.reason {
        case .end: require(stop.offset == limit, "an end that is no end")
        case .zeros: require(stop.offset < limit && isZero, "zeros that are not zero")
        case .damage: require(stop.offset < limit && !isZero, "damage in zeros")
        }
        let proof = laterMark(bytes)
        if case .damage = stop.reason, proof != nil {
            require(verdict == .corrupt(proof!), "\(verdict), not \(proof!)")
        } else if case .damage = stop.reason {
            require(verdict == .torn, "\(verdict) without a proof")
        } else {
            require(proof == nil && verdict == (isClosed ? .clean : .unclosed), "\(verdict) at \(stop)")
        }
    }

    private func laterMark(_ bytes: [UInt8]) -> TailVerdict.Proof? {
        var at = (Int(stop.offset) + 8) / 8 * 8
        while at + 48 <= bytes.count {
            defer { at += 8 }
            guard SegmentLayout.isCommit(bytes, at) else { continue }
            let raw = Array(bytes[at..<(at + 48)])
            guard CommitHeaderTarget.expected(raw, fileHeader.salt, UInt64(at), true) == nil else { continue }
            let mark = raw.number(at: 24, bytes: 8)
            if mark > stop.offset {
                return .laterMark(offset: UInt64(at), mark: mark, sequence: raw.number(at: 16, bytes: 8))
            }
        }
        return nil
    }
}
