internal import Heartwood
internal import HeartwoodConcurrency
import HeartwoodTesting
import Synchronization

/// A task that writes its own keys, one write after the other, so that it always knows their expected values.
struct SoakWriter: Sendable {
    let number: Int
    private(set) var model: SoakModel
    private var version: UInt32 = 0

    /// Operations a second, about: enough for a compaction every few seconds, and few enough that the duration of a put
    /// is measured, not the length of the queue.
    private static let pace = 400

    init(number: Int, slots: Int) {
        self.number = number
        model = SoakModel(slots: slots)
    }

    /// Writes about as many keys as there will be later.
    mutating func fill(_ life: SoakLife) async throws {
        var random = SeededRandom(life.seed, UInt64(number), 51)
        for start in stride(from: 0, to: life.keys.slots, by: 100) {
            let slots = (start..<min(start + 100, life.keys.slots)).filter { _ in random.below(100) < 55 }
            try await write(slots.map { Change(slot: $0, isRemoval: false, lifetime: 0) }, .written, life)
        }
    }

    /// Writes and reads until the opening ends.
    mutating func run(_ life: SoakLife) async throws {
        var random = SeededRandom(life.seed, UInt64(number), 52)
        let start = ContinuousClock.now
        var done = 0
        while !life.isOver {
            try await step(life, &random)
            done += 1
            let early = .seconds(1) * done / Self.pace - (ContinuousClock.now - start)
            if early > .milliseconds(20) { try? await Task.sleep(for: early) }
        }
    }

    mutating func reopen(at sequence: SequenceNumber) -> Int { model.reopen(at: sequence) }

    private mutating func step(_ life: SoakLife, _ random: inout SeededRandom) async throws {
        switch random.below(1_000) {
        case ..<480:
            let durability = durability(&random)
            let change = change(life, &random)
            try await change.isRemoval ? remove(change.slot, durability, life) : put(change, durability, life)
        case ..<620:
            let count = random.number(in: 2...40)
            try await write((0..<count).map { _ in change(life, &random) }, durability(&random), life)
        case ..<680: try await transact(life, &random)
        case ..<730: try await increment(life, &random)
        case ..<940: try read(life, &random)
        case ..<990: try scan(life, &random)
        default: try takeReadView(life, &random)
        }
    }

    // MARK: - Writing

    private struct Change {
        var slot: Int
        var isRemoval: Bool
        /// In milliseconds; 0: without an expiry.
        var lifetime: Int
    }

    /// Half of the changes are of a tenth of the keys. Two of five are removals, so that the number of keys stays about
    /// the same.
    private func change(_ life: SoakLife, _ random: inout SeededRandom) -> Change {
        let slot = random.oneIn(2) ? random.below(life.keys.slots) / 10 * 10 : random.below(life.keys.slots)
        let isRemoval = random.below(100) < 40
        return Change(
            slot: slot, isRemoval: isRemoval, lifetime: random.oneIn(10) ? random.number(in: 1...20_000) : 0)
    }

    private func durability(_ random: inout SeededRandom) -> Durability {
        switch random.below(10) {
        case ..<2: .synced
        case ..<5: .written
        default: .buffered
        }
    }

    private func expiry(_ change: Change, _ life: SoakLife) -> UInt64 {
        change.lifetime == 0 ? 0 : life.now + UInt64(change.lifetime)
    }

    private mutating func nextVersion() -> UInt32 {
        version &+= 1
        return version
    }

    private mutating func put(_ change: Change, _ durability: Durability, _ life: SoakLife) async throws {
        let version = nextVersion()
        let value = life.keys.value(number, change.slot, version: version)
        let expiry = expiry(change, life)
        let start = ContinuousClock.now
        let sequence = try await life.store.put(
            life.keys.key(number, change.slot), value, expires: expiry.asExpiry, durability: durability)
        life.meter.note(ContinuousClock.now - start, durability)
        note([(change.slot, .init(version: version, sequence: sequence, expiry: expiry))], sequence, durability, life)
    }

    private mutating func remove(_ slot: Int, _ durability: Durability, _ life: SoakLife) async throws {
        let sequence = try await life.store.remove(life.keys.key(number, slot), durability: durability)
        note([(slot, nil)], sequence, durability, life)
    }

    /// A batch. Of several changes of one key the last one counts.
    private mutating func write(_ changes: [Change], _ durability: Durability, _ life: SoakLife) async throws {
        guard !changes.isEmpty else { return }
        var batch = life.store.makeBatch()
        var entries: [(slot: Int, version: UInt32, expiry: UInt64)?] = []
        for change in changes {
            if change.isRemoval {
                batch.remove(life.keys.key(number, change.slot))
                entries.append(nil)
            } else {
                let version = nextVersion()
                let expiry = expiry(change, life)
                batch.put(
                    life.keys.key(number, change.slot), life.keys.value(number, change.slot, version: version),
                    expires: expiry.asExpiry)
                entries.append((change.slot, version, expiry))
            }
        }
        let sequence = try await life.store.write(batch, durability: durability)
        let noted = zip(changes, entries).map { change, entry in
            (change.slot, entry.map { SoakModel.Entry(version: $0.version, sequence: sequence, expiry: $0.expiry) })
        }
        note(noted, sequence, durability, life)
    }

