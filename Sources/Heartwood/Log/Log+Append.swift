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
        if ticket == 0 { ticket = makeTicket() }
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
        let ticket = makeTicket()
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
        if case .mustWait = admission, state.exclusiveTicket == ticket { state.exclusiveTicket = nil }
        return admission
    }

    private func makeTicket() -> UInt64 {
        state.lastTicket += 1
        return state.lastTicket
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
        if !state.pointee.acceptsAllWrites { try checkLimits() }
        guard
            state.pointee.makeRoom(
                for: length, removesOnly: removesOnly, ticket: ticket, configuration: configuration,
                segments: segments)
        else {
            wakeWriter(&state.pointee, deadline: 0)
            return .mustWait(generation: state.pointee.roomGeneration)
        }
        let base = state.pointee.open.identity.baseAddress
        let start = state.pointee.open.end
        let end = start + UInt64(length)
        let addresses = base + start >> 3...base + end >> 3 - 1
        let stores = durability == .written && !hasExternals && isStorable(to: end)
        let isFirst = state.pointee.pipeline.open == nil
        let now = isFirst && !(stores && state.pointee.pipeline.unsyncedSince != nil) ? delays.now() : 0
        // What is stored at once waits for nothing but what an earlier write waits for.
        let (sequence, isVisible) = state.pointee.pipeline.accept(
            stores ? .buffered : durability, now: now, address: addresses.upperBound)
        let buffer = state.pointee.open
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
        guard state.pointee.room.isPopulated(to: end), state.pointee.isAppendable,
            state.pointee.pipeline.isSealedWritten, state.pointee.pipeline.awaitsNoWrite,
            state.pointee.open.isStorable(to: end)
        else {
            state.pointee.usesMapping = true
            return false
        }
        return true
    }

    /// Stores the open commit to the mapping, so that it is in the kernel. Readers find its records in the file from here on.
    @inline(__always)
    private func storeOpen(if stores: Bool) {
        guard stores else { return }
        let state = executor.pointer
        state.pointee.usesMapping = true
        let time = now.milliseconds
        let buffer = state.pointee.open
        let isFirstUnsynced = state.pointee.pipeline.unsyncedSince == nil
        let header = buffer.header(
            first: state.pointee.pipeline.sealInPlace(), mark: state.pointee.syncedEnd, time: time)
        state.pointee.counters.commits += 1
        state.pointee.counters.writtenBytes += UInt64(buffer.count)
        buffer.store(header, to: state.pointee.mapping.unsafelyUnwrapped)
        state.pointee.writtenEnd = buffer.offset
        noteTime(time)
        unwrittenFrom.store(buffer.identity.baseAddress + buffer.offset >> 3, ordering: .releasing)
        if isFirstUnsynced { wakeWriter(&state.pointee, deadline: state.pointee.pipeline.backgroundSync ?? .max) }
        if buffer.offset > state.pointee.roomDue { askForRoomAhead() }
    }

    @inline(never)
    private func askForRoomAhead() {
        state.roomDue = .max
        state.wantsRoomAhead = true
        wakeWriter(&state, deadline: 0)
    }

    /// Throws unless the store accepts a write of this task.
    @inline(never)
    private func checkLimits() throws(StoreError) {
        try state.checkAcceptsWrites()
        if state.transactions > 0, TransactionScope.contains(self) { throw .writeInsideTransaction }
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
        } else if state.open.count >= configuration.commitBufferBytes / 4 {
            state.pipeline.requestWrite()
            wakeWriter(&state, deadline: 0)
        } else if isFirst {
            wakeWriter(&state, deadline: CommitPipeline.Timing.end(of: state.pipeline.timing.write, from: now))
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
            guard state.roomGeneration == generation, state.failure == nil, state.phase == .running else {
                return true
            }
            state.waiters.append(Waiter(sleeper: sleeper, length: length))
            return false
        }
        if passes { sleeper.resume(returning: nil) }
    }

    /// A write gives up: if others were waiting for it, they needn't any more.
    func withdraw(ticket: UInt64) {
        let waiters = withState { state -> [Sleeper<StoreError?>] in
            guard state.exclusiveTicket == ticket else { return [] }
            state.exclusiveTicket = nil
            return state.takeWaiters()
        }
        for waiter in waiters { waiter.resume(returning: nil) }
    }

    /// Asks for everything accepted so far to be synced, and returns the last number of it.
    func requestSync() throws(StoreError) -> SequenceNumber {
        try withState { (state) throws(StoreError) in
            try state.checkAcceptsWrites()
            state.pipeline.requestSync()
            wakeWriter(&state, deadline: 0)
            return state.pipeline.lastSequence
        }
    }

    /// Asks for everything up to a number to be synced, unless that is coming.
    func requestSync(through sequence: SequenceNumber) throws(StoreError) {
        try withState { (state) throws(StoreError) in
            try state.checkAcceptsWrites()
            guard sequence <= state.pipeline.lastSequence else {
                throw StoreError(
                    .invalidArgument,
                    "no write has the number \(sequence) yet, the newest is \(state.pipeline.lastSequence): wait for numbers that writes of this store have returned"
                )
            }
            if state.pipeline.requestSync(through: sequence) { wakeWriter(&state, deadline: 0) }
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

extension Log.State {
    func checkAcceptsWrites() throws(StoreError) {
        if let failure { throw failure }
        guard phase == .running else { throw .closed }
    }

    /// Whether a batch of `length` bytes can go into the open commit now; if not, notes what it lacks.
    ///
    /// - Parameter removesOnly: Whether the batch may use the space that is kept for removals.
    mutating func makeRoom(
        for length: Int, removesOnly: Bool, ticket: UInt64, configuration: Store.Configuration,
        segments: SegmentTable
    ) -> Bool {
        if let exclusiveTicket, exclusiveTicket != ticket { return false }
        guard current != nil else {
            demands.askForRotation(length, removesOnly: removesOnly)
            return false
        }
        let end = open.offset + UInt64(open.count + length)
        if !room.fits(to: end), holdsNothing {
            // A segment is named by its first number, so one without records can't be followed by another.
            room.grow(toFit: end)
            segments.extend(current!, to: room.limit)
        }
        if !room.fits(to: end) {
            demands.askForRotation(length, removesOnly: removesOnly)
            claimTurn(ticket, length, configuration)
            return false
        }
        guard open.isEmpty || open.count + length <= configuration.commitBufferBytes else {
            pipeline.requestWrite()
            claimTurn(ticket, length, configuration)
            return false
        }
        guard room.hasRoom(to: end) || removesOnly && room.hasRoomForRemoval(to: end) else {
            demands.askForRoom(to: end, length, removesOnly: removesOnly)
            claimTurn(ticket, length, configuration)
            return false
        }
        exclusiveTicket = nil
        return true
    }

    /// Whether the current segment has no record, in its file or on the way to it.
    var holdsNothing: Bool { pipeline.lastSequence + 1 == current?.header.firstSequence }

    /// A large write would wait for ever while small ones fill each buffer before it: it gets the next turn.
    private mutating func claimTurn(_ ticket: UInt64, _ length: Int, _ configuration: Store.Configuration) {
        if length > configuration.commitBufferBytes / 4, exclusiveTicket == nil { exclusiveTicket = ticket }
    }

    /// Room may have appeared: everybody who waits is to try again. The caller resumes them outside the lock.
    mutating func takeWaiters() -> [Sleeper<StoreError?>] {
        roomGeneration &+= 1
        guard !waiters.isEmpty else { return [] }
        defer { waiters = [] }
        return waiters.map(\.sleeper)
    }

    /// The same, with those apart that have as many bytes as `length`, or more.
    mutating func takeWaiters(
        from length: Int
    ) -> (tooLarge: [Sleeper<StoreError?>], others: [Sleeper<StoreError?>]) {
        let isTooLarge = waiters.map { $0.length >= length }
        let all = zip(takeWaiters(), isTooLarge)
        return (all.filter(\.1).map(\.0), all.filter { !$0.1 }.map(\.0))
    }
}

extension Log.Demands {
    mutating func askForRoom(to end: UInt64, _ length: Int, removesOnly: Bool = false) {
        room = max(room ?? 0, end)
        note(length, removesOnly)
    }

    mutating func askForRotation(_ length: Int, removesOnly: Bool = false) {
        rotation = max(rotation ?? 0, UInt64(length + FormatConstants.commitHeaderSize))
        note(length, removesOnly)
    }

    private mutating func note(_ length: Int, _ removesOnly: Bool) {
        largest = max(largest, length)
        least = min(least, length)
        if removesOnly { leastRemoval = min(leastRemoval, length) } else { hasPuts = true }
    }
}
