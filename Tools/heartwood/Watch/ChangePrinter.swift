internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodFormat

/// Prints the changes of a store as they come.
final class ChangePrinter: Sendable {
    enum Start: Sendable {
        case now
        case firstWrite
        case after(ChangePosition)
        /// What exists now, then everything after it.
        case present
    }

    private let start: Start
    private let range: KeyRange
    private let level: ChangeLevel
    private let limit: Int
    private let isJSON: Bool
    private let form: Locked<EntryText>
    private let reached = Locked<ChangePosition?>(nil)

    init(
        _ start: Start, in range: KeyRange, _ level: ChangeLevel, limit: Int, _ form: EntryText, isJSON: Bool
    ) {
        (self.start, self.range, self.level, self.limit) = (start, range, level, limit)
        (self.form, self.isJSON) = (Locked(form), isJSON)
    }

    /// From where to follow after what was printed; nil while there is no such position.
    var position: ChangePosition? { reached.withLock { $0 } }

    /// Prints until the limit is reached, or the task is cancelled.
    ///
    /// - Throws: `StoreError`, also `.cancelled`; `CancellationError`; what writing the output throws.
    func run(on store: ReadOnlyStore) async throws {
        var output = StandardOutput()
        var left = limit
        guard let start = try await begin(store, &left, &output) else { return }
        reach(start)
        var changes = store.changes(after: start, in: range, level: level).makeAsyncIterator()
        while left > 0, let change = try await changes.next() {
            try print(ChangeLine(change), to: &output)
            left -= 1
            guard change.isLastOfBatch || left == 0 else { continue }
            // A reader follows the output.
            try output.flush()
            reach(changes.position)
        }
    }

    private func reach(_ position: ChangePosition) { reached.withLock { $0 = position } }

    private func print(_ line: ChangeLine, to output: inout StandardOutput) throws {
        let form = form.withLock { form in
            line.note(in: &form)
            return form
        }
        if isJSON { try line.writeJSON(form, to: &output) } else { try line.writeText(form, to: &output) }
    }

    // MARK: - The start

    /// The position to follow from; nil if the limit was reached before there is one.
    private func begin(
        _ store: ReadOnlyStore, _ left: inout Int, _ output: inout StandardOutput
    ) async throws -> ChangePosition? {
        if case .after(let position) = start {
            let newest = store.position
            // A store that was just opened may be at the end of an epoch of numbers, which no file has.
            let isEndOfEpoch = (position.sequence &+ 1).isMultiple(of: FormatConstants.sequenceEpoch)
            if position.store == newest.store, position.sequence > newest.sequence, !isEndOfEpoch {
                throw StoreError(
                    .positionUnavailable,
                    "the position is after the newest write of the store, number \(newest.sequence), as after a "
                        + "restored backup: read the store's present contents", file: store.path, restart: newest)
            }
            return position
        }
        // A store has no identity, and so no position, before its first write.
        let none = StoreID(low: 0, high: 0)
        if store.id == none {
            while store.id == none {
                try await Task.sleep(for: .milliseconds(50))
                try await store.refresh()
            }
            return ChangePosition(store: store.id, sequence: 0)
        }
        switch start {
        case .firstWrite: return ChangePosition(store: store.id, sequence: 0)
        case .present: return try printEntries(of: store.readView(), &left, &output)
        case .now, .after: return store.position
        }
    }

    /// Prints all entries, and returns the position of the view; nil if the limit was reached before.
    private func printEntries(
        of view: ReadView, _ left: inout Int, _ output: inout StandardOutput
    ) throws -> ChangePosition? {
        var previous: ReadEntry?
        try view.forEachEntry(in: range) { read in
            try Task.checkCancellation()
            if let previous {
                try print(ChangeLine(previous, nil), to: &output)
                left -= 1
            }
            previous = read
            return left > 0 ? .next : .stop
        }
        if left > 0, let previous {
            try print(ChangeLine(previous, view.position), to: &output)
            left -= 1
            try output.flush()
            return view.position
        }
        try output.flush()
        return previous == nil ? view.position : nil
    }
}
