internal import HeartwoodConcurrency
internal import HeartwoodTesting
internal import Synchronization

/// One writer and some readers at the same time, on an index or a store. Everything that is read is checked.
///
/// The seed determines what is written and read, not the order between threads.
package final class ReadersRun: Sendable {
    package enum Target: String, Sendable, CaseIterable {
        case index, store
    }

    private let seed: UInt64
    private let readers: Int
    private let keyCount: Int
    private let total = Locked(Tally())

    package init(seed: UInt64, readers: Int = 2, keys: Int = 6_000) {
        self.seed = seed
        self.readers = readers
        keyCount = keys
    }

    package var summary: Tally { total.withLock { $0 } }

    /// Whether the tree has not changed its shape in some way in which it should have.
    package var isLackingChurn: Bool {
        ["splits", "merges", "freedNodes", "reusedNodes"].contains { summary[$0] == 0 }
    }

    /// Runs one round: a new index or store, and `changes` changes.
    ///
    /// - Parameter report: Called after every 1,024th write with the number of reads so far.
    package func round(
        _ target: Target, changes: Int, _ report: @Sendable (Int) -> Void = { _ in }
    ) async throws {
        let number = total.withLock { total in
            total.rounds += 1
            return UInt64(total.rounds)
        }
        let roundSeed = SeededRandom.mix(seed &* 1_000 &+ number)
        let keys = ReaderKeys(count: keyCount, seed: roundSeed)
        switch target {
        case .index:
            try await round(IndexSubject(keys: keys, seed: roundSeed), roundSeed, changes, report)
        case .store:
            try await round(StoreSubject(keys: keys, seed: roundSeed), roundSeed, changes, report)
        }
    }

    private func round<Subject: ReadSubject>(
        _ subject: Subject, _ seed: UInt64, _ changes: Int, _ report: @Sendable (Int) -> Void
    ) async throws {
        let ledger = ReadLedger(keys: keyCount)
        let group = ReaderGroup()
        for number in 0..<readers {
            group.enter()
            let reader = ReadingThread(subject, ledger, seed: seed, number: number)
            do { try startThread(name: "reader") { group.work(reader) } } catch {
                group.leave()
                throw error
            }
        }
        let before = summary.reads
        var writer = ReadersWriter(subject, ledger, ChangePlan(keys: keyCount, seed: seed))
        do {
            while writer.changes < changes, !group.isOver {
                try await writer.write()
                group.noteWrite()
                if writer.writes % 1_024 == 0 { report(before + group.reads) }
            }
        } catch {
            group.fail(error)
        }
        group.stop()
        while group.isBusy { try await Task.sleep(for: .milliseconds(1)) }
        if let failure = group.failure { throw failure }
        let churn = try await writer.finish()
        total.withLock { total in
            total.reads += group.reads
            total.scanned += group.scanned
            total.writes += writer.writes
            total.changes += writer.changes
            total += churn
        }
    }
}

/// The writer, with the model of what it wrote.
private struct ReadersWriter<Subject: ReadSubject> {
    private var subject: Subject
    private let ledger: ReadLedger
    private var plan: ChangePlan
    /// The write of each key, or 0.
    private var numbers: [UInt64]
    private var sum = StateSum()
    /// Writes that were accepted and aren't known to be visible.
    private var pending: [(number: UInt64, changes: [KeyChange])] = []
    private(set) var writes = 0
    private(set) var changes = 0

    init(_ subject: Subject, _ ledger: ReadLedger, _ plan: ChangePlan) {
        self.subject = subject
        self.ledger = ledger
        self.plan = plan
        numbers = [UInt64](repeating: 0, count: subject.keys.count)
    }

    mutating func write() async throws {
        let changes = plan.write()
        ledger.isQuiet = plan.isQuiet
        let number = subject.nextNumber
        for change in changes {
            let old = numbers[change.rank]
            if old != 0 { sum.remove(change.rank, old) }
            if !change.isRemoval { sum.add(change.rank, number) }
            numbers[change.rank] = change.isRemoval ? 0 : number
            ledger.begin(change.rank, number, isRemoval: change.isRemoval)
        }
        ledger.note(sum, after: number)
        pending.append((number, changes))
        let visible = try await subject.write(changes)
        let done = pending.prefix { $0.number <= visible }
        for write in done { confirm(write.number, write.changes) }
        pending.removeFirst(done.count)
        writes += 1
        self.changes += changes.count
    }

    /// Only the last change of a write to a key counts.
    private func confirm(_ number: UInt64, _ changes: [KeyChange]) {
        for (index, change) in changes.enumerated()
        where !changes[(index + 1)...].contains(where: { $0.rank == change.rank }) {
            ledger.finish(change.rank, number, isRemoval: change.isRemoval)
        }
    }

    mutating func finish() async throws -> Tally { try await subject.finish() }
}

/// The readers of a round: their progress, and the first violation.
private final class ReaderGroup: Sendable {
    private let counts = AtomicNumbers(count: 3)
    private let busy = Atomic(0)
    private let isStopped = Atomic(false)
    private let firstFailure = Locked<(any Error)?>(nil)

    var reads: Int { Int(counts[0]) }
    var scanned: Int { Int(counts[1]) }
    /// Whether the readers are far ahead of the writer. The writer is a task, and may wait long on a busy machine. The
    /// readers would take the time from the threads that it waits for.
    private var isFarAhead: Bool { counts[0] > 200_000 + 128 * counts[2] }
    var isBusy: Bool { busy.load(ordering: .acquiring) > 0 }
    var isOver: Bool { isStopped.load(ordering: .relaxed) }
    var failure: (any Error)? { firstFailure.withLock { $0 } }

    func noteWrite() { counts.add(2, 1) }
    func enter() { busy.add(1, ordering: .relaxed) }
    func leave() { busy.subtract(1, ordering: .releasing) }
    func stop() { isStopped.store(true, ordering: .relaxed) }

    func fail(_ error: any Error) {
        firstFailure.withLock { $0 = $0 ?? error }
        stop()
    }

    func work<Subject: ReadSubject>(_ reader: consuming ReadingThread<Subject>) {
        do {
            while !isOver {
                if isFarAhead { pauseThread(nanoseconds: 1_000_000) } else { counts.add(0, UInt64(try reader.burst())) }
            }
            try reader.end()
            counts.add(1, UInt64(reader.scanned))
        } catch {
            fail(error)
        }
        leave()
    }
}
