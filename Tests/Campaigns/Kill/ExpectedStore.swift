internal import Heartwood
internal import HeartwoodFormat

/// What is wrong with a store after a crash.
struct KillFailure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
}

/// What must be in a store, given all that was acknowledged, and the judgement of what is.
struct ExpectedStore {
    /// What a key must have. Its bytes follow from the operation.
    struct Held {
        /// nil: a shared counter or the parent's own key, whose value is a number.
        var operation: WriterOperation?
        var number: UInt64 = 0
        /// nil: not known, because nobody was told.
        var sequence: SequenceNumber
    }

    /// What a round came to.
    struct Findings {
        var synced = 0
        var written = 0
        var buffered = 0
        var lostBuffered = 0
        /// Operations that were not acknowledged and are there all the same.
        var unacknowledged = 0
        var highestAcknowledged: SequenceNumber = 0
    }

    private(set) var held: [String: Held] = [:]
    /// The largest number that anybody was told or could read.
    private(set) var newestSeen: SequenceNumber = 0
    /// The numbers that writes have got and kept, ascending: those of a round have no gaps.
    private var numbers: [ClosedRange<SequenceNumber>] = []
    private var lastSequence: SequenceNumber = 0
    /// The last number that a snapshot file covers.
    private(set) var coveredSequence: SequenceNumber = 0

    static let parentKey = "parent"

