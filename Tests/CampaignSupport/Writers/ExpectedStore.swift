package import Heartwood
internal import HeartwoodFormat

/// The expected contents of a store, from all acknowledgements, and the check of the actual contents.
package struct ExpectedStore {
    private(set) var contents = ExpectedContents()
    /// The largest sequence number that was acknowledged or could be read.
    private(set) var newestSeen: SequenceNumber = 0
    /// The sequence numbers of the writes that survived, ascending: those of a round have no gaps.
    private var numbers: [ClosedRange<SequenceNumber>] = []
    private var lastSequence: SequenceNumber = 0
    /// The last sequence number that the snapshot file covers.
    package private(set) var coveredSequence: SequenceNumber = 0

    package static let parentKey = "parent"

    package init() {}

    /// Checks what the writers of a round have left; from now on that is the expected contents.
    ///
    /// - Parameter clock: That of the store, if some of its values expire soon.
    package mutating func judge(
        _ acknowledgements: [Acknowledgement], of plan: WriterPlan, in store: Store,
        clock: (any StoreClock)? = nil
    ) throws -> Tally {
        let report = store.recoveryReport
        let recovered = report.lastSequence
        var findings = Tally()
        let begin = clock?.now().milliseconds ?? 0
        let entries = try readAll(store, upTo: recovered)
        let times = begin...(clock?.now().milliseconds ?? 0)
        let perWriter = try sort(acknowledgements, of: plan, recovered: recovered, &findings)
        var applied: [(operation: WriterOperation, sequence: SequenceNumber)] = []
        var acknowledged: UInt64 = 0
        var silentRemovals: [String] = []
        for writer in perWriter.keys.sorted() {
            let list = perWriter[writer]!
            let kept = list.filter { $0.sequence <= recovered }
            applied += kept.map { (plan.operation(writer: writer, number: $0.number), $0.sequence) }
            acknowledged += UInt64(kept.count)
            guard kept.count == list.count else { continue }
            // One more operation may have been in progress.
            let next = plan.operation(writer: writer, number: list.count + 1)
            switch fate(of: next, in: entries) {
            case .absent: break
            case .removal(let key): silentRemovals.append(key)
            case .present(let sequence):
                let before = list.last?.sequence ?? newestSeen
                try expect(
                    sequence > before,
                    "operation \(next.counter) of writer \(writer) has number \(sequence), "
                        + "and an earlier one \(before)")
                applied.append((next, sequence))
                findings.unacknowledged += 1
            }
        }
        let added = try checkNumbers(
            report, found: acknowledged + UInt64(findings.unacknowledged), undecided: UInt64(silentRemovals.count))
        applied.sort { $0.sequence < $1.sequence }
        for (earlier, later) in zip(applied, applied.dropFirst()) where earlier.sequence == later.sequence {
            throw Violation("number \(later.sequence) was given to two writes")
        }
        for (operation, sequence) in applied { contents.apply(operation, sequence) }
        for key in silentRemovals where entries[key] == nil { contents[key] = nil }
        try contents.compare(entries, at: times)
        newestSeen = max(newestSeen, acknowledgements.map(\.sequence).max() ?? 0, recovered)
        if let added { numbers.append(added) }
        lastSequence = recovered
        try checkBatches(report)
        return findings
    }

    /// Another opening must show exactly the same.
    package mutating func judgeAgain(_ store: Store) throws {
        let report = store.recoveryReport
        try expect(
            report.lastSequence == lastSequence,
            "another opening recovered number \(report.lastSequence), after \(lastSequence)")
        try checkBatches(report)
        try contents.compare(readAll(store, upTo: lastSequence))
    }

    /// Notes that the parent has put a number under its key, and that it was synced.
    package mutating func parentWrote(_ number: UInt64, _ sequence: SequenceNumber) throws {
        try expect(sequence > newestSeen, "number \(sequence) was given again: \(newestSeen) had been seen before")
        contents[Self.parentKey] = .init(operation: nil, number: number, sequence: sequence)
        (newestSeen, lastSequence) = (sequence, sequence)
        numbers.append(sequence...sequence)
    }

    // MARK: - Parts

    private func readAll(_ store: Store, upTo recovered: SequenceNumber) throws -> [String: Entry] {
        let entries = try ExpectedContents.read(store.scan())
        for (key, entry) in entries {
            try expect(
                entry.sequence <= recovered,
                "\(key) has number \(entry.sequence), beyond the last one recovered, \(recovered)")
        }
        return entries
    }

    /// The acknowledgements by writer, with an entry for every writer of the round.
    private func sort(
        _ acknowledgements: [Acknowledgement], of plan: WriterPlan, recovered: SequenceNumber, _ findings: inout Tally
    ) throws -> [Int: [Acknowledgement]] {
        var perWriter: [Int: [Acknowledgement]] = [:]
        for writer in 0..<plan.writers { perWriter[writer] = [] }
        for one in acknowledgements {
            let list = perWriter[one.writer]!
            try expect(
                one.number == list.count + 1,
                "writer \(one.writer) skipped from operation \(list.count) to \(one.number)")
            try expect(
                one.sequence > newestSeen, "number \(one.sequence) was given again: \(newestSeen) had been seen before")
            try expect(
                one.sequence > list.last?.sequence ?? 0,
                "writer \(one.writer) got number \(one.sequence) after \(list.last!.sequence)")
            let durability = plan.operation(writer: one.writer, number: one.number).durability
            if one.sequence > recovered {
                try expect(
                    durability == .buffered,
                    "a write acknowledged as \(durability), number \(one.sequence), is lost: "
                        + "only \(recovered) was recovered")
                findings.lostBuffered += 1
            }
            switch durability {
            case .synced: findings.synced += 1
            case .written: findings.written += 1
            default: findings.buffered += 1
            }
            perWriter[one.writer]!.append(one)
        }
        return perWriter
    }

    private enum Fate {
        case absent
        case present(SequenceNumber)
        /// Undecided: it leaves no trace that it happened.
        case removal(String)
    }

    /// Whether an operation that was not acknowledged happened, by its first key. `compare` checks the other keys.
    private func fate(of operation: WriterOperation, in entries: [String: Entry]) -> Fate {
        if case .remove(let key) = operation.kind { return .removal(key) }
        guard let (key, _) = operation.changes.first(where: { $0.value != nil }) else { return .absent }
        guard let entry = entries[key], littleEndianNumber(in: entry.value) == operation.counter else { return .absent }
        return .present(entry.sequence)
    }

    /// Checks that the sequence numbers of a round are dense, begin where they may, and are as many as the batches.
    ///
    /// - Returns: The numbers; nil if no write survived.
    private func checkNumbers(
        _ report: RecoveryReport, found: UInt64, undecided: UInt64
    ) throws -> ClosedRange<SequenceNumber>? {
        let last = report.lastSequence
        guard last != lastSequence else {
            if found == 0 { return nil }
            throw Violation("nothing was recovered after \(last), but \(found) operations are there")
        }
        // After a crash, numbering continues at the next multiple of 2^32.
        let epoch = FormatConstants.sequenceEpoch
        let first = last / epoch == (lastSequence + 1) / epoch ? lastSequence + 1 : last / epoch * epoch
        try expect(
            last > lastSequence && first > newestSeen,
            "the round's numbers, \(first) to \(last), don't follow \(lastSequence) (seen: \(newestSeen))")
        try expect(
            (found...(found + undecided)).contains(last - first + 1),
            "the numbers of this round are \(first) to \(last), and \(found) operations are known, with "
                + "\(undecided) undecided")
        return first...last
    }

    /// Checks that the log has a batch for each sequence number after the snapshot.
    private mutating func checkBatches(_ report: RecoveryReport) throws {
        guard report.skippedFiles.isEmpty else { throw Violation("snapshots are damaged: \(report.skippedFiles)") }
        let covered = report.snapshot?.sequence ?? 0
        try expect(
            (coveredSequence...max(coveredSequence, report.lastSequence)).contains(covered),
            "the snapshot covers \(covered), after one of \(coveredSequence); \(report.lastSequence) was recovered")
        coveredSequence = covered
        let following = numbers.reduce(0) { sum, range in
            range.upperBound <= covered ? sum : sum + range.upperBound - max(range.lowerBound, covered + 1) + 1
        }
        try expect(
            report.batches == following,
            "\(report.batches) batches were recovered after number \(covered), instead of \(following)")
    }
}
