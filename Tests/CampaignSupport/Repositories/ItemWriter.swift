internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodRepository
internal import HeartwoodTesting

/// What the tasks of a run do with its repositories.
struct ItemWriter: Sendable {
    let handles: [any ItemHandle]
    let store: BoundedStore
    let log: AttemptLog
    let world: ItemWorld
    let hasFault: Bool
    let refusals: Locked<Int>

    /// Half of the records, before the tasks begin.
    func fill(_ random: SeededRandom) async throws {
        var random = random
        for number in 0..<world.slots / 2 {
            for repository in handles.indices {
                let write = set(Slot(repository: repository, number: number), &random)
                let durability = random.pick([WorkOperation.Durability.synced, .written])
                try await attempt([write], durability) { _ in
                    try await handles[repository].perform(write, .plain, durability.asked).0
                }
            }
        }
    }

    func write(count: Int, _ random: SeededRandom) async throws {
        var random = random
        for _ in 0..<count {
            guard store.store.state == .ready else { return }
            let durability = random.pick([WorkOperation.Durability.synced, .synced, .written, .buffered])
            switch random.below(10) {
            case 0...4: try await writeOne(durability, &random)
            case 5...6: try await writeMany(durability, &random)
            case 7...8: try await transact(durability, &random)
            default: try await find(&random)
            }
            if random.oneIn(3) { await Task.yield() }
        }
    }

    // MARK: - Drawing

    private func slot(_ random: inout SeededRandom) -> Slot {
        Slot(repository: random.below(handles.count), number: random.below(world.slots))
    }

    private func slots(_ count: Int, _ random: inout SeededRandom) -> [Slot] {
        var slots: [Slot] = []
        for _ in 0..<count {
            let slot = slot(&random)
            if !slots.contains(slot) { slots.append(slot) }
        }
        return slots
    }

    /// In milliseconds; 0 for never.
    private func expiry(_ random: inout SeededRandom) -> UInt64 {
        switch random.below(16) {
        case 0, 1: store.now.milliseconds + UInt64(1 + random.below(6_000))
        case 2: random.pick([1 << 62, .max - 1, .max])
        default: 0
        }
    }

    func set(_ slot: Slot, _ random: inout SeededRandom) -> ItemWrite {
        ItemWrite(slot: slot, kind: .set(stamp: log.newStamp(), count: 0, expires: expiry(&random)))
    }

    private func change(_ slot: Slot, _ random: inout SeededRandom) -> ItemWrite {
        switch random.below(8) {
        case 0...3: return set(slot, &random)
        case 4...5: return ItemWrite(slot: slot, kind: .update(stamp: log.newStamp()))
        case 6:
            guard let bit = log.newBit() else { return set(slot, &random) }
            return ItemWrite(slot: slot, kind: .increment(bit: bit))
        default: return ItemWrite(slot: slot, kind: .delete)
        }
    }

    // MARK: - Writing

    func writeOne(_ durability: WorkOperation.Durability, _ random: inout SeededRandom) async throws {
        let write = change(slot(&random), &random)
        let form = random.oneIn(3) ? WriteForm.careful : .plain
        try await attempt([write], durability) { done in
            let (sequence, isDone) = try await handles[write.slot.repository].perform(write, form, durability.asked)
            if !isDone { done = [] }
            return sequence
        }
    }

    private func writeMany(_ durability: WorkOperation.Durability, _ random: inout SeededRandom) async throws {
        let repository = random.below(handles.count)
        var numbers: Set<Int> = []
        for _ in 0..<random.number(in: 2...3) { numbers.insert(random.below(world.slots)) }
        let slots = numbers.sorted().map { Slot(repository: repository, number: $0) }
        if random.oneIn(4) {
            let writes = slots.map { ItemWrite(slot: $0, kind: .delete) }
            return try await attempt(writes, durability) { _ in
                try await handles[repository].deleteAll(Array(numbers), durability.asked)
                return nil
            }
        }
        let expires = expiry(&random)
        let writes = slots.map {
            ItemWrite(slot: $0, kind: .set(stamp: log.newStamp(), count: 0, expires: expires))
        }
        let inserts = random.oneIn(4)
        try await attempt(writes, durability) { _ in
            try await handles[repository].saveAll(writes, inserts: inserts, durability.asked)
        }
    }