    /// Judges what the child of a round has left, and takes it over as what must be there from now on.
    mutating func judge(
        _ acknowledgements: [Acknowledgement], of plan: RoundPlan, in store: Store
    ) throws -> Findings {
        let report = store.recoveryReport
        let recovered = report.lastSequence
        var findings = Findings()
        let entries = try readAll(store, upTo: recovered)
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
            // One more may have been under way.
            let next = plan.operation(writer: writer, number: list.count + 1)
            switch fate(of: next, in: entries) {
            case .absent: break
            case .removal(let key): silentRemovals.append(key)
            case .present(let sequence):
                let before = list.last?.sequence ?? newestSeen
                guard sequence > before else {
                    throw KillFailure(
                        "operation \(next.counter) of writer \(writer) has number \(sequence), "
                            + "and an earlier one \(before)"
                    )
                }
                applied.append((next, sequence))
                findings.unacknowledged += 1
            }
        }
        let added = try checkNumbers(
            report, found: acknowledged + UInt64(findings.unacknowledged), undecided: UInt64(silentRemovals.count))
        applied.sort { $0.sequence < $1.sequence }
        for (earlier, later) in zip(applied, applied.dropFirst()) where earlier.sequence == later.sequence {
            throw KillFailure("number \(later.sequence) was given to two writes")
        }
        for (operation, sequence) in applied { apply(operation, sequence) }
        for key in silentRemovals where entries[key] == nil { held[key] = nil }
        try compare(entries)
        newestSeen = max(newestSeen, findings.highestAcknowledged, recovered)
        if let added { numbers.append(added) }
        lastSequence = recovered
        try checkBatches(report)
        return findings
    }

    /// A further opening must show the same, and nothing else.
    mutating func judgeAgain(_ store: Store) throws {
        let report = store.recoveryReport
        guard report.lastSequence == lastSequence else {
            throw KillFailure("a further opening recovered number \(report.lastSequence), after \(lastSequence)")
        }
        try checkBatches(report)
        try compare(readAll(store, upTo: lastSequence))
    }

    /// The parent has put a number under its key, and waited until it was synced.
    mutating func parentWrote(_ number: UInt64, _ sequence: SequenceNumber) throws {
        guard sequence > newestSeen else {
            throw KillFailure("number \(sequence) was given again: \(newestSeen) had been seen")
        }
        held[Self.parentKey] = Held(operation: nil, number: number, sequence: sequence)
        (newestSeen, lastSequence) = (sequence, sequence)
        numbers.append(sequence...sequence)
    }

    // MARK: - Parts

    private func readAll(_ store: Store, upTo recovered: SequenceNumber) throws -> [String: Entry] {
        var entries: [String: Entry] = [:]
        try store.forEach { entry in
            let key = String(decoding: entry.key, as: UTF8.self)
            guard entry.sequence <= recovered else {
                throw KillFailure("\(key) has number \(entry.sequence), beyond the last one recovered, \(recovered)")
            }
            entries[key] = entry
            return .next
        }
        return entries
    }

    /// The acknowledgements by writer; every writer of the round is there.
    private func sort(
        _ acknowledgements: [Acknowledgement], of plan: RoundPlan, recovered: SequenceNumber, _ findings: inout Findings
    ) throws -> [Int: [Acknowledgement]] {
        var perWriter: [Int: [Acknowledgement]] = [:]
        for writer in 0..<plan.writers { perWriter[writer] = [] }
        for one in acknowledgements {
            let list = perWriter[one.writer]!
            guard one.number == list.count + 1 else {
                throw KillFailure("writer \(one.writer) skipped from operation \(list.count) to \(one.number)")
            }
            guard one.sequence > newestSeen else {
                throw KillFailure("number \(one.sequence) was given again: \(newestSeen) had been seen before")
            }
            guard one.sequence > list.last?.sequence ?? 0 else {
                throw KillFailure("writer \(one.writer) got number \(one.sequence) after \(list.last!.sequence)")
            }
            let durability = plan.operation(writer: one.writer, number: one.number).durability
            if one.sequence > recovered {
                guard durability == .buffered else {
                    throw KillFailure(
                        "a write acknowledged as \(durability), number \(one.sequence), is lost: "
                            + "only \(recovered) was recovered"
                    )
                }
                findings.lostBuffered += 1
            }
            switch durability {
            case .synced: findings.synced += 1
            case .written: findings.written += 1
            default: findings.buffered += 1
            }
            findings.highestAcknowledged = max(findings.highestAcknowledged, one.sequence)
            perWriter[one.writer]!.append(one)
        }
        return perWriter
    }

    private enum Fate {
        case absent
        case present(SequenceNumber)
        /// It leaves nothing from which to tell: it may have happened or not.
        case removal(String)
    }

    /// Whether an operation that nobody acknowledged happened: what its first key tells. That the others agree is found
    /// when all is compared.
    private func fate(of operation: WriterOperation, in entries: [String: Entry]) -> Fate {
        if case .remove(let key) = operation.kind { return .removal(key) }
        guard let (key, _) = operation.changes.first(where: { $0.value != nil }) else { return .absent }
        guard let entry = entries[key], number(in: entry.value) == operation.counter else { return .absent }
        return .present(entry.sequence)
    }

    /// The numbers of a round are dense, begin where they may, and are as many as there are batches.
    ///
    /// - Returns: The numbers; nil where nothing was kept.
    private func checkNumbers(
        _ report: RecoveryReport, found: UInt64, undecided: UInt64
    ) throws -> ClosedRange<SequenceNumber>? {
        let last = report.lastSequence
        guard last != lastSequence else {
            if found == 0 { return nil }
            throw KillFailure("nothing was recovered behind \(last), and \(found) operations are there")
        }
        // After a crash numbering goes on at the next multiple of 2^32.
        let epoch = FormatConstants.sequenceEpoch
        let first = last / epoch == (lastSequence + 1) / epoch ? lastSequence + 1 : last / epoch * epoch
        guard last > lastSequence, first > newestSeen else {
            throw KillFailure(
                "the round's numbers, \(first) to \(last), don't follow \(lastSequence) (seen: \(newestSeen))")
        }
        guard (found...(found + undecided)).contains(last - first + 1) else {
            throw KillFailure(
                "the numbers of this round are \(first) to \(last), and \(found) operations are known, with "
                    + "\(undecided) that can't be told"
            )
        }
        return first...last
    }

    /// Behind the snapshot the log has a batch for each number.
    private mutating func checkBatches(_ report: RecoveryReport) throws {
        guard report.passedOver.isEmpty else { throw KillFailure("snapshots are damaged: \(report.passedOver)") }
        let covered = report.snapshot?.sequence ?? 0
        guard (coveredSequence...max(coveredSequence, report.lastSequence)).contains(covered) else {
            throw KillFailure(
                "the snapshot covers \(covered), after one of \(coveredSequence); \(report.lastSequence) was recovered")
        }
        coveredSequence = covered
        let behind = numbers.reduce(0) { sum, range in
            range.upperBound <= covered ? sum : sum + range.upperBound - max(range.lowerBound, covered + 1) + 1
        }
        guard report.batches == behind else {
            throw KillFailure("\(report.batches) batches were recovered behind number \(covered), instead of \(behind)")
        }
    }

    private mutating func apply(_ operation: WriterOperation, _ sequence: SequenceNumber) {
        for (key, value) in operation.changes {
            held[key] = value == nil ? nil : Held(operation: operation, sequence: sequence)
        }
        if case .increment(let counter, _) = operation.kind {
            held[counter] = Held(operation: nil, number: (held[counter]?.number ?? 0) + 1, sequence: sequence)
        }
    }
}
