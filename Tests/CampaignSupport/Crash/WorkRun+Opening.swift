internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodFileSystem
internal import HeartwoodTesting

/// Opening and closing in a run, and recovery after a failure.
extension WorkRun {
    /// Opens the store. If that fails because of a fault, opening must succeed without the fault.
    func open() async throws {
        await waitForLock()
        var opened: Store?
        do throws(StoreError) {
            opened = try Store(openingAt: Self.path, configuration: makeConfiguration())
        } catch {
            try expect(toleratesFaults && Self.isOfEnvironment(error.code), "the store doesn't open: \(error)")
        }
        if opened == nil {
            removeFaults()
            opened = try await promised("without a fault the store doesn't open") {
                try Store(openingAt: Self.path, configuration: makeConfiguration())
            }
        }
        try begin(opened!)
    }

    /// Another thread may release the last reference to a dropped store a little later.
    func waitForLock() async {
        while disk.isLocked(Self.path + "/LOCK") { await Task.yield() }
    }

    private func begin(_ store: Store) throws {
        self.store = store
        store.settle()
        let recovered = store.recoveryReport.lastSequence
        if wasClosed, !toleratesFaults, store.recoveryReport.tail != .closed {
            throw Violation("the store was closed, and its end is found \(store.recoveryReport.tail)")
        }
        wasClosed = false
        hasAccepted = false
        let last = store.statistics.lastSequence
        let expectation = try Timeline(disk.trace, history.operations)
            .expectation(after: disk.trace.events.count, keepsAll: true)
        let (chain, now) = (expectation.chain, store.now.milliseconds)
        try expect(expectation.time.contains(now), "the store's time is \(now), not \(expectation.time)")
        time = StoreTimeModel(clock, now: now)
        disk.note(HistoryNote.clock(clock.now().milliseconds, time: now))
        disk.note(HistoryNote.opened(recovered: recovered, last: last))
        base = last
        nextSequence = last + 1
        lastAccepted = recovered
        guard let state = chain.state(at: recovered) else {
            throw Violation("number \(recovered) was recovered, which no write has")
        }
        current = state
        try StoreContents.compare(store, with: state, now: now, toleratesErrors: toleratesFaults)
        watch.withLock { $0 = Watch(readable: store.readableNow, waits: store.hasWaiters) }
    }

    /// Drops the store like the death of the process.
    func drop() {
        views = []
        follower.stop()
        watch.withLock { $0 = nil }
        store = nil
    }

    func close() async throws {
        do throws(StoreError) {
            try await closeStore()
            wasClosed = hasAccepted
            disk.note(HistoryNote.synced(lastAccepted))
            if hasAccepted { disk.note(HistoryNote.timeKept) }
        } catch {
            try expect(
                toleratesFaults && (Self.isOfEnvironment(error.code) || error.code == .failed),
                "the store doesn't close: \(error)")
        }
        drop()
    }

    /// After a failure of the store: reads continue, writes are refused, and a new opening succeeds.
    func recover() async throws {
        if isCompacting { return }
        try expect(store!.state == .failed, "after a failure the store is \(store!.state)")
        try await readAll()
        do {
            _ = try await store!.put("refused", "value", durability: .buffered)
            throw Violation("a failed store accepts a write")
        } catch {
            guard let error = error as? StoreError else { throw error }
            try expect(error.code == .failed, "a failed store refuses a write as \(error)")
        }
        if random.oneIn(2) { try await close() } else { drop() }
        try await open()
    }
}
