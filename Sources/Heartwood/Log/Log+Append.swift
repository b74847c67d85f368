internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import Synchronization

extension Log {
    /// What became of an attempt to append.
    enum Admission {
        /// It has this number; `isVisible` when no wait is left.
        case accepted(SequenceNumber, isVisible: Bool)
        /// There was no room; wait for a change of this generation and try again.
        case mustWait(generation: UInt64)
    }

    /// The one write: judges the conditions, numbers the batch, copies it into the open commit and adds its versions to the
    /// index. Nothing comes between, so a number that the pipeline knows is always in the index too.
    ///
    /// - Parameter ticket: Identifies the write over its attempts; 0 at the first, which gets one.
    /// - Throws: `.conflict`, `.closed`, `.failed`; `.invalidArgument` inside a transaction of the store. Nothing was numbered
    ///   then.
    fileprivate func append(
        _ batch: EncodedBatch, _ conditions: [Condition], _ durability: Durability.Level, _ ticket: inout UInt64
    ) throws(StoreError) -> Admission {
        if ticket == 0 { ticket = state.room.makeTicket() }
        try judge(conditions)
        return try append(
            length: batch.encodedLength, count: batch.recordCount, acceptedBytes: batch.acceptedBytes,
            removesOnly: batch.removesOnly, hasExternals: !batch.externals.isEmpty, durability, ticket
        ) { buffer, sequence, base, stores, writer in
            // The leaves of some records are asked for before the first of them is needed.
            var group = AppendedGroup(tree: index.tree, base: base)
            buffer.append(batch, sequence: sequence) { group.add($0, to: &writer) }
            storeOpen(if: stores)
            group.flush(to: &writer)
        }
    }

    /// The same for a single record without conditions that isn't encoded yet.
    ///
    /// - Parameter hint: What the index said of its key.
    fileprivate func append(
        _ record: UnplacedRecord, _ durability: Durability.Level, _ hint: LeafHint
    ) throws(StoreError) -> Admission {
        let ticket = state.room.makeTicket()
        let admission = try append(
            length: record.encodedLength, count: 1, acceptedBytes: record.key.count + record.value.count,
            removesOnly: record.kind == .delete, hasExternals: false, durability, ticket
        ) { buffer, sequence, base, stores, writer in
            let offset = buffer.append(record, sequence: sequence)
            storeOpen(if: stores)
            writer.add(
                key: record.key,
                version: Version(
                    place: Place(address: base + offset >> 3, length: record.encodedLength), expiry: record.expiry,
                    isTombstone: record.kind == .delete),
                hint: hint)
        }
        // It comes again as a batch, with another ticket.
        if case .mustWait = admission { state.room.unclaim(ticket) }
        return admission
    }

    /// Throws `.conflict` unless all of them hold in the newest state.
    fileprivate func judge(_ conditions: [Condition]) throws(StoreError) {
        for condition in conditions where !condition.holds(in: self) { throw condition.conflict }
    }

    /// - Parameter fill: Gives the records to the buffer, stores the commit where it is told to, and gives the versions to the
    ///   index: what readers can find is in the kernel where that was promised. Gets the address at which the segment begins.
    @inline(__always)
    private func append(
        length: Int, count: Int, acceptedBytes: Int, removesOnly: Bool, hasExternals: Bool,
        _ durability: Durability.Level, _ ticket: UInt64,
        _ fill: (CommitBuffer, SequenceNumber, UInt64, Bool, inout VersionedIndex.Writer) -> Void
    ) throws(StoreError) -> Admission {
        let state = executor.pointer
        if !state.pointee.life.acceptsAllWrites { try checkLimits() }
        guard
            state.pointee.makeRoom(for: length, removesOnly: removesOnly, ticket: ticket, segments)
        else {
            wakeWriter(&state.pointee, deadline: 0)
            return .mustWait(generation: state.pointee.room.generation)
        }
        let base = state.pointee.commits.open.identity.baseAddress
        let start = state.pointee.commits.open.end
        let end = start + UInt64(length)
        let addresses = base + start >> 3...base + end >> 3 - 1
        let stores = durability == .written && !hasExternals && isStorable(to: end)
        let isFirst = state.pointee.commits.pipeline.open == nil
        let now = isFirst && !(stores && state.pointee.commits.pipeline.unsyncedSince != nil) ? delays.now() : 0
        // What is stored at once waits for nothing but what an earlier write waits for.
        let (sequence, isVisible) = state.pointee.commits.pipeline.accept(
            stores ? .buffered : durability, now: now, address: addresses.upperBound)
        let buffer = state.pointee.commits.open
        index.applyUnderLock(sequence: sequence, addresses: addresses, count: count, publish: isVisible) { writer in
            fill(buffer, sequence, base, stores, &writer)
        }
        state.pointee.counters.batches += 1
        state.pointee.counters.records += UInt64(count)
        state.pointee.counters.acceptedBytes += UInt64(acceptedBytes)
        if !stores { wakeWriter(&state.pointee, for: durability, isFirst: isFirst, now: now) }
        return .accepted(sequence, isVisible: isVisible)
    }