    private func transact(_ durability: WorkOperation.Durability, _ random: inout SeededRandom) async throws {
        var steps: [(ItemWrite, WriteForm)] = []
        for slot in slots(random.number(in: 2...3), &random) {
            var form = random.oneIn(5) ? WriteForm.careful : .plain
            if random.oneIn(4) { form = .twice(firstStamp: log.newStamp()) }
            steps.append((change(slot, &random), form))
        }
        let (looked, stamp) = (random.oneIn(3) ? random.below(handles.count) : nil, log.newStamp())
        try await attempt(steps.map(\.0), durability) { [steps] done in
            let committed = try await store.transaction(durability: durability.asked) { transaction in
                var done: [ItemWrite] = []
                for (write, form) in steps {
                    let handle = handles[write.slot.repository]
                    if try await handle.perform(write, form, in: transaction) { done.append(write) }
                    if let looked { try await handles[looked].compare(stamp, in: transaction) }
                }
                return done
            }
            done = committed.value
            return committed.sequence
        }
    }

    private func find(_ random: inout SeededRandom) async throws {
        let slot = slot(&random)
        do {
            try await handles[slot.repository].find(slot.number)
        } catch let error as StoreError where hasFault {
            try expect(ItemRun.isOfDisk(error.code), "a fault of the disk became \(error)")
        }
    }

    /// Makes an attempt, and notes its outcome.
    ///
    /// - Parameter body: Gets the writes, and takes those away that had no record.
    private func attempt(
        _ writes: [ItemWrite], _ durability: WorkOperation.Durability,
        _ body: (inout [ItemWrite]) async throws -> UInt64?
    ) async throws {
        let number = log.submit(writes, durability)
        var done = writes
        do {
            let sequence = try await body(&done)
            try expect(!done.contains(where: losesID), "a record was saved whose id is stored as another one: \(done)")
            if done.isEmpty { log.refuse(number) } else { log.acknowledge(number, done, sequence) }
        } catch let error as StoreError {
            switch error.code {
            case .uniqueViolation:
                try expect(world.collides, "no two records want one value: \(error)")
                refusals.withLock { $0 += 1 }
                log.refuse(number)
            case .invalidArgument:
                try expect(writes.contains(where: losesID), "a write was refused: \(error)")
                log.refuse(number)
            case .alreadyExists, .conflict, .tooLarge: log.refuse(number)
            default: try expect(hasFault && ItemRun.isOfDisk(error.code), "a write failed with \(error)")
            }
        }
    }

    private func losesID(_ write: ItemWrite) -> Bool {
        if case .set = write.kind { world.losesID(write.slot) } else { false }
    }

    // MARK: - Beside

    /// Maintenance, again and again, and sometimes cancelled.
    func maintain(_ handle: any ItemHandle, _ random: SeededRandom) async throws {
        var random = random
        for _ in 0..<random.number(in: 1...3) {
            let task = Task { () throws in try await handle.maintain() }
            if random.oneIn(2) {
                for _ in 0..<random.below(60) { await Task.yield() }
                task.cancel()
            }
            do {
                let report = try await task.value
                if report.isComplete { return }
                try expect(report.undecodable.isEmpty, "a record doesn't decode: \(report.undecodable)")
            } catch let error as StoreError {
                if error.code == .cancelled { continue }
                try expect(hasFault && ItemRun.isOfDisk(error.code), "maintenance failed with \(error)")
                return
            }
        }
    }

    func compact() async throws {
        do {
            try await store.store.compact()
        } catch {
            try expect(hasFault && ItemRun.isOfDisk(error.code), "compaction failed with \(error)")
        }
    }
}
