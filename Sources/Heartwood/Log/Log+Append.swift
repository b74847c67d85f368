internal import HeartwoodConcurrency
internal import HeartwoodFormat
internal import Synchronization

extension Log {
    /// The result of an attempt to append.
    enum Admission {
        /// The write has this sequence number. `isVisible`: it has nothing to wait for.
        case accepted(SequenceNumber, isVisible: Bool)
        /// There was no space. Wait until the generation changes, and try again.
        case mustWait(generation: UInt64)
    }

    /// The core of every write: evaluates the conditions, numbers the batch, copies it into the open commit and adds
    /// its versions to the index. This is one step under the lock, so a sequence number that the pipeline knows is
    /// always in the index too.
    ///
    /// - Parameter ticket: Identifies the write over its attempts. Pass 0 at the first attempt; it is then set.
    /// - Throws: `.conflict`, `.closed`, `.failed`; `.invalidArgument` inside a transaction of the store. No sequence
    ///   number was used then.
    func append(
        _ batch: EncodedBatch, _ conditions: [Requirement], _ durability: Durability.Level, _ ticket: inout UInt64
    ) throws(StoreError) -> Admission {
        if ticket == 0 { ticket = state.space.makeTicket() }
        try judge(conditions)
        return try append(
            length: batch.encodedLength, count: batch.recordCount, acceptedBytes: batch.acceptedBytes,
            removesOnly: batch.removesOnly, hasExternals: !batch.externals.isEmpty, durability, ticket
        ) { buffer, sequence, base, stores, writer in
            // Prefetches the leaves of several records before the first of them is needed.
            var group = AppendedGroup(index: index, base: base)
            buffer.append(batch, sequence: sequence) { group.add($0, to: &writer) }
            storeOpen(if: stores)
            group.flush(to: &writer)
        }
    }

    /// The same for a single record without conditions that isn't encoded yet.
    ///
    /// - Parameter preparation: The index's, for the record's key.
    func append(
        _ record: SingleRecord, _ durability: Durability.Level, _ preparation: VersionedIndex.Preparation
    ) throws(StoreError) -> Admission {
        let ticket = state.space.makeTicket()
        let admission = try append(
            length: record.encodedLength, count: 1, acceptedBytes: record.key.count + record.value.count,
            removesOnly: record.kind == .delete, hasExternals: false, durability, ticket
        ) { buffer, sequence, base, stores, writer in
            let offset = buffer.append(record, sequence: sequence)
            storeOpen(if: stores)
            writer.add(
                key: record.key,
                version: Version(
                    location: RecordLocation(address: base + offset >> 3, length: record.encodedLength),
                    expiry: record.expiry,
                    isTombstone: record.kind == .delete),
                preparation)
        }
        // The caller tries again with a batch, which has another ticket.
        if case .mustWait = admission { state.space.unclaim(ticket) }
        return admission
    }

    /// Throws `.conflict` unless all conditions hold in the newest state.
    fileprivate func judge(_ conditions: [Requirement]) throws(StoreError) {
        for condition in conditions where !condition.holds(in: image) { throw condition.conflict }
    }

