internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodTesting

/// The writes of a run, and their outcomes.
extension WorkRun {
    func write(
        _ changes: [WorkChange], _ durability: WorkOperation.Durability, _ condition: WorkStep.Guard
    ) async throws {
        let (conditions, holds) = conditions(changes[0].key, condition)
        try await attempt(WorkOperation(changes: changes, durability: durability), mayConflict: !holds) { _ in
            let store = self.store!
            let change = changes[0]
            guard changes.count == 1, conditions.isEmpty, change.key.count % 2 != 0 else {
                return try await store.write(durability: durability.asked) { batch in
                    for condition in conditions { batch.require(condition) }
                    for change in changes { batch.apply(change) }
                }
            }
            guard let value = change.value else {
                return try await store.remove(change.key, durability: durability.asked)
            }
            return try await store.put(
                change.key, value.bytes, expires: change.expiry, durability: durability.asked)
        }
    }

    /// A write whose task is cancelled while a new segment is renamed. It is refused, or succeeds like any other.
    func writeCancelled(_ changes: [WorkChange], _ durability: WorkOperation.Durability) async throws {
        let operation = WorkOperation(changes: changes, durability: durability)
        try await attempt(operation, mayConflict: false, mayBeCancelled: true) { _ in
            let (store, cancellable) = (self.store!, self.cancellable)
            let task = Task {
                // The write begins when it can be cancelled, so that each run does the same.
                while cancellable.withLock({ $0 == nil }) { await Task.yield() }
                return try await store.write(durability: durability.asked) { batch in
                    for change in changes { batch.apply(change) }
                }
            }
            cancellable.withLock { $0 = task }
            defer { cancellable.withLock { $0 = nil } }
            return try await task.value
        }
    }

    func transact(_ reads: [String], _ changes: [WorkChange], _ durability: WorkOperation.Durability) async throws {
        if changes.isEmpty {
            for key in reads { try await read(key) }
            return
        }
        let expected = current
        try await attempt(WorkOperation(changes: changes, durability: durability), mayConflict: false) { _ in
            try await self.store!.transaction(durability: durability.asked) { transaction in
                for key in reads {
                    let found = try transaction.get(key)
                    try expect(
                        found.map({ expected[key]?.value.matches($0) ?? false }) ?? (expected[key] == nil),
                        "a transaction reads \(key) wrongly")
                }
                for change in changes { try transaction.apply(change) }
            }.sequence
        }
    }

    /// The conditions of a write, and whether they are met.
    private func conditions(_ key: String, _ condition: WorkStep.Guard) -> ([Condition], holds: Bool) {
        let stored = current[key]
        switch condition {
        case .none: return ([], true)
        case .absent: return ([.absent(key)], stored == nil)
        case .current:
            guard let stored else { return ([.absent(key)], true) }
            return ([.sequence(key, stored.sequence)], true)
        case .stale: return ([.sequence(key, (stored?.sequence ?? 0) + 7)], false)
        }
    }

    /// Submits a write and notes its outcome. If it was refused for a temporary reason, it is submitted once more.
    private func attempt(
        _ operation: WorkOperation, mayConflict: Bool, mayBeCancelled: Bool = false, isSecond: Bool = false,
        _ write: (Int) async throws -> SequenceNumber
    ) async throws {
        let number = history.submit(operation, on: disk)
        let sequence: SequenceNumber
        do {
            sequence = try await write(number)
            history.acknowledge(number, sequence, on: disk)
        } catch {
            guard let error = error as? StoreError else { throw error }
            settle()
            if error.code == .conflict {
                try expect(mayConflict, "a condition that holds was refused: \(error)")
                return
            }
            if error.code == .cancelled, mayBeCancelled { return }
            if error.code == .outcomeUnknown { history.noteUnknown(number, assuming: nextSequence) }
            if try await handle(error) {
                try expect(!isSecond, "the store still refuses writes, without a fault: \(error)")
                try await attempt(
                    operation, mayConflict: mayConflict, mayBeCancelled: mayBeCancelled, isSecond: true, write)
            }
            return
        }
        try expect(!mayConflict, "a write was accepted whose condition doesn't hold")
        settle()
        try expect(sequence == nextSequence, "a write got number \(sequence), and \(nextSequence) is the next")
        try expect(!isSecond || store!.state == .ready, "writes are accepted again, and the store is \(store!.state)")
        nextSequence += 1
        lastAccepted = sequence
        hasAccepted = true
        for change in operation.changes {
            current[change.key] = change.value.map {
                Chain.Stored(value: $0, sequence: sequence, expires: change.expires)
            }
        }
    }

    /// Handles an error like a service.
    ///
    /// - Returns: Whether to repeat the write.
    @discardableResult
    func handle(_ error: StoreError) async throws -> Bool {
        guard toleratesFaults else { throw error }
        let state = store!.state
        if error.code == .outcomeUnknown || error.code == .failed {
            guard state == .failed else { throw Violation("\(error.code) was thrown, and the store is \(state)") }
            try await recover()
            return false
        }
        try expect(Self.isOfEnvironment(error.code), "an error of the disk became \(error)")
        // A transaction may fail to read because the store has failed meanwhile.
        if state == .failed {
            try await recover()
            return false
        }
        try expect(
            error.code != .outOfSpace || state == .outOfSpace || state == .ready,
            "the disk is full, and the store is \(state)")
        try await readAll()
        removeFaults()
        moveDelays(by: 1_000_000_000)
        if store!.state == .failed {
            try await recover()
            return false
        }
        return true
    }
}

extension WorkOperation.Durability {
    var asked: Durability {
        switch self {
        case .buffered: .buffered
        case .written: .written
        case .synced: .synced
        }
    }
}

extension WorkChange {
    var expiry: Expiry { expires == 0 ? .never : .at(Timestamp(milliseconds: expires)) }
}

extension Transaction {
    func apply(_ change: WorkChange) throws {
        if let value = change.value {
            try put(change.key, value.bytes, expires: change.expiry)
        } else {
            try remove(change.key)
        }
    }
}

extension WriteBatch {
    mutating func apply(_ change: WorkChange) {
        if let value = change.value {
            put(change.key, value.bytes, expires: change.expiry)
        } else {
            remove(change.key)
        }
    }
}
