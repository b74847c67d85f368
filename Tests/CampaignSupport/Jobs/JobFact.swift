internal import HeartwoodConcurrency
internal import HeartwoodTesting
internal import KeyValueStore

/// Something that a program did with a job of a campaign, or learned of it. Jobs are known by the number in them.
struct JobFact: Sendable, Codable {
    enum Kind: Sendable, Codable {
        /// The job is about to be enqueued, with data of its own if it is in a transaction with them.
        case enqueuing(withData: Bool)
        /// It was enqueued.
        case enqueued
        /// A job is about to be enqueued that can't be read, and it was.
        case spoiling, spoiled
        /// A worker was given it.
        case claimed(attempt: Int, fence: UInt64, until: UInt64)
        case renewed(attempt: Int, until: UInt64)
        /// It is about to be written what has become of an attempt.
        case reporting(attempt: Int, isFinish: Bool)
        case reported(attempt: Int, isFinish: Bool)
    }

    var kind: Kind
    var job: Int
    /// The wall clock, in milliseconds.
    var time: UInt64
}

/// The facts of a run, each of which is also a note in the disk's trace.
final class JobLog: Sendable {
    private struct Note: Sendable { let fact: Int }

    private let state: Locked<[JobFact]>
    private let disk: SimulatedDisk
    private let clock: SteppedClock
    private let baseCount: Int

    /// - Parameter base: The facts before the disk's first event.
    init(_ disk: SimulatedDisk, _ clock: SteppedClock, base: [JobFact] = []) {
        (self.disk, self.clock, baseCount) = (disk, clock, base.count)
        state = Locked(base)
    }

    var facts: [JobFact] { state.withLock { $0 } }

    func add(_ kind: JobFact.Kind, _ job: Int) {
        let fact = JobFact(kind: kind, job: job, time: clock.now().milliseconds)
        // In one step, so that the order of the facts is that of the notes.
        state.withLock { facts in
            facts.append(fact)
            disk.note(Note(fact: facts.count - 1))
        }
    }

    /// The facts that were there after some events of the disk.
    func facts(after events: Int, _ trace: DiskTrace) -> [JobFact] {
        var count = baseCount
        for event in trace.events.prefix(events) {
            if case .note(let note) = event, let note = note as? Note { count = max(count, note.fact + 1) }
        }
        return Array(facts.prefix(count))
    }
}
