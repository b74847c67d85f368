internal import Heartwood

/// Work that only Heartwood does: for figures in its documents, and for the cost of the harness.
enum HeartwoodWork: Sendable {
    /// The loop of puts without a store, on a task's thread or on a plain thread.
    case putLoop(isPlain: Bool)
    case getLoop
    case indexMemory(keyBytes: Int)
    case keyScans
    case getsTogether
    case writeCost
    case putLatency(Compacting)
    case putRate(Compacting)
    case paceFloor
    /// Puts without a feed, or beside one of a level.
    case feed(ChangeLevel?)
    case feedLog
    case feedLatency
    /// `get`, or `fetch`, by a task.
    case taskGets(isAsync: Bool)
    /// Memory of a repository's index entries.
    case entryMemory
    /// What the typed layer adds to a save, or a find.
    case layerCost(isSave: Bool)
    /// Saves of one record, beside observations of so many.
    case observed(Int)

    func measure(_ cell: Cell) async throws -> Measured {
        switch self {
        case .putLoop(let isPlain): try await HarnessLoop.put(cell, isPlain: isPlain)
        case .getLoop: try await HarnessLoop.get(cell)
        case .indexMemory(let keyBytes): try await IndexMemory.measure(cell, keyBytes: keyBytes)
        case .keyScans: try await HeartwoodReads.scanKeys(cell)
        case .getsTogether: try await HeartwoodReads.getTogether(cell)
        case .writeCost: try await WriteCost.measure(cell)
        case .putLatency(let compacting): try await PutLatency.measure(cell, compacting)
        case .putRate(let compacting): try await PutRate.measure(cell, compacting)
        case .paceFloor: try await PaceFloor.measure(cell)
        case .feed(let level): try await Following.write(cell, level)
        case .feedLog: try await Following.read(cell)
        case .feedLatency: try await Following.latency(cell)
        case .taskGets(let isAsync): try await HeartwoodReads.getInTask(cell, isAsync: isAsync)
        case .entryMemory: try await EntryMemory.measure(cell)
        case .layerCost(let isSave): try await LayerCost.measure(cell, isSave: isSave)
        case .observed(let count): try await Observing.measure(cell, observers: count)
        }
    }
}

/// When a store is compacted during a measurement.
enum Compacting: Sendable {
    case never
    /// Without a pause between compactions.
    case backToBack

    /// Calls `body` while the store is compacted.
    ///
    /// - Returns: The result of `body`, and the number of compactions that were completed during the call.
    func during<R>(_ store: Store, _ body: () async throws -> R) async throws -> (result: R, compactions: Int) {
        guard self == .backToBack else { return (try await body(), 0) }
        let isOver = Signal()
        let compactions = Task { try await Self.compactRepeatedly(store, until: isOver) }
        defer { compactions.cancel() }
        let result: R
        do {
            defer { isOver.raise() }
            result = try await body()
        }
        // The running compaction isn't awaited: its cost is in no figure.
        compactions.cancel()
        return (result, try await compactions.value)
    }

    private static func compactRepeatedly(_ store: Store, until isOver: Signal) async throws -> Int {
        var count = 0
        var last = store.statistics.compaction.snapshot?.sequence
        while !isOver.isRaised {
            do {
                let sequence = try await store.compact().snapshot?.sequence
                // If nothing was written since the last compaction, there was nothing to do.
                if sequence != last { count += 1 }
                last = sequence
            } catch {
                guard error.code == .cancelled else { throw error }
            }
        }
        return count
    }
}
