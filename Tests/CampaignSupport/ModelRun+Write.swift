internal import Heartwood
internal import HeartwoodFormat

/// Writes with and without conditions, and their outcomes.
extension ModelRun {
    func write(
        _ mutations: [ModelOperation.Mutation], _ choices: [ModelOperation.ConditionChoice], _ durability: Durability?
    ) async throws {
        let expectation = expectation(of: choices)
        let changes = mutations.map(change)
        let sequence: SequenceNumber
        do {
            sequence = try await send(mutations, choices, durability)
        } catch let error as StoreError where error.code == .conflict {
            try expect(expectation != .holds, "a write was refused though its conditions hold: \(error)")
            summary.conflicts += 1
            return
        }
        try expect(expectation != .fails, "a write was accepted though a condition doesn't hold")
        try accept(changes, sequence, durability)
    }

    /// Calls the method of the store that fits the write.
    private func send(
        _ mutations: [ModelOperation.Mutation], _ choices: [ModelOperation.ConditionChoice], _ durability: Durability?
    ) async throws -> SequenceNumber {
        let store = store!
        let conditions = choices.compactMap(condition)
        if mutations.count == 1, choices.count <= 1, conditions.count == choices.count {
            let key = model.universe.keys[mutations[0].key]
            var keyCondition: KeyCondition?
            var isForm = true
            switch choices.first {
            case .absent(mutations[0].key): keyCondition = .absent
            case .matching(mutations[0].key): keyCondition = .sequence(sequenceToMatch(mutations[0].key))
            case .stale(mutations[0].key): keyCondition = .sequence(staleSequence(mutations[0].key))
            case nil: break
            default: isForm = false
            }
            if isForm {
                guard let value = mutations[0].value else {
                    return try await store.remove(key, if: keyCondition, durability: durability)
                }
                return try await store.put(
                    key, value.bytes, expires: expiry(mutations[0].expiry), if: keyCondition, durability: durability)
            }
        }
        return try await store.write(durability: durability) { batch in
            for condition in conditions { batch.require(condition) }
            for mutation in mutations {
                let key = model.universe.keys[mutation.key]
                if let value = mutation.value {
                    batch.put(key, value.bytes, expires: expiry(mutation.expiry))
                } else {
                    batch.remove(key)
                }
            }
        }
    }

    func removeRange(_ range: RangeChoice, limit: Int?, _ durability: Durability?) async throws {
        let visible = model.firstOfOpening == nil ? visibleAtOpening : model.lastSequence
        let removed = try await store!.remove(in: range.keyRange, limit: limit, durability: durability)
        let keys = model.universe.positions(in: range).filter { model.state.visible($0) != nil }.prefix(limit ?? .max)
        try expect(removed.value == keys.count, "\(removed.value) keys were removed instead of \(keys.count)")
        if keys.isEmpty {
            return try expect(removed.sequence == visible, "a removal of nothing has number \(removed.sequence)")
        }
        try accept(keys.map { Model.Change(key: $0, value: nil) }, removed.sequence, durability)
    }

    /// Applies an acknowledged write to the model. Its sequence number must be the next.
    func accept(_ changes: [Model.Change], _ sequence: SequenceNumber, _ durability: Durability?) throws {
        if model.firstOfOpening != nil {
            try expect(
                sequence == model.lastSequence + 1, "write number \(sequence) came after number \(model.lastSequence)")
        } else {
            try expect(sequence > newestSeen, "number \(sequence) was given again: \(newestSeen) had been seen")
            try expect(
                sequence == visibleAtOpening + 1,
                "the first number of an opening is \(sequence), after \(visibleAtOpening)")
        }
        newestSeen = sequence
        let durability = durability ?? opening.configuration.durability
        model.apply(changes, sequence: sequence, isDurable: durability != .buffered)
        summary.writes += 1
        writesOfOpening += 1
    }

    func flush() async throws {
        let sequence = try await store!.sync()
        let newest = model.firstOfOpening == nil ? visibleAtOpening : model.lastSequence
        try expect(sequence == newest, "a flush went up to \(sequence), not \(newest)")
        let synced = store!.statistics.syncedSequence
        try expect(synced >= sequence, "after a flush to \(sequence) the statistics say \(synced)")
        model.becomeDurable()
    }

    // MARK: - From choices to arguments

    func change(_ mutation: ModelOperation.Mutation) -> Model.Change {
        let expiry: UInt64 =
            switch mutation.expiry {
            case .never: 0
            case .at(let delta): UInt64(Int(model.now) + delta)
            case .after(let delta): model.now + UInt64(delta)
            }
        return Model.Change(key: mutation.key, value: mutation.value, expiry: expiry)
    }

    func expiry(_ choice: ModelOperation.ExpiryChoice) -> Expiry {
        switch choice {
        case .never: .never
        case .at(let delta): .at(Timestamp(milliseconds: UInt64(Int(model.now) + delta)))
        case .after(let delta): .after(.milliseconds(delta))
        }
    }

    private func sequenceToMatch(_ key: Int) -> SequenceNumber { model.state.entries[key]?.sequence ?? newestSeen }

    private func staleSequence(_ key: Int) -> SequenceNumber { sequenceToMatch(key) &- 1 }

    /// nil if the read view doesn't exist.
    private func condition(_ choice: ModelOperation.ConditionChoice) -> Condition? {
        let keys = model.universe.keys
        return switch choice {
        case .absent(let key): .absent(keys[key])
        case .matching(let key): .sequence(keys[key], sequenceToMatch(key))
        case .stale(let key): .sequence(keys[key], staleSequence(key))
        case .unchanged(let range, let number):
            number < views.count ? .unchangedRange(range.keyRange, since: views[number].view) : nil
        case .unchangedKey(let key, let number):
            number < views.count ? .unchangedKey(keys[key], since: views[number].view) : nil
        }
    }

    /// Whether all conditions of a write hold.
    private enum Expectation { case holds, fails, either }

    private func expectation(of choices: [ModelOperation.ConditionChoice]) -> Expectation {
        var expectation = Expectation.holds
        for choice in choices {
            let holds: Bool? =
                switch choice {
                case .absent(let key): model.state.visible(key) == nil
                case .matching(let key): model.state.visible(key) != nil
                case .stale: false
                case .unchanged(let range, let number):
                    number < views.count
                        ? model.isUnchanged(range, since: views[number].sequence, base: views[number].state)
                        : true
                case .unchangedKey(let key, let number):
                    number < views.count ? isUnchanged(key, since: views[number]) : true
                }
            if holds == false { return .fails }
            if holds == nil { expectation = .either }
        }
        return expectation
    }

    /// Nil where either is allowed, as in `Model.isUnchanged`.
    private func isUnchanged(_ key: Int, since held: ModelView) -> Bool? {
        let bytes = model.universe.keys[key]
        return model.isUnchanged(.between(bytes, bytes + [0]), since: held.sequence, base: held.state)
    }
}
