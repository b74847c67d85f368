internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodTesting

/// Several tasks on one store. Each has its own keys, and all increment shared counters.
extension WorkRun {
    private static let taskCount = 4

    func runTasks() async throws {
        let unknown = Locked<[(number: Int, receipt: String)]>([])
        if toleratesFaults {
            try await letTasksWrite(unknown)
        } else {
            try await following(store!) { try await letTasksWrite(unknown) }
        }
        let waiting = unknown.withLock { $0 }
        if toleratesFaults {
            removeFaults()
            try await settleUnknown(waiting)
        }
    }

    private func letTasksWrite(_ unknown: Locked<[(number: Int, receipt: String)]>) async throws {
        let length = max(2, plan.steps.count / Self.taskCount)
        let writer = TaskWriter(
            store: store!, history: history, disk: disk, seed: seed, toleratesFaults: toleratesFaults,
            compacts: workload == .compacting, unknown: unknown)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<Self.taskCount {
                group.addTask { try await writer.write(task: task, count: length) }
            }
            try await group.waitForAll()
        }
    }

    /// A write with an unknown outcome has happened if its receipt is found.
    private func settleUnknown(_ unknown: [(number: Int, receipt: String)]) async throws {
        if random.oneIn(2), store!.state != .failed { try? await store!.close() }
        drop()
        await waitForLock()
        do {
            let store = try Store(openingAt: Self.path, configuration: makeConfiguration())
            for (number, receipt) in unknown {
                if let entry = try store.entry(receipt) { history.noteUnknown(number, assuming: entry.sequence) }
            }
        } catch {
            throw Violation("after the faults the store doesn't open or read: \(error)")
        }
        try await open()
    }
}

private struct TaskWriter: Sendable {
    let store: Store
    let history: History
    let disk: SimulatedDisk
    let seed: UInt64
    let toleratesFaults: Bool
    let compacts: Bool
    let unknown: Locked<[(number: Int, receipt: String)]>

    func write(task: Int, count: Int) async throws {
        var random = SeededRandom(seed, 12, UInt64(task))
        for number in 0..<count {
            let durability = random.pick([WorkOperation.Durability.synced, .synced, .written, .buffered])
            let receipt = "task/\(task)/receipt/\(number)"
            var changes = [change(receipt, task, number, 0, length: 4)]
            for part in 1...random.number(in: 1...3) {
                let key = "task/\(task)/\(random.below(6))"
                if !changes.contains(where: { $0.key == key }) {
                    changes.append(
                        random.oneIn(6)
                            ? WorkChange(key: key, value: nil)
                            : change(key, task, number, part, length: random.pick([0, 40, 400, 1_500, 5_000])))
                }
            }
            let counts = random.oneIn(3)
            let operation = WorkOperation(changes: changes, durability: durability, countsUp: counts)
            guard try await attempt(operation, receipt) else { return }
            if random.oneIn(5) { await Task.yield() }
            if compacts, random.oneIn(12) {
                guard try await compact(cancelled: random.oneIn(4)) else { return }
            }
        }
    }

    /// - Returns: Whether to continue.
    private func compact(cancelled: Bool) async throws -> Bool {
        let task = Task { try await store.compact() }
        if cancelled { task.cancel() }
        do {
            _ = try await task.value
        } catch {
            guard let error = error as? StoreError else { throw error }
            if error.code == .cancelled, cancelled { return true }
            guard toleratesFaults else { throw error }
            try expect(error.code == .failed || WorkRun.isOfEnvironment(error.code), "compaction failed with \(error)")
            return store.state == .ready
        }
        return true
    }

    private func change(_ key: String, _ task: Int, _ number: Int, _ part: Int, length: Int) -> WorkChange {
        let identity = UInt64(task) << 40 | UInt64(number) << 8 | UInt64(part)
        return WorkChange(key: key, value: .pattern(identity: identity, length: length))
    }

    /// - Returns: Whether to continue.
    private func attempt(_ operation: WorkOperation, _ receipt: String) async throws -> Bool {
        let number = history.submit(operation, on: disk)
        do {
            history.acknowledge(number, try await perform(operation, number), on: disk)
            try readBack(operation, receipt)
            return true
        } catch {
            guard toleratesFaults, let error = error as? StoreError else { throw error }
            if error.code == .outcomeUnknown {
                unknown.withLock { $0.append((number, receipt)) }
                return false
            }
            try expect(
                error.code == .failed || WorkRun.isOfEnvironment(error.code), "an error of the disk became \(error)")
            return false
        }
    }

    /// A task reads its own write, wherever it is on its way to the disk.
    private func readBack(_ operation: WorkOperation, _ receipt: String) throws {
        for change in operation.changes where change.key == receipt {
            let found: [UInt8]?
            do throws(StoreError) {
                found = try store.get(receipt)
            } catch {
                try expect(
                    toleratesFaults && WorkRun.isOfEnvironment(error.code),
                    "\(receipt) was written a moment ago, and can't be read: \(error)")
                return
            }
            guard let found, change.value?.matches(found) ?? false else {
                throw Violation("\(receipt) was written a moment ago, and reads as \(found?.count ?? -1) bytes")
            }
        }
    }

    private func perform(_ operation: WorkOperation, _ number: Int) async throws -> SequenceNumber {
        guard operation.countsUp else {
            return try await store.write(durability: operation.durability.asked) { batch in
                for change in operation.changes { batch.apply(change) }
            }
        }
        return try await store.transaction(durability: operation.durability.asked) { transaction in
            let key = "counter/\(number % 2)"
            let before = try transaction.get(key).flatMap(littleEndianNumber)
            let count = WorkChange(key: key, value: .number((before ?? 0) + 1))
            history.set(operation.changes + [count], of: number)
            for change in operation.changes + [count] { try transaction.apply(change) }
        }.sequence
    }
}
