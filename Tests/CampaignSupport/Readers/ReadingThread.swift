internal import Heartwood
internal import HeartwoodTesting

/// One reader. It mostly reads single keys. Sometimes it pins a state and reads it at once and again later.
struct ReadingThread<Subject: ReadSubject>: Sendable {
    private let subject: Subject
    private let ledger: ReadLedger
    private var random: SeededRandom
    private var pinned: [PinnedState] = []
    /// The number of scanned keys.
    private(set) var scanned = 0

    /// A state that was pinned and read once. Every later read must give the same.
    private struct PinnedState: Sendable {
        let pin: Subject.Pin
        let sum: StateSum
        /// The write of each key, or 0.
        let numbers: [UInt64]
    }

    init(_ subject: Subject, _ ledger: ReadLedger, seed: UInt64, number: Int) {
        self.subject = subject
        self.ledger = ledger
        random = SeededRandom(seed, 14, UInt64(number))
    }

    /// Reads some hundred keys. Returns their number.
    mutating func burst() throws -> Int {
        switch random.below(24) {
        case _ where ledger.isQuiet: try end()
        case 0: try pinState()
        case 1: try readPinned()
        default: break
        }
        let count = 256
        for _ in 0..<count { try readOne() }
        return count
    }

    /// Reads all pinned states once more, and releases them.
    mutating func end() throws {
        while !pinned.isEmpty { try releaseOne() }
    }

    private mutating func readOne() throws {
        let rank = nextRank()
        let lowest = ledger.lowest(rank)
        let found = try subject.find(rank)
        if let fault = ledger.fault(rank, found: found, lowest: lowest) {
            throw Violation("key \(rank): \(fault)")
        }
    }

    /// Half of the time any key; otherwise the key that is being written, or a neighbour.
    private mutating func nextRank() -> Int {
        let keys = subject.keys.count
        let choice = random.below(4)
        if choice < 2 { return random.below(keys) }
        return choice == 2 ? ledger.attention : (ledger.attention + random.below(16) + keys - 8) % keys
    }

    // MARK: - Pinned states

    private mutating func pinState() throws {
        if pinned.count == 3 { return try releaseOne() }
        let state = try subject.pin(&random)
        let number = subject.number(of: state)
        let expected = ledger.state(after: number)
        let (sum, numbers) = try scan(state)
        if let expected, sum != expected {
            subject.release(state)
            throw Violation(
                "the state after write \(number) has \(expected.count) keys; a scan found \(sum.count)"
                    + (sum.count == expected.count ? ", and others" : ""))
        }
        pinned.append(PinnedState(pin: state, sum: sum, numbers: numbers))
    }

    private mutating func readPinned() throws {
        guard !pinned.isEmpty else { return }
        let state = random.pick(pinned)
        for _ in 0..<32 {
            let rank = random.below(subject.keys.count)
            let found = try subject.find(rank, in: state.pin) ?? 0
            try expect(
                found == state.numbers[rank],
                "key \(rank) at write \(subject.number(of: state.pin)): write \(found) was found, "
                    + "and \(state.numbers[rank]) when the state was pinned")
        }
        for _ in 0..<16 { try scanAttention(state) }
    }

    /// Scans some keys of a state around the one that is being written.
    private mutating func scanAttention(_ state: PinnedState) throws {
        let keys = subject.keys.keys
        let middle = ledger.attention
        let range = max(0, middle - 16)..<min(keys.count - 1, middle + 16)
        var result = ScanResult(numbers: [UInt64](repeating: 0, count: keys.count))
        try scan(
            state.pin, .range(from: keys[range.lowerBound], to: keys[range.upperBound]), reversed: random.oneIn(2),
            &result)
        scanned += Int(result.sum.count)
        for rank in range where result.numbers[rank] != state.numbers[rank] {
            throw Violation(
                "key \(rank) at write \(subject.number(of: state.pin)): a scan found write \(result.numbers[rank]), "
                    + "and \(state.numbers[rank]) when the state was pinned")
        }
    }

    private mutating func releaseOne() throws {
        let state = pinned.remove(at: random.below(pinned.count))
        defer { subject.release(state.pin) }
        let (sum, _) = try scan(state.pin)
        try expect(
            sum == state.sum,
            "the state after write \(subject.number(of: state.pin)) had \(state.sum.count) keys, "
                + "and has \(sum.count) now")
    }

    /// Scans a whole state: forwards, backwards, or in two parts.
    private mutating func scan(_ state: Subject.Pin) throws -> (StateSum, [UInt64]) {
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
        _ state: Subject.Pin, _ range: KeyRange, reversed: Bool, _ result: inout ScanResult
    ) throws {
        let newest = subject.number(of: state)
        var last = reversed ? Int.max : -1
        try subject.scan(state, range, reversed: reversed) { key, number in
            guard let rank = subject.keys.rank(of: key), let number,
                subject.keys.keys[rank].withUnsafeBytes({ $0.elementsEqual(key) })
            else { throw Violation("a scan found a key that was never written, of \(key.count) bytes") }
            try expect(
                reversed ? rank < last : rank > last,
                "a scan\(reversed ? " backwards" : "") came to key \(rank) after key \(last)")
            try expect(number <= newest, "a scan of the state after write \(newest) found write \(number)")
            last = rank
            result.sum.add(rank, number)
            result.numbers[rank] = number
        }
    }
}