    /// - Parameter fill: Adds the records to the buffer, stores the commit if the flag says so, and then adds the
    ///   versions to the index. In this order, records that readers find are already in the kernel if that was
    ///   requested. It gets the address at which the segment begins.
    @inline(__always)
    private func append(
        length: Int, count: Int, acceptedBytes: Int, removesOnly: Bool, hasExternals: Bool,
        _ durability: Durability.Level, _ ticket: UInt64,
        _ fill: (CommitBuffer, SequenceNumber, UInt64, Bool, inout VersionedIndex.Writer) -> Void
    ) throws(StoreError) -> Admission {
        if !state.life.acceptsAllWrites { try checkLimits() }
        guard
            state.ensureSpace(for: length, removesOnly: removesOnly, ticket: ticket, segments)
        else {
            wakeWriter(&state, deadline: 0)
            return .mustWait(generation: state.space.generation)
        }
        let base = state.commits.open.identity.baseAddress
        let start = state.commits.open.end
        let end = start + UInt64(length)
        let addresses = base + start >> 3...base + end >> 3 - 1
        let stores = durability == .written && !hasExternals && isStorable(to: end)
        let isFirst = state.commits.pipeline.open == nil
        let now = isFirst && !(stores && state.commits.pipeline.unsyncedSince != nil) ? delays.now() : 0
        // A commit that is stored now waits only for what an earlier write waits for.
        let (sequence, isVisible) = state.commits.pipeline.accept(
            stores ? .buffered : durability, now: now, address: addresses.upperBound)
        let buffer = state.commits.open
        index.applyUnderLock(sequence: sequence, addresses: addresses, count: count, publish: isVisible) { writer in
            fill(buffer, sequence, base, stores, &writer)
        }
        state.counters.batches += 1
        state.counters.records += UInt64(count)
        state.counters.acceptedBytes += UInt64(acceptedBytes)
        if !stores { wakeWriter(&state, for: durability, isFirst: isFirst, now: now) }
        return .accepted(sequence, isVisible: isVisible)
    }

    /// Whether the open commit can be stored when it ends at `end`. If not, the log writer writes it, and prepares the
    /// mapping for later ones.
    @inline(__always)
    private func isStorable(to end: UInt64) -> Bool {
        state.commits.usesMapping = true
        return state.space.plan.isPopulated(to: end) && state.commits.isStorable(to: end)
    }

    /// Stores the open commit to the mapping, so that it is in the kernel. From here on, readers find its records in
    /// the file.
    @inline(__always)
    private func storeOpen(if stores: Bool) {
        guard stores else { return }
        let time = now.milliseconds
        let buffer = state.commits.open
        let isFirstUnsynced = state.commits.pipeline.unsyncedSince == nil
        state.counters.commits += 1
        state.counters.writtenBytes += UInt64(buffer.count)
        state.commits.store(time: time)
        image.unwrittenFrom.store(buffer.identity.baseAddress + buffer.offset >> 3, ordering: .releasing)
        if isFirstUnsynced {
            wakeWriter(&state, deadline: state.commits.pipeline.backgroundSync ?? .max)
        }
        if state.commits.pipeline.followedFrom != nil { wakeWriter(&state, deadline: 0) }
        if buffer.offset > state.space.due { askForSpaceAhead() }
    }

    @inline(never)
    private func askForSpaceAhead() {
        state.space.due = .max
        state.space.wantsAhead = true
        wakeWriter(&state, deadline: 0)
    }

    /// Throws unless the store accepts a write of this task.
    @inline(never)
    private func checkLimits() throws(StoreError) {
        try state.life.checkAcceptsWrites()
        try state.life.checkOutsideTransaction()
    }
}

