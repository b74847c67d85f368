internal import HeartwoodTesting
internal import Synchronization

/// The data that all handles of a ``ConstrainedStore`` share. What a call decides and changes is one step of the actor,
/// between the suspensions at its beginning and at its end.
actor ConstrainedCluster {
    nonisolated let id: StoreID
    nonisolated let behaviour: ConstrainedStore.Behaviour
    private nonisolated let clock: (@Sendable () -> Timestamp)?
    nonisolated var now: Timestamp { clock?() ?? .system }
    /// The number of the newest write, for reads outside of the actor.
    private nonisolated let newest = Atomic<SequenceNumber>(0)
    private var random: SeededRandom
    var map = VersionedMap()
    var changes = ChangeHistory()
    var statistics = ConstrainedStore.Statistics()
    private var sequence: SequenceNumber = 0
    private var compactions = 0
    /// When keys expire, if they do.
    private var expiries: [[UInt8]: Timestamp] = [:]
    private var nextExpiry: Timestamp?
    /// What ends the waiting of feeds.
    var waitingFeeds: [AsyncStream<Void>.Continuation] = []

    init(_ behaviour: ConstrainedStore.Behaviour, clock: (@Sendable () -> Timestamp)?) {
        // Not from the seed: two stores with one behaviour are still two stores.
        id = StoreID(low: .random(in: 0 ... .max), high: .random(in: 0 ... .max))
        (self.behaviour, self.clock, random) = (behaviour, clock, SeededRandom(behaviour.seed))
    }

    /// The position after the newest write.
    nonisolated var position: ChangePosition {
        ChangePosition(store: id, sequence: newest.load(ordering: .sequentiallyConsistent))
    }

    /// Lets other tasks run: in each call, before and after its work.
    func suspend() async {
        for _ in 0..<Int.random(in: 0...max(0, behaviour.yields), using: &random) { await Task.yield() }
        if behaviour.delay > .zero {
            try? await Task.sleep(for: behaviour.delay * Double.random(in: 0...1, using: &random))
        }
    }

    /// Begins the work of a call.
    func begin(_ handle: ConstrainedStore.Handle) throws(StoreError) {
        if handle.isClosed.load(ordering: .sequentiallyConsistent) { throw .closed }
        removeExpired()
    }

    // MARK: Views

    func makeView(of handle: ConstrainedStore.Handle) async throws(StoreError) -> ConstrainedStore.View {
        await suspend()
        try begin(handle)
        let view = ConstrainedStore.View(self, handle, position, writes: statistics.writes, compactions: compactions)
        await suspend()
        return view
    }

    func compact() {
        removeExpired()
        compactions += 1
        changes.removeAll(through: sequence)
        wakeFeeds()
    }

    // MARK: Reads

    func entries(
        of keys: [[UInt8]], in view: ConstrainedStore.View?, of handle: ConstrainedStore.Handle
    ) async throws(StoreError) -> [Entry?] {
        try await read(view, handle) { (sequence) throws(StoreError) in
            for key in keys { try behaviour.limits.check(key) }
            return keys.map { map.entry($0, at: sequence) }
        }
    }

    func page(
        of range: KeyRange, reversed: Bool, limit: Int, in view: ConstrainedStore.View?,
        of handle: ConstrainedStore.Handle
    ) async throws(StoreError) -> EntryPage {
        guard limit >= 1 else {
            throw StoreError(.invalidArgument, "the limit is \(limit): a page has at least 1 entry")
        }
        return try await read(view, handle) { (sequence) throws(StoreError) in
            map.page(of: range, reversed: reversed, limit: limit, at: sequence)
        }
    }

    func count(
        of range: KeyRange, in view: ConstrainedStore.View?, of handle: ConstrainedStore.Handle
    ) async throws(StoreError) -> Int {
        try await read(view, handle) { (sequence) throws(StoreError) in map.count(of: range, at: sequence) }
    }

    /// Reads the newest state, or that of a view.
    ///
    /// - Parameter body: Gets the number of the last write that is shown.
    private func read<R>(
        _ view: ConstrainedStore.View?, _ handle: ConstrainedStore.Handle,
        _ body: (SequenceNumber) throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        await suspend()
        let result = try body(try beginRead(in: view, of: handle))
        await suspend()
        return result
    }

    /// Begins a read.
    ///
    /// - Returns: The number of the last write that it shows.
    private func beginRead(
        in view: ConstrainedStore.View?, of handle: ConstrainedStore.Handle
    ) throws(StoreError) -> SequenceNumber {
        try begin(handle)
        statistics.reads += 1
        try failSometimes()
        guard let view else { return sequence }
        let isOld = behaviour.writesPerView.map { statistics.writes - view.writes > $0 } ?? false
        if isOld || view.compactions != compactions || happens(behaviour.viewEnds) {
            view.hasEnded.store(true, ordering: .relaxed)
        }
        if view.hasEnded.load(ordering: .relaxed) {
            throw StoreError(.viewEnded, "the engine no longer has the view: make a new one, and read again")
        }
        return view.position.sequence
    }

    private func happens(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &random) < probability
    }

    /// The failure of a read.
    func failSometimes() throws(StoreError) {
        guard happens(behaviour.readFailures) else { return }
        statistics.readFailures += 1
        throw StoreError(.inputOutput, "the engine can't be reached: read again")
    }

    // MARK: Writes

    func commit(_ batch: WriteBatch, of handle: ConstrainedStore.Handle) async throws(StoreError) -> SequenceNumber {
        await suspend()
        try begin(handle)
        try behaviour.limits.check(batch) { ($0 as? ConstrainedStore.View)?.cluster === self }
        if Task.isCancelled { throw .cancelled }
        if happens(behaviour.commitFailures) {
            statistics.commitFailures += 1
            throw StoreError(.inputOutput, "the engine can't be reached, nothing was written: write again")
        }
        let isUnknown = happens(behaviour.unknownOutcomes)
        let conditionsHold = holds(batch.conditions)
        if isUnknown {
            let isWritten = Bool.random(using: &random) && conditionsHold
            statistics.unknownWritten += isWritten ? 1 : 0
            statistics.unknownNotWritten += isWritten ? 0 : 1
            if isWritten { _ = write(batch.operations) }
            await suspend()
            throw StoreError(.outcomeUnknown, "the engine didn't answer: read what was written")
        }
        let isSpurious = conditionsHold && !batch.conditions.isEmpty && happens(behaviour.spuriousConflicts)
        if !conditionsHold || isSpurious {
            statistics.spuriousConflicts += isSpurious ? 1 : 0
            await suspend()
            throw StoreError(.conflict, "a key of a condition changed: read it again and decide again")
        }
        let number = batch.operations.isEmpty ? sequence : write(batch.operations)
        await suspend()
        return number
    }

    private func holds(_ conditions: [Condition]) -> Bool {
        conditions.allSatisfy { condition in
            switch condition.kind {
            case .absent(let key): map.entry(key, at: sequence) == nil
            case .sequence(let key, let expected): map.entry(key, at: sequence)?.sequence == expected
            case .unchangedKey(let key, let view): map.isUnchanged(key, since: view.position.sequence)
            case .unchangedRange(let range, let view): map.isUnchanged(range, since: view.position.sequence)
            }
        }
    }

    private func write(_ operations: [WriteBatch.Operation]) -> SequenceNumber {
        let (now, number) = (now, nextSequence())
        var written: [Change] = []
        for operation in operations {
            let wasThere = map.entry(operation.key, at: number) != nil
            guard let value = operation.value else {
                if wasThere { written.append(remove(operation.key, number, isExpiry: false)) }
                continue
            }
            let expires = moment(operation.expires, now)
            map.append(.init(sequence: number, value: value, expires: expires), to: operation.key)
            expiries[operation.key] = expires
            if let expires { nextExpiry = min(nextExpiry ?? expires, expires) }
            written.append(change(operation.key, .put(value: value, expires: expires), number))
        }
        statistics.writes += 1
        publish(written, number)
        return number
    }

    private func remove(_ key: [UInt8], _ number: SequenceNumber, isExpiry: Bool) -> Change {
        map.append(.init(sequence: number, value: nil, expires: nil, isExpiry: isExpiry), to: key)
        expiries[key] = nil
        return change(key, .remove, number)
    }

    private func change(_ key: [UInt8], _ action: Change.Action, _ number: SequenceNumber) -> Change {
        Change(key: key, action: action, sequence: number, isLastOfBatch: false, store: id)
    }

    private func nextSequence() -> SequenceNumber {
        sequence + UInt64.random(in: 1...max(1, behaviour.sequenceStep), using: &random)
    }

    /// Makes a write visible.
    private func publish(_ written: [Change], _ number: SequenceNumber) {
        sequence = number
        newest.store(number, ordering: .sequentiallyConsistent)
        changes.append(written)
        wakeFeeds()
    }

    // MARK: Expiry

    /// When a value expires: a multiple of the grain.
    private func moment(_ expiry: Expiry, _ now: Timestamp) -> Timestamp? {
        let exact = expiry.stored(now: now)
        if exact == 0 { return nil }
        let grain = (Timestamp(milliseconds: 0) + behaviour.limits.expiryGrain).milliseconds
        let remainder = grain > 1 ? exact % grain : 0
        if remainder == 0 { return Timestamp(milliseconds: exact) }
        let (rounded, overflow) = exact.addingReportingOverflow(grain - remainder)
        return Timestamp(milliseconds: overflow ? .max : rounded)
    }

    /// Removes what has expired, by one write for each point in time.
    private func removeExpired() {
        let now = now
        while let moment = nextExpiry, moment <= now {
            let expired = expiries.filter { $0.value == moment }.keys.sorted { KeyOrder.compare($0, $1) < 0 }
            if !expired.isEmpty {
                let number = nextSequence()
                publish(expired.map { remove($0, number, isExpiry: true) }, number)
            }
            nextExpiry = expiries.values.min()
        }
    }
}
