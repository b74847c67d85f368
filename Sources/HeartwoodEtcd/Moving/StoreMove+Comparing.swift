#if Etcd
import KeyValueStore

/// The comparison of two stores, and the writes that make them equal.
extension StoreMove {
    /// Walks over both stores in the order of keys, and writes the differences.
    func synchronize(
        with view: any KeyValueView, _ report: @Sendable (Summary) -> Void
    ) async throws(StoreError) -> Summary {
        var summary = Summary(position: view.position)
        var (wanted, found) = (EntryWalk(view), EntryWalk(target))
        var (left, right) = (try await wanted.next(), try await found.next())
        var operations: [WriteBatch.Operation] = []
        while left != nil || right != nil {
            let order = Self.order(left, right)
            if order <= 0, let entry = left {
                summary.keys += 1
                if order < 0 || !isEqual(entry, right) {
                    operations.append(operation(entry.key, entry.value, entry.expires))
                }
            } else if let entry = right {
                operations.append(.init(key: entry.key, value: nil))
            }
            if order <= 0 { left = try await wanted.next() }
            if order >= 0 { right = try await found.next() }
            if operations.count < 256 && cost(operations) < budget { continue }
            summary.changed += operations.count
            try await write(operations)
            operations = []
            report(summary)
        }
        summary.changed += operations.count
        try await write(operations)
        report(summary)
        return summary
    }

    /// Negative if the first entry comes first; an entry that isn't there comes last.
    private static func order(_ left: Entry?, _ right: Entry?) -> Int {
        guard let left else { return 1 }
        guard let right else { return -1 }
        return KeyOrder.compare(left.key, right.key)
    }

    private func isEqual(_ entry: Entry, _ other: Entry?) -> Bool {
        entry.value == other?.value && rounded(entry.expires) == rounded(other?.expires)
    }

    /// An expiry as both stores can have it.
    private func rounded(_ time: Timestamp?) -> UInt64? {
        let grains = [source.limits.expiryGrain, target.limits.expiryGrain]
        let grain = grains.map { (Timestamp(milliseconds: 0) + $0).milliseconds }.max() ?? 1
        guard let time, grain > 1 else { return time?.milliseconds }
        return time.milliseconds / grain + (time.milliseconds % grain == 0 ? 0 : 1)
    }

    func operation(_ key: [UInt8], _ value: [UInt8], _ expires: Timestamp?) -> WriteBatch.Operation {
        WriteBatch.Operation(key: key, value: value, expires: expires.map { .at($0) } ?? .never)
    }

    // MARK: Writing

    /// The most bytes of a batch. A removal may need its key three times.
    private var budget: Int { min(target.limits.batchBytes, 4 << 20) / 4 }

    private func cost(_ operations: [WriteBatch.Operation]) -> Int {
        operations.reduce(0) { sum, operation in
            sum + operation.key.count * (operation.value == nil ? 3 : 1) + (operation.value?.count ?? 0)
                + target.limits.operationOverhead
        }
    }

    /// Writes operations, in several batches if the target doesn't allow as many in one.
    func write(_ operations: [WriteBatch.Operation]) async throws(StoreError) {
        var batch = WriteBatch()
        for operation in operations {
            let isFull = batch.operations.count >= min(256, target.limits.operations)
            if !batch.operations.isEmpty && (isFull || cost(batch.operations + [operation]) > budget) {
                try await target.write(batch, durability: .synced)
                batch = WriteBatch()
            }
            batch.operations.append(operation)
        }
        if !batch.operations.isEmpty { try await target.write(batch, durability: .synced) }
    }
}

/// The entries of a store in order, page by page, without the mark of a move.
private struct EntryWalk {
    private let reader: any KeyValueReader
    /// In reverse order.
    private var page: [Entry] = []
    private var rest: KeyRange? = .all

    init(_ reader: any KeyValueReader) { self.reader = reader }

    mutating func next() async throws(StoreError) -> Entry? {
        while page.isEmpty, let range = rest {
            if Task.isCancelled { throw StoreError(.cancelled, "the task was cancelled: start the move again") }
            let next = try await reader.fetchEntries(in: range, reversed: false, limit: 256)
            page = next.entries.filter { $0.key != StoreMove.markKey }.reversed()
            rest = next.next
        }
        return page.popLast()
    }
}
#endif
