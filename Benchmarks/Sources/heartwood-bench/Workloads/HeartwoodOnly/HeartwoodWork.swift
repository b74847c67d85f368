internal import Heartwood

/// What only Heartwood is measured at: what its documents tell figures of, and what the harness costs itself.
enum HeartwoodWork: Sendable {
    /// The loop of puts without a store, on a task's thread or on a plain one.
    case putLoop(isPlain: Bool)
    case getLoop
    case indexMemory(keyBytes: Int)
    case keyScans
    case getsTogether
    case writeCost
    case putLatency(Compacting)
    case putRate(Compacting)
    case paceFloor

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
        }
    }
}

/// When a store is compacted while something else is measured.
enum Compacting: Sendable {
    /// Never.
    case never
    /// Again and again, each as soon as the one before is done.
    case backToBack

    /// Calls `body` while the store is compacted like that.
    ///
    /// - Returns: What `body` returns, and how many compactions were done meanwhile.
    func during<R>(_ store: Store, _ body: () async throws -> R) async throws -> (result: R, compactions: Int) {
        guard self == .backToBack else { return (try await body(), 0) }
        let isOver = Signal()
        let compactions = Task { try await Self.compactAgainAndAgain(store, until: isOver) }
        defer { compactions.cancel() }
        let result: R
        do {
            defer { isOver.raise() }
            result = try await body()
        }
        // The one under way isn't waited for: what it costs would be in no figure.
        compactions.cancel()
        return (result, try await compactions.value)
    }

    private static func compactAgainAndAgain(_ store: Store, until isOver: Signal) async throws -> Int {
        var count = 0
        var last = store.statistics.compaction.snapshot?.sequence
        while !isOver.isRaised {
            do {
                let sequence = try await store.compact().snapshot?.sequence
                // Where nothing was written since the last one, there is nothing to do.
                if sequence != last { count += 1 }
                last = sequence
            } catch {
                guard error.code == .cancelled else { throw error }
            }
        }
        return count
    }
}
