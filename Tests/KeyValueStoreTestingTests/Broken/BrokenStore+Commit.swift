import KeyValueStore
import KeyValueStoreTesting

extension BrokenStore {
    func write(_ batch: WriteBatch, durability: Durability?) async throws(StoreError) -> SequenceNumber {
        if fault != .writesInsideTransactions { try Transaction.checkOutside(of: self) }
        var batch = batch
        switch fault {
        case .splitsBatches where batch.operations.count > 1:
            let last = batch.operations.removeLast()
            _ = try await write(batch)
            return try await write(WriteBatch(operations: [last]))
        case .losesLastOperation where batch.operations.count > 10:
            batch.operations.removeLast()
        case .keepsRemovedKey where batch.operations.count == 1 && batch.operations[0].value == nil:
            batch.operations = []
        case .returnsOldNumber where batch.operations.count == 2:
            let view = try await inner.readView()
            _ = try await write(batch)
            return view.position.sequence
        case .writesDespiteConflict:
            do {
                return try await write(batch)
            } catch {
                if error.code == .conflict { _ = try await write(WriteBatch(operations: batch.operations)) }
                throw error
            }
        case .writesBeforeLimits where batch.operations.count > limits.operations:
            _ = try await write(WriteBatch(operations: Array(batch.operations.prefix(100))))
        case .writesCancelled where Task.isCancelled:
            let (inner, written) = (inner, batch)
            _ = await Task.detached { try? await inner.write(written, durability: nil) }.value
            throw StoreError(.cancelled, "a lie")
        case .countsExpiryPerKey:
            for (index, operation) in batch.operations.enumerated() {
                guard case .after(let duration) = operation.expires.kind else { continue }
                batch.operations[index].expires = .after(duration + .seconds(index))
            }
        case .keepsPastExpiry:
            for (index, operation) in batch.operations.enumerated() {
                guard case .at(let time) = operation.expires.kind, time.milliseconds < 2 else { continue }
                batch.operations[index].expires = .never
            }
        default:
            try await breakConditions(&batch)
        }
        return try await write(batch)
    }

    /// Writes a batch as it is.
    private func write(_ batch: WriteBatch) async throws(StoreError) -> SequenceNumber {
        var batch = batch
        batch.conditions = batch.conditions.map { condition in
            switch condition.kind {
            case .unchangedKey(let key, let view): .unchangedKey(key, since: (view as? View)?.inner ?? view)
            case .unchangedRange(let range, let view): .unchangedRange(range, since: (view as? View)?.inner ?? view)
            case .absent, .sequence: condition
            }
        }
        return try await inner.write(batch, durability: nil)
    }

    private func breakConditions(_ batch: inout WriteBatch) async throws(StoreError) {
        switch fault {
        case .ignoresConditions: batch.conditions = []
        case .evaluatesOneCondition: batch.conditions = Array(batch.conditions.prefix(1))
        case .skipsConditionsOfEmptyBatch where batch.operations.isEmpty: batch.conditions = []
        case .evaluatesAfterBatch: batch.conditions.removeAll { $0.isFulfilled(by: batch.operations) }
        default:
            var conditions: [Condition] = []
            for condition in batch.conditions {
                if let condition = try await broken(condition) { conditions.append(condition) }
            }
            batch.conditions = conditions
        }
        if fault == .evaluatesAfterBatch, batch.conditions.contains(where: { $0.isBroken(by: batch.operations) }) {
            throw StoreError(.conflict, "the batch breaks its own condition")
        }
    }

    /// Nil if the condition is ignored.
    private func broken(_ condition: Condition) async throws(StoreError) -> Condition? {
        switch (fault, condition.kind) {
        case (.zeroIsAbsent, .sequence(let key, 0)):
            return .absent(key)
        case (.acceptsForeignViews, .unchangedKey(_, let view)), (.acceptsForeignViews, .unchangedRange(_, let view)):
            return (view as? View)?.store === self ? condition : nil
        case (.ignoresRangeInserts, .unchangedRange(let range, let view)):
            let before = try await view.fetchCount(in: range)
            return try await inner.fetchCount(in: range) >= before ? nil : condition
        case (.ignoresRangeRemovals, .unchangedRange(let range, let view)):
            let page = try await inner.fetchEntries(in: range, reversed: false, limit: .max)
            return page.entries.contains { $0.sequence > view.position.sequence } ? condition : nil
        case (.ignoresKeyRemovals, .unchangedKey(let key, _)):
            return try await inner.fetchEntry(key) == nil ? nil : condition
        case (.comparesValues, .unchangedKey(let key, let view)):
            return try await inner.fetchEntry(key)?.value == view.fetchEntry(key)?.value ? nil : condition
        case (.expiryIsAChange, .unchangedKey(let key, let view)):
            let (before, after) = (try await view.fetchEntry(key), try await inner.fetchEntry(key))
            return before != nil && after == nil ? .sequence(key, 0) : condition
        case (.rangeConditionOmitsUpperBound, .unchangedRange(var range, let view)):
            if case .included(let key) = range.upper { range.upper = .excluded(key) }
            return .unchangedRange(range, since: view)
        default:
            return condition
        }
    }
}

extension Condition {
    /// Whether the condition holds after operations, whatever was before.
    fileprivate func isFulfilled(by operations: [WriteBatch.Operation]) -> Bool {
        guard case .absent(let key) = kind else { return false }
        return operations.contains { $0.key == key && $0.value == nil }
    }

    /// Whether the condition doesn't hold after operations, whatever was before.
    fileprivate func isBroken(by operations: [WriteBatch.Operation]) -> Bool {
        switch kind {
        case .absent(let key): operations.contains { $0.key == key && $0.value != nil }
        case .sequence(let key, _), .unchangedKey(let key, _): operations.contains { $0.key == key }
        case .unchangedRange: false
        }
    }
}
