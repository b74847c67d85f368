internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodConcurrency
internal import HeartwoodTesting

/// One run: a writer in another process, and in this one a reader that refreshes and a feed.
final class BesideRun: Sendable {
    let plan: BesidePlan
    let path: String
    let totals = Locked(Tally())

    init(_ plan: BesidePlan, at path: String) { (self.plan, self.path) = (plan, path) }

    func run(seconds: Int, _ progress: @escaping @Sendable (String) -> Void) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.keepReading(until: end, progress) }
            for level in [ChangeLevel.durable, .visible] {
                group.addTask { try await self.keepFollowing(level, until: end) }
            }
            try await self.keepWriting(until: end)
            // A feed may wait for a batch that won't come.
            try await Task.sleep(for: .milliseconds(500))
            group.cancelAll()
            try await group.waitForAll()
        }
    }

    // MARK: - The writer

    private func keepWriting(until end: ContinuousClock.Instant) async throws {
        var random = SeededRandom(plan.seed, 33)
        while ContinuousClock.now < end {
            let life = Duration.milliseconds(random.pick([300, 1_500, 3_000, 6_000]))
            let deadline = min(end, .now + life)
            // Waiting for the child's messages blocks a thread.
            let complaint = try await BlockingPool.run { try self.letWrite(until: deadline) }
            if let complaint { throw Violation("the writer reports: \(complaint)") }
            totals.withLock { $0.kills += 1 }
        }
    }

    private func letWrite(until deadline: ContinuousClock.Instant) throws -> String? {
        var child = try ChildProcess(arguments: ["beside-writer", "--seed", "\(plan.seed)", "--directory", path])
        return child.run(until: { deadline })
    }

    // MARK: - The reader

    private func openReader(_ level: ChangeLevel) async throws -> ReadOnlyStore {
        while true {
            do throws(StoreError) {
                return try await ReadOnlyStore.open(at: path, level: level)
            } catch {
                // The writer hasn't made it yet.
                guard error.code == .notFound else { throw error }
                try? await Task.sleep(for: .milliseconds(5))
            }
        }
    }

    private func keepReading(
        until end: ContinuousClock.Instant, _ progress: @Sendable (String) -> Void
    ) async throws {
        var random = SeededRandom(plan.seed, 34)
        let level = random.pick([ChangeLevel.durable, .visible])
        var reader = try await openReader(level)
        var model = BesideModel(plan)
        var kept: [(view: ReadView, model: BesideModel)] = []
        while ContinuousClock.now < end {
            if random.oneIn(40) {
                reader = try await openReader(level)
            } else if try await reader.refresh().isReadAgain {
                totals.withLock { $0.readAgain += 1 }
            }
            let view = try reader.readView()
            try compare(view, &model)
            if random.oneIn(10) { kept.append((view, model)) }
            if kept.count > 4 {
                let (view, then) = kept.remove(at: random.below(kept.count))
                try then.compare(StoreReplica(view).contents, "a view that was kept")
            }
            let count = totals.withLock { totals in
                totals.views += 1
                totals.batches = max(totals.batches, Int(model.number))
                return totals.views
            }
            progress("\(count) states, batch \(model.number)")
            try? await Task.sleep(for: .milliseconds(random.below(30)))
        }
    }

    private func compare(_ view: ReadView, _ model: inout BesideModel) throws {
        let contents = try StoreReplica(view).contents
        // An opening that has written nothing has a number that no batch has.
        let last = contents[Array(BesidePlan.counter.utf8)]?.sequence
        try model.judge(contents, last, "a view at number \(view.sequence)")
    }

    // MARK: - The feed

    private func keepFollowing(_ level: ChangeLevel, until end: ContinuousClock.Instant) async throws {
        var random = SeededRandom(plan.seed, 35, level == .durable ? 1 : 2)
        var model = BesideModel(plan)
        var position: StoreReplica?
        while ContinuousClock.now < end {
            let reader = try await openReader(level)
            var copy = try position ?? StoreReplica(reader.readView())
            let changes = reader.changes(after: copy.position)
            let limit = min(end, .now + .milliseconds(random.pick([50, 500, 5_000])))
            do {
                try await follow(changes, &copy, &model, &random, until: limit)
                position = copy
            } catch let error as StoreError where error.code == .cancelled {
                return
            } catch let error as StoreError where error.code == .positionUnavailable {
                position = nil
                totals.withLock { $0.restarts += 1 }
            }
        }
    }

    /// Follows until a time; the copy ends after a whole batch.
    private func follow(
        _ changes: Changes, _ copy: inout StoreReplica, _ model: inout BesideModel, _ random: inout SeededRandom,
        until limit: ContinuousClock.Instant
    ) async throws {
        for try await change in changes {
            try copy.apply(change)
            totals.withLock { $0.changes += 1 }
            guard copy.isWhole else { continue }
            if random.oneIn(400) {
                let sequence = copy.position.sequence
                try model.judge(copy.contents, sequence, "a copy at number \(sequence)")
                totals.withLock { $0.copies += 1 }
            }
            if random.oneIn(5_000) { try? await Task.sleep(for: .milliseconds(200)) }
            if ContinuousClock.now >= limit { return }
        }
    }
}
