internal import HeartwoodConcurrency
internal import HeartwoodTesting

/// A record of a run: the repository, and the number that its id stands for.
struct Slot: Hashable, Sendable, Codable {
    var repository: Int
    var number: Int
}

/// What a write wants of one record.
struct ItemWrite: Sendable, Codable {
    enum Kind: Sendable, Hashable, Codable {
        /// A new record, with a stamp, a count and an expiry in milliseconds (0: never), instead of any other.
        case set(stamp: Int, count: Int, expires: UInt64)
        /// Another stamp. Count and expiry stay. Only if there is a record.
        case update(stamp: Int)
        /// One more bit of the count. Only if there is a record.
        case increment(bit: Int)
        case delete
    }

    var slot: Slot
    var kind: Kind

    /// The stamp that it writes.
    var stamp: Int? {
        switch kind {
        case .set(let stamp, _, _), .update(let stamp): stamp
        case .increment, .delete: nil
        }
    }

    /// Whether the stamp doesn't stay.
    var setsStamp: Bool {
        if case .increment = kind { false } else { true }
    }

    /// Whether the count doesn't depend on the record before.
    var isReset: Bool {
        switch kind {
        case .set, .delete: true
        case .update, .increment: false
        }
    }
}

/// One call that writes, all or nothing, and its outcome.
struct Attempt: Sendable, Codable {
    enum Outcome: Sendable, Codable { case unknown, refused, acknowledged }

    var writes: [ItemWrite]
    var durability: WorkOperation.Durability
    var outcome = Outcome.unknown
    /// Its sequence number, where the call tells it.
    var sequence: UInt64?
    /// The events of the trace at which it was submitted and acknowledged.
    var submitted = 0
    var acknowledged = Int.max

    /// Whether it certainly preceded another one.
    func precedes(_ other: Attempt) -> Bool {
        if let sequence, let otherSequence = other.sequence { return sequence < otherSequence }
        return acknowledged <= other.submitted
    }
}

/// The writes of a run, which its tasks share.
final class AttemptLog: Sendable {
    enum Note: Sendable {
        case submitted(Int)
        case acknowledged(Int)
        /// The wall clock, and the latest time that the store may have, in milliseconds.
        case clock(UInt64, latest: UInt64)
    }

    private struct State {
        var attempts: [Attempt]
        var stamp: Int
        var bit: Int
    }

    private let state: Locked<State>
    private let disk: SimulatedDisk

    /// - Parameters:
    ///   - base: What is there before the first event.
    ///   - stamp: The first stamp that isn't used.
    init(_ disk: SimulatedDisk, base: [Attempt] = [], stamp: Int = 1, bit: Int = 0) {
        self.disk = disk
        state = Locked(State(attempts: base, stamp: stamp, bit: bit))
    }

    var attempts: [Attempt] { state.withLock { $0.attempts } }

    func newStamp() -> Int {
        state.withLock { state in
            defer { state.stamp += 1 }
            return state.stamp
        }
    }

    /// A bit for an increment; nil when all are used.
    func newBit() -> Int? {
        state.withLock { state in
            guard state.bit < 60 else { return nil }
            defer { state.bit += 1 }
            return state.bit
        }
    }

    var next: (stamp: Int, bit: Int) { state.withLock { ($0.stamp, $0.bit) } }

    func submit(_ writes: [ItemWrite], _ durability: WorkOperation.Durability) -> Int {
        let number = state.withLock { state in
            state.attempts.append(Attempt(writes: writes, durability: durability))
            return state.attempts.count - 1
        }
        disk.note(Note.submitted(number))
        return number
    }

    /// - Parameter writes: Those that were done, because their records existed.
    func acknowledge(_ number: Int, _ writes: [ItemWrite], _ sequence: UInt64?) {
        state.withLock { state in
            state.attempts[number].writes = writes
            state.attempts[number].sequence = sequence
            state.attempts[number].outcome = .acknowledged
        }
        disk.note(Note.acknowledged(number))
    }

    func refuse(_ number: Int) { state.withLock { $0.attempts[number].outcome = .refused } }

    func noteClock(_ clock: UInt64, latest: UInt64) { disk.note(Note.clock(clock, latest: latest)) }
}