/// What callers do on the actor.
nonisolated extension Log {
    /// Evaluates conditions, for a write without operations.
    func confirm(_ conditions: [Requirement]) throws(StoreError) {
        try isolated { (log) throws(StoreError) in try log.judge(conditions) }
    }

    @inline(__always)
    private func wakeWriter(_ state: inout State, for durability: Durability.Level, isFirst: Bool, now: UInt64) {
        if durability != .buffered {
            wakeWriter(&state, deadline: 0)
        } else if state.commits.open.count >= state.commits.bufferBytes / 4 {
            state.commits.pipeline.requestWrite()
            wakeWriter(&state, deadline: 0)
        } else if isFirst {
            wakeWriter(&state, deadline: state.commits.pipeline.writeDue(acceptedAt: now))
        }
    }

    /// Waits until there may be space.
    ///
    /// - Parameter length: The length of the batch for which there was no space.
    /// - Throws: Why there is none (usually `.outOfSpace`), `.closed`, `.failed`.
    nonisolated(nonsending) func waitForSpace(since generation: UInt64, for length: Int) async throws(StoreError) {
        let start = monotonicNanoseconds()
        let failure = await Sleeper.suspend { wake($0, whenSpaceChangesFrom: generation, length) }
        noteWaited(since: start)
        if let failure { throw failure }
    }

    /// The same for a thread, which it blocks.
    func blockForSpace(since generation: UInt64, for length: Int) throws(StoreError) {
        let start = monotonicNanoseconds()
        let failure = Sleeper.block { wake($0, whenSpaceChangesFrom: generation, length) }
        noteWaited(since: start)
        if let failure { throw failure }
    }

    private func noteWaited(since start: UInt64) {
        let waited = monotonicNanoseconds() &- start
        withState { $0.counters.waitedForRoom += waited }
    }

    private func wake(_ sleeper: Sleeper<StoreError?>, whenSpaceChangesFrom generation: UInt64, _ length: Int) {
        let passes = withState { state -> Bool in
            guard state.space.generation == generation, state.life.acceptsWrites else { return true }
            state.space.wait(sleeper, for: length)
            return false
        }
        if passes { sleeper.resume(returning: nil) }
    }

    /// Abandons a write. Other writes that wait for it may continue.
    func withdraw(ticket: UInt64) {
        let waiters = withState { state -> [Sleeper<StoreError?>] in
            state.space.unclaim(ticket) ? state.space.takeWaiters() : []
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    /// Requests a sync up to a sequence number, unless one is already coming; nil for everything accepted so far.
    ///
    /// - Returns: That number.
    func requestSync(through sequence: SequenceNumber? = nil) throws(StoreError) -> SequenceNumber {
        try withState { (state) throws(StoreError) in
            try state.life.checkAcceptsWrites()
            let last = state.commits.pipeline.lastSequence
            guard let sequence else {
                state.commits.pipeline.requestSync()
                wakeWriter(&state, deadline: 0)
                return last
            }
            guard sequence <= last else {
                throw StoreError(
                    .invalidArgument,
                    "no write has the number \(sequence) yet, the newest is \(last): wait for numbers that writes of "
                        + "this store have returned")
            }
            if state.commits.pipeline.requestSync(through: sequence) { wakeWriter(&state, deadline: 0) }
            return sequence
        }
    }

    /// Wakes the log writer if it would sleep beyond the deadline. Waking costs microseconds, so it is done once per
    /// sleep.
    func wakeWriter(_ state: inout State, deadline: UInt64) {
        guard let sleepsUntil = state.writerSleepsUntil, deadline < sleepsUntil else { return }
        state.writerSleepsUntil = nil
        executor.signal()
    }
}

extension VersionedIndex.Writer {
    @inline(__always)
    fileprivate mutating func add(
        _ record: CommitBuffer.Appended, base: UInt64, _ preparation: VersionedIndex.Preparation
    ) {
        let header = record.header
        add(
            key: record.key,
            version: Version(
                location: RecordLocation(address: base + record.offset >> 3, length: header.encodedLength),
                expiry: header.expiry, isTombstone: header.kind == .delete),
            preparation)
    }
}

/// Adds the records of a batch to the index, eight at a time. Most of their leaves are in no cache, so they are
/// prefetched together: first the slots of all, then the cells of all.
private struct AppendedGroup {
    let index: VersionedIndex
    let base: UInt64
    private var records = InlineArray<8, CommitBuffer.Appended?>(repeating: nil)
    private var preparations = InlineArray<8, VersionedIndex.Preparation>(repeating: .none)
    private var count = 0

    init(index: VersionedIndex, base: UInt64) {
        self.index = index
        self.base = base
    }

    @inline(__always)
    mutating func add(_ record: CommitBuffer.Appended, to writer: inout VersionedIndex.Writer) {
        if count == 8 { flush(to: &writer) }
        records[count] = record
        preparations[count] = index.preparer.prepare(record.key)
        count += 1
    }

    mutating func flush(to writer: inout VersionedIndex.Writer) {
        for index in 0..<count { preparations[index].refine(records[index]!.key) }
        for index in 0..<count { writer.add(records[index]!, base: base, preparations[index]) }
        count = 0
    }
}
