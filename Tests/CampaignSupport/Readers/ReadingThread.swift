internal import Heartwood
internal import HeartwoodTesting

/// One reader: single keys most of the time, and now and then a held state, at once and again later.
struct ReadingThread<Subject: ReadSubject>: Sendable {
    private let subject: Subject
    private let ledger: ReadLedger
    private var random: SeededRandom
    private var held: [HeldState] = []
    /// Keys that scans have shown.
    private(set) var scanned = 0

    /// A state that was held and read once; from then on it must read the same.
    private struct HeldState: Sendable {
        let held: Subject.Held
        let sum: StateSum
        /// The write of each key, 0 where there is none.
        let numbers: [UInt64]
    }

    init(_ subject: Subject, _ ledger: ReadLedger, seed: UInt64, number: Int) {
        self.subject = subject
        self.ledger = ledger
        random = SeededRandom(seed, 14, UInt64(number))
    }

    /// Reads some hundred keys. Returns how many.
    mutating func burst() throws -> Int {
        switch random.below(24) {
        case _ where ledger.isQuiet: try end()
        case 0: try holdState()
        case 1: try readHeld()
        default: break
        }
        let count = 256
        for _ in 0..<count { try readOne() }
        return count
    }

    /// Lets go of everything, having read it once more.
    mutating func end() throws {
        while !held.isEmpty { try releaseOne() }
    }

    private mutating func readOne() throws {
        let rank = nextRank()
        let lowest = ledger.lowest(rank)
        let found = try subject.find(rank)
        if let fault = ledger.fault(rank, found: found, lowest: lowest) {
            throw ReadViolation("key \(rank): \(fault)")
        }
    }

    /// Half of the time any key; otherwise the one that the writer is at, or a neighbour.
    private mutating func nextRank() -> Int {
        let keys = subject.keys.count
        let choice = random.below(4)
        if choice < 2 { return random.below(keys) }
        return choice == 2 ? ledger.attention : (ledger.attention + random.below(16) + keys - 8) % keys
    }

    // MARK: - Held states

    private mutating func holdState() throws {
        if held.count == 3 { return try releaseOne() }
        let state = try subject.hold(&random)
        let number = subject.number(of: state)
        let expected = ledger.state(after: number)
        let (sum, numbers) = try scan(state)
        if let expected, sum != expected {
            subject.release(state)
            throw ReadViolation(
                "the state after write \(number) has \(expected.count) keys; a scan found \(sum.count)"
                    + (sum.count == expected.count ? ", and others" : ""))
        }
        held.append(HeldState(held: state, sum: sum, numbers: numbers))
    }

    private mutating func readHeld() throws {
        guard !held.isEmpty else { return }
        let state = random.pick(held)
        for _ in 0..<32 {
            let rank = random.below(subject.keys.count)
            let found = try subject.find(rank, in: state.held) ?? 0
            if found != state.numbers[rank] {
                throw ReadViolation(
                    "key \(rank) at write \(subject.number(of: state.held)): write \(found) was found, "
                        + "and \(state.numbers[rank]) when the state was taken")
            }
        }
        for _ in 0..<16 { try scanAttention(state) }
    }

    /// Reads some keys of a state in order, those around the one that the writer is at.
    private mutating func scanAttention(_ state: HeldState) throws {
        let keys = subject.keys.keys
        let middle = ledger.attention
        let range = max(0, middle - 16)..<min(keys.count - 1, middle + 16)
        var result = ScanResult(numbers: [UInt64](repeating: 0, count: keys.count))
        try scan(
            state.held, .range(from: keys[range.lowerBound], to: keys[range.upperBound]), reversed: random.oneIn(2),
            &result)
        scanned += Int(result.sum.count)
        for rank in range where result.numbers[rank] != state.numbers[rank] {
            throw ReadViolation(
                "key \(rank) at write \(subject.number(of: state.held)): a scan found write \(result.numbers[rank]), "
                    + "and \(state.numbers[rank]) when the state was taken")
        }
    }

    private mutating func releaseOne() throws {
        let state = held.remove(at: random.below(held.count))
        defer { subject.release(state.held) }
        let (sum, _) = try scan(state.held)
        if sum != state.sum {
            throw ReadViolation(
                "the state after write \(subject.number(of: state.held)) had \(state.sum.count) keys, "
                    + "and has \(sum.count) now")
        }
    }

    /// Reads all of a state: in one go, against the order, or in two parts.
    private mutating func scan(_ state: Subject.Held) throws -> (StateSum, [UInt64]) {
        var result = ScanResult(numbers: [UInt64](repeating: 0, count: subject.keys.count))
        let middle = subject.keys.keys[random.below(subject.keys.count)]
        switch random.below(3) {
        case 0: try scan(state, .all, reversed: false, &result)
        case 1: try scan(state, .all, reversed: true, &result)
        default:
            try scan(state, .range(from: [], to: middle), reversed: random.oneIn(2), &result)
            try scan(state, .from(middle), reversed: random.oneIn(2), &result)
        }
        scanned += Int(result.sum.count)
        return (result.sum, result.numbers)
    }

    private struct ScanResult {
        var sum = StateSum()
        var numbers: [UInt64]
    }

    private func scan(
        _ state: Subject.Held, _ range: KeyRange, reversed: Bool, _ result: inout ScanResult
    ) throws {
        let newest = subject.number(of: state)
        var last = reversed ? Int.max : -1
        try subject.scan(state, range, reversed: reversed) { key, number in
            guard let rank = subject.keys.rank(of: key), let number,
                subject.keys.keys[rank].withUnsafeBytes({ $0.elementsEqual(key) })
            else { throw ReadViolation("a scan found a key that nobody wrote, of \(key.count) bytes") }
            guard reversed ? rank < last : rank > last else {
                throw ReadViolation("a scan\(reversed ? " backwards" : "") came to key \(rank) after key \(last)")
            }
            guard number <= newest else {
                throw ReadViolation("a scan of the state after write \(newest) found write \(number)")
            }
            last = rank
            result.sum.add(rank, number)
            result.numbers[rank] = number
        }
    }
}