    private mutating func note(
        _ changes: [(slot: Int, entry: SoakModel.Entry?)], _ sequence: SequenceNumber, _ durability: Durability,
        _ life: SoakLife
    ) {
        life.note(sequence, durability)
        let kept = life.kept.load(ordering: .relaxed)
        for change in changes { model.set(change.slot, change.entry, sequence: sequence, kept: kept) }
        life.meter.count("writes", changes.count)
    }

    // MARK: - Transactions

    /// Reads some keys, and changes others depending on them. No other task writes them, so that it never conflicts.
    private mutating func transact(_ life: SoakLife, _ random: inout SeededRandom) async throws {
        let (number, keys, model) = (number, life.keys, model)
        let check = SoakCheck(keys: keys, writer: number)
        let durability = durability(&random)
        let read = (0..<3).map { _ in random.below(keys.slots) }
        let slots = Set((0..<random.number(in: 1...4)).map { _ in random.below(keys.slots) }).sorted()
        let version = nextVersion()
        let before = life.now
        let committed = try await life.store.transaction(durability: durability) { transaction -> [Int] in
            for slot in read {
                let value = try transaction.get(keys.key(number, slot))
                let times = before...life.now
                guard let wanted = model.entries[slot], let isVisible = wanted.isVisible(at: times) else { continue }
                try expect((value != nil) == isVisible, "\(check.name(slot)) in a transaction: \(value == nil)")
                if let value { try check.compare(value, wanted, slot) }
            }
            var removed: [Int] = []
            for slot in slots {
                // Most present keys are removed. Others are put.
                if try transaction.contains(keys.key(number, slot)), slot % 5 < 4 {
                    try transaction.remove(keys.key(number, slot))
                    removed.append(slot)
                } else {
                    try transaction.put(keys.key(number, slot), keys.value(number, slot, version: version))
                }
            }
            return removed
        }
        let sequence = committed.sequence
        let noted = slots.map { slot in
            let entry = SoakModel.Entry(version: version, sequence: sequence, expiry: 0)
            return (slot, committed.value.contains(slot) ? nil : entry)
        }
        note(noted, sequence, durability, life)
        life.meter.count("transactions")
    }

    /// Increments a counter that all writers share: no increment may get lost.
    private func increment(_ life: SoakLife, _ random: inout SeededRandom) async throws {
        let counter = random.below(SoakCounters.count)
        // Never buffered: a counter must be right after the death of the process, too.
        let durability: Durability = random.oneIn(4) ? .synced : .written
        var tries = 0
        let committed = try await life.store.transaction(durability: durability) { transaction in
            tries += 1
            let key = SoakCounters.key(counter)
            let count = SoakCounters.number(try transaction.get(key)) ?? 0
            try transaction.put(key, SoakCounters.value(count + 1))
        }
        life.note(committed.sequence, durability)
        life.counters.add(counter)
        life.meter.count("conflicts", tries - 1)
        life.meter.count("transactions")
    }

    // MARK: - Reading

    private func read(_ life: SoakLife, _ random: inout SeededRandom) throws {
        let check = SoakCheck(keys: life.keys, writer: number)
        let slot = random.below(life.keys.slots)
        let before = life.now
        let entry = try life.store.entry(life.keys.key(number, slot))
        try check.compare(entry, model.entries[slot], slot, at: before...life.now)
        life.meter.count("reads")
    }

    private func scan(_ life: SoakLife, _ random: inout SeededRandom) throws {
        let check = SoakCheck(keys: life.keys, writer: number)
        let first = random.below(life.keys.slots)
        let slots = first..<min(life.keys.slots, first + random.number(in: 1...300))
        let before = life.now
        let view = try life.store.readView()
        let times = before...life.now
        try check.compare(view, model, slots: slots, reversed: random.oneIn(2), at: times)
        life.meter.count("reads", slots.count)
    }

    /// Takes a read view that is checked later: mostly soon, sometimes after several compactions.
    private func takeReadView(_ life: SoakLife, _ random: inout SeededRandom) throws {
        let isLong = random.oneIn(20)
        let wait = Duration.milliseconds(isLong ? random.number(in: 5_000...30_000) : random.below(1_000))
        let before = life.now
        let view = try life.store.readView()
        let taken = SoakReadView(
            view: view, writer: number, model: model, times: before...life.now, due: .now + wait)
        life.readViews.withLock { waiting in
            // No more than can be checked in time.
            if waiting.count < 24 { waiting.append(taken) }
        }
    }
}

extension UInt64 {
    fileprivate var asExpiry: Expiry { self == 0 ? .never : .at(Timestamp(milliseconds: self)) }
}