    /// Whether the open commit can be stored once it reaches up to `end`; if not, the log writer writes it, and sees to it that
    /// later ones can.
    @inline(__always)
    private func isStorable(to end: UInt64) -> Bool {
        let state = executor.pointer
        state.pointee.commits.usesMapping = true
        return state.pointee.room.plan.isPopulated(to: end) && state.pointee.commits.isStorable(to: end)
    }

    /// Stores the open commit to the mapping, so that it is in the kernel. Readers find its records in the file from here on.
    @inline(__always)
    private func storeOpen(if stores: Bool) {
        guard stores else { return }
        let state = executor.pointer
        let time = now.milliseconds
        let buffer = state.pointee.commits.open
        let isFirstUnsynced = state.pointee.commits.pipeline.unsyncedSince == nil
        state.pointee.counters.commits += 1
        state.pointee.counters.writtenBytes += UInt64(buffer.count)
        state.pointee.commits.store(time: time)
        noteTime(time)
        unwrittenFrom.store(buffer.identity.baseAddress + buffer.offset >> 3, ordering: .releasing)
        if isFirstUnsynced {
            wakeWriter(&state.pointee, deadline: state.pointee.commits.pipeline.backgroundSync ?? .max)
        }
        if buffer.offset > state.pointee.room.due { askForRoomAhead() }
    }

    @inline(never)
    private func askForRoomAhead() {
        state.room.due = .max
        state.room.wantsAhead = true
        wakeWriter(&state, deadline: 0)
    }

    /// Throws unless the store accepts a write of this task.
    @inline(never)
    private func checkLimits() throws(StoreError) {
        try state.life.checkAcceptsWrites()
        if state.life.transactions > 0, TransactionScope.contains(self) { throw .writeInsideTransaction }
    }
}

