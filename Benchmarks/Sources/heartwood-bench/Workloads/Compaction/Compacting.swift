internal import Heartwood

/// When a store is compacted while something else is measured.
enum Compacting: Sendable {
    /// When it finds it is time, by the defaults.
    case byItself
    /// Never.
    case never
    /// Again and again, each as soon as the one before is done.
    case backToBack

    /// What a store is opened with for it.
    var configuration: Store.Configuration { Engine.configuration(isCompacted: self == .byItself) }

    /// Calls `body` while the store is compacted like that.
    ///
    /// - Returns: What `body` returns, and how many compactions were done meanwhile.
    func during<R>(_ store: Store, _ body: () async throws -> R) async throws -> (result: R, compactions: Int) {
        guard self == .backToBack else {
            let before = store.statistics.compaction.completed
            let result = try await body()
            return (result, Int(store.statistics.compaction.completed - before))
        }
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
