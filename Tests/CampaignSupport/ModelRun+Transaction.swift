internal import Heartwood

/// Transactions, some of which conflict with a write of another task.
extension ModelRun {
    /// What one run of a transaction's closure must see.
    private struct View {
        var base: Model.State
        var written: [Int: Model.Change] = [:]
        /// The positions that were read as parts of ranges.
        var read: [Range<Int>] = []

        func entry(_ key: Int) -> Model.Entry? {
            guard let change = written[key] else { return base.visible(key) }
            guard let value = change.value, change.expiry == 0 || base.now < change.expiry else { return nil }
            return Model.Entry(value: value, sequence: 0, expiry: change.expiry)
        }
    }

    func transact(_ plan: ModelOperation.TransactionPlan) async throws {
        var runs = 0
        var changes: [Model.Change] = []
        var conflict: Bool? = false
        try await store!.transaction(durability: plan.durability) { transaction in
            runs += 1
            try expect(runs <= 3, "a transaction runs again without a conflict")
            var view = View(base: model.state)
            changes = []
            let before = newestSeen
            for (number, step) in plan.steps.enumerated() {
                if runs == 1, let other = plan.interleaved, other.step == number {
                    try await overtake(by: other.1)
                }
                try await perform(step, transaction, &view, &changes)
            }
            if runs == 1, let other = plan.interleaved {
                if other.step == plan.steps.count { try await overtake(by: other.1) }
                // What only reads has seen one state.
                conflict = changes.isEmpty ? false : interferes(other.1.key, plan.steps, after: before, view)
            }
        }
        try expect(
            conflict == nil || (runs == 2) == conflict!,
            "a transaction ran \(runs) times where it \(conflict! ? "was" : "was not") interfered with")
        summary.transactionReruns += runs - 1
        if changes.isEmpty { return }
        try accept(changes, store!.statistics.lastSequence, plan.durability)
    }

    /// Writes in another task: inside a transaction the store refuses a write of the same task.
    private func overtake(by mutation: ModelOperation.Mutation) async throws {
        let (store, key, value) = (store!, model.universe.keys[mutation.key], mutation.value?.bytes)
        let expires = expiry(mutation.expiry)
        let sequence = try await Task.detached {
            guard let value else { return try await store.remove(key, durability: .buffered) }
            return try await store.put(key, value, expires: expires, durability: .buffered)
        }.value
        try accept([change(mutation)], sequence, .buffered)
    }

    private func perform(
        _ step: ModelOperation.TransactionPlan.Step, _ transaction: Transaction, _ view: inout View,
        _ changes: inout [Model.Change]
    ) async throws {
        let keys = model.universe.keys
        switch step {
        case .get(let key):
            try compare(transaction.get(keys[key]), view.entry(key), key, "in a transaction, get")
        case .contains(let key):
            let found = try transaction.contains(keys[key])
            try expect(found == (view.entry(key) != nil), "in a transaction, contains(\(name(key))) is \(found)")
        case .entries(let range, let reversed):
            let found = try transaction.entries(in: range.keyRange, reversed: reversed, limit: .max).entries
            try compare(found, range, reversed: reversed, limit: .max, &view)
        case .page(let range, let reversed, let limit, let isAsynchronous):
            let page =
                isAsynchronous
                ? try await transaction.fetchEntries(in: range.keyRange, reversed: reversed, limit: limit)
                : try transaction.entries(in: range.keyRange, reversed: reversed, limit: limit)
            try compare(page.entries, range, reversed: reversed, limit: limit, &view)
        case .count(let range):
            let found = try transaction.count(in: range.keyRange)
            let positions = read(range, reversed: false, limit: .max, &view)
            try expect(found == positions.count, "in a transaction, a range has \(found) keys, not \(positions.count)")
        case .removeRange(let range, let limit):
            let removed = try await transaction.remove(in: range.keyRange, limit: limit)
            let positions = read(range, reversed: false, limit: limit ?? .max, &view)
            try expect(removed == positions.count, "a transaction removed \(removed) keys, not \(positions.count)")
            for key in positions {
                let change = Model.Change(key: key, value: nil)
                view.written[key] = change
                changes.append(change)
            }
        case .write(let mutation):
            let change = change(mutation)
            if let value = mutation.value {
                try transaction.put(keys[mutation.key], value.bytes, expires: expiry(mutation.expiry))
            } else {
                try transaction.remove(keys[mutation.key])
            }
            view.written[mutation.key] = change
            changes.append(change)
        }
    }

    /// The keys that a transaction finds in a range, up to a limit, in the order of the walk. Notes what was read.
    private func read(_ range: RangeChoice, reversed: Bool, limit: Int, _ view: inout View) -> [Int] {
        let all = model.universe.positions(in: range)
        let keys = all.filter { view.entry($0) != nil }
        let found = Array((reversed ? keys.reversed() : keys).prefix(limit))
        guard found.count == limit, let last = found.last else {
            view.read.append(all)
            return found
        }
        view.read.append(reversed ? last..<all.upperBound : all.lowerBound..<last + 1)
        return found
    }

    private func compare(
        _ found: [Entry], _ range: RangeChoice, reversed: Bool, limit: Int, _ view: inout View
    ) throws {
        let positions = read(range, reversed: reversed, limit: limit, &view)
        try expect(
            found.count == positions.count,
            "in a transaction, a range has \(found.count) entries instead of \(positions.count)")
        for (entry, key) in zip(found, positions) {
            try compare(entry, view.entry(key), key, "in a transaction's range")
        }
    }

    /// Whether another task's write must make the transaction run again; nil where either is allowed.
    private func interferes(
        _ other: Int, _ steps: [ModelOperation.TransactionPlan.Step], after sequence: SequenceNumber,
        _ view: View
    ) -> Bool? {
        let key = model.universe.keys[other]
        // The removal of an absent key changes nothing that a reader of the key could see.
        let hasChanged = model.isUnchanged(.between(key, key + [0]), since: sequence, base: view.base) == false
        var written: Set<Int> = []
        for step in steps {
            switch step {
            case .get(let key), .contains(let key):
                if hasChanged, key == other, !written.contains(key) { return true }
            case .entries, .page, .count, .removeRange: break
            case .write(let mutation): written.insert(mutation.key)
            }
        }
        if view.read.contains(where: { $0.contains(other) }) { return hasChanged ? true : nil }
        return false
    }
}