/// Onto the actor, without being suspended.
///
/// Sound because `run` has the actor's lock, which is what it is to be on the actor, and because what is lent is lent until
/// it returns. `assumeIsolated` comes to the same, but for an object that it makes for each call, and a second look whether
/// this is the actor: 8 % of a buffered put.
nonisolated extension Log {
    /// Takes the step of a batch.
    func admit(
        _ batch: EncodedBatch, _ conditions: [Condition], _ durability: Durability.Level, _ ticket: inout UInt64
    ) throws(StoreError) -> Admission {
        typealias Isolated =
            (isolated Log, EncodedBatch, [Condition], Durability.Level, inout UInt64) throws(StoreError) -> Admission
        typealias Step =
            (Log, EncodedBatch, [Condition], Durability.Level, inout UInt64) throws(StoreError) -> Admission
        let isolated: Isolated = { (log, batch, conditions, durability, ticket) throws(StoreError) in
            try log.append(batch, conditions, durability, &ticket)
        }
        let step = unsafeBitCast(isolated, to: Step.self)
        return try executor.run { () throws(StoreError) in try step(self, batch, conditions, durability, &ticket) }
    }

    /// The same for a single record.
    func admit(
        _ record: UnplacedRecord, _ durability: Durability.Level, _ hint: LeafHint
    ) throws(StoreError) -> Admission {
        typealias Isolated =
            (isolated Log, UnplacedRecord, Durability.Level, LeafHint) throws(StoreError) -> Admission
        typealias Step = (Log, UnplacedRecord, Durability.Level, LeafHint) throws(StoreError) -> Admission
        let isolated: Isolated = { (log, record, durability, hint) throws(StoreError) in
            try log.append(record, durability, hint)
        }
        let step = unsafeBitCast(isolated, to: Step.self)
        return try executor.run { () throws(StoreError) in try step(self, record, durability, hint) }
    }

    /// Judges conditions, for a write without operations.
    func confirm(_ conditions: [Condition]) throws(StoreError) {
        try executor.run { () throws(StoreError) in
            try assumeIsolated { log in
                Result { () throws(StoreError) in try log.judge(conditions) }
            }.get()
        }
    }

    @inline(__always)
    private func wakeWriter(_ state: inout State, for durability: Durability.Level, isFirst: Bool, now: UInt64) {
        if durability != .buffered {
            wakeWriter(&state, deadline: 0)
        } else if state.commits.open.count >= state.commits.bufferBytes / 4 {
            state.commits.pipeline.requestWrite()
            wakeWriter(&state, deadline: 0)
        } else if isFirst {
            wakeWriter(&state, deadline: CommitPipeline.Timing.end(of: state.commits.pipeline.timing.write, from: now))
        }
    }

    /// Waits until room may have appeared.
    ///
    /// - Parameter length: That of the batch for which there was no room.
    /// - Throws: Why there is none (`.outOfSpace` above all), `.closed`, `.failed`.
    nonisolated(nonsending) func waitForRoom(since generation: UInt64, for length: Int) async throws(StoreError) {
        if let failure = await Sleeper.suspend({ wake($0, whenRoomChangesFrom: generation, length) }) { throw failure }
    }

    /// The same for a thread, which is blocked meanwhile.
    func blockForRoom(since generation: UInt64, for length: Int) throws(StoreError) {
        if let failure = Sleeper.block({ wake($0, whenRoomChangesFrom: generation, length) }) { throw failure }
    }

    private func wake(_ sleeper: Sleeper<StoreError?>, whenRoomChangesFrom generation: UInt64, _ length: Int) {
        let passes = withState { state -> Bool in
            guard state.room.generation == generation, state.life.acceptsWrites else { return true }
            state.room.wait(sleeper, for: length)
            return false
        }
        if passes { sleeper.resume(returning: nil) }
    }

    /// A write gives up: if others were waiting for it, they needn't any more.
    func withdraw(ticket: UInt64) {
        let waiters = withState { state -> [Sleeper<StoreError?>] in
            state.room.unclaim(ticket) ? state.room.takeWaiters() : []
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    /// Asks for everything accepted so far to be synced, and returns the last number of it.
    func requestSync() throws(StoreError) -> SequenceNumber {
        try withState { (state) throws(StoreError) in
            try state.life.checkAcceptsWrites()
            state.commits.pipeline.requestSync()
            wakeWriter(&state, deadline: 0)
            return state.commits.pipeline.lastSequence
        }
    }

    /// Asks for everything up to a number to be synced, unless that is coming.
    func requestSync(through sequence: SequenceNumber) throws(StoreError) {
        try withState { (state) throws(StoreError) in
            try state.life.checkAcceptsWrites()
            guard sequence <= state.commits.pipeline.lastSequence else {
                throw StoreError(
                    .invalidArgument,
                    "no write has the number \(sequence) yet, the newest is \(state.commits.pipeline.lastSequence): wait for numbers that writes of this store have returned"
                )
            }
            if state.commits.pipeline.requestSync(through: sequence) { wakeWriter(&state, deadline: 0) }
        }
    }

    /// Wakes the writer if it would sleep beyond the deadline. Waking costs microseconds, so nobody does it twice.
    func wakeWriter(_ state: inout State, deadline: UInt64) {
        guard let sleepsUntil = state.writerSleepsUntil, deadline < sleepsUntil else { return }
        state.writerSleepsUntil = nil
        executor.signal()
    }
}

extension VersionedIndex.Writer {
    @inline(__always)
    fileprivate mutating func add(_ record: CommitBuffer.Appended, base: UInt64, hint: LeafHint) {
        let fields = record.fields
        add(
            key: record.key,
            version: Version(
                place: Place(address: base + record.offset >> 3, length: fields.encodedLength),
                expiry: fields.expiry, isTombstone: fields.kind == .delete),
            hint: hint)
    }
}

/// Records of a batch on their way into the index, eight at a time: most of their leaves are in no cache, so they are
/// fetched side by side, first the slots of all and then the cells of all.
private struct AppendedGroup {
    let tree: TreeReader
    let base: UInt64
    private var records = InlineArray<8, CommitBuffer.Appended?>(repeating: nil)
    private var hints = InlineArray<8, LeafHint>(repeating: .none)
    private var count = 0

    init(tree: TreeReader, base: UInt64) {
        self.tree = tree
        self.base = base
    }

    @inline(__always)
    mutating func add(_ record: CommitBuffer.Appended, to writer: inout VersionedIndex.Writer) {
        if count == 8 { flush(to: &writer) }
        records[count] = record
        hints[count] = tree.approach(record.key)
        count += 1
    }

    mutating func flush(to writer: inout VersionedIndex.Writer) {
        for index in 0..<count { hints[index].refine(records[index]!.key) }
        for index in 0..<count { writer.add(records[index]!, base: base, hint: hints[index]) }
        count = 0
    }
}
