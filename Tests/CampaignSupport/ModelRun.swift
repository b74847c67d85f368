internal import HeartwoodTesting
internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Gives a store and a model the same random operations, and compares them.
///
/// A run has several lives. Each is a new store with its own keys, in memory or on disk.
package final class ModelRun {
    /// A read view, and what it must show.
    struct ModelView {
        let view: ReadView
        let state: Model.State
        let sequence: SequenceNumber
    }

    package let seed: UInt64
    package internal(set) var summary = Tally()
    let clock = ManualClock(milliseconds: 1_700_000_000_000)
    var model = Model(universe: KeyUniverse(keys: []), now: 0)
    lazy var time = StoreTimeModel(clock, now: 0)
    var store: Store?
    var views: [ModelView] = []
    var path = ""
    var fileSystem: any FileSystem = InMemoryFileSystem()
    var opening: ModelOperation.OpeningChoice
    var isInMemory = true
    /// Whether the store was never opened.
    var isNew = true
    /// The largest sequence number seen in this life.
    var newestSeen: SequenceNumber = 0
    /// The sequence number that is visible before the first write of an opening.
    var visibleAtOpening: SequenceNumber = 0
    var writesOfOpening: UInt64 = 0
    /// The last sequence number that the newest snapshot covers, as far as known.
    var coveredSequence: SequenceNumber = 0

    static let maximumValueBytes = 4 << 20

    package init(seed: UInt64) {
        self.seed = seed
        var random = SeededRandom(seed)
        opening = OperationGenerator(seed: seed, universe: model.universe, storesOnDisk: false).opening(&random)
    }

    /// - Parameter progress: Called after every thousandth operation, with the number of operations done.
    /// - Throws: ``Violation``, with the operation that showed it.
    package func run(operations: Int, progress: (Int) -> Void = { _ in }) async throws {
        var done = 0
        var life = 0
        while done < operations {
            var random = SeededRandom(seed, UInt64(life), 2)
            let length = min(random.number(in: 4_000...20_000), operations - done)
            try await live(from: done, count: length, &random, progress: progress)
            done += length
            life += 1
        }
    }

    private func live(
        from first: Int, count: Int, _ random: inout SeededRandom, progress: (Int) -> Void
    ) async throws {
        isInMemory = !random.oneIn(4)
        fileSystem = isInMemory ? InMemoryFileSystem() : POSIXFileSystem()
        path = isInMemory ? "/store" : try TemporaryDirectory.make("model") + "/store"
        let universe = KeyUniverse(count: random.pick([4, 60, 1_000, 1_000, 12_000]), &random)
        let generator = OperationGenerator(seed: seed, universe: universe, storesOnDisk: !isInMemory)
        opening = generator.opening(&random)
        model = Model(universe: universe, now: 1_700_000_000_000)
        clock.set(model.now)
        time = StoreTimeModel(clock, now: model.now)
        (isNew, newestSeen, coveredSequence) = (true, 0, 0)
        summary.lives += 1
        var number = first
        var operation: ModelOperation?
        do {
            try await open()
            for next in first..<(first + count) {
                number = next
                operation = generator.operation(next)
                try await perform(operation!)
                summary.operations += 1
                if next % 1000 == 0 { progress(next) }
            }
            operation = nil
            try await compareWithModel()
            try await close()
        } catch {
            views = []
            store = nil
            let cause = (error as? Violation)?.description ?? "it threw \(error)"
            throw Violation(
                "seed \(seed), operation \(number): \(cause)"
                    + (operation.map { "\n  operation: \("\($0)".prefix(2000))" } ?? "")
                    + (isInMemory ? "" : "\n  the store is kept in \(path)"))
        }
        if !isInMemory { TemporaryDirectory.remove(String(path.dropLast("/store".count))) }
    }

    private func perform(_ operation: ModelOperation) async throws {
        switch operation {
        case .write(let mutations, let conditions, let durability):
            try await write(mutations, conditions, durability)
        case .transaction(let plan): try await transact(plan)
        case .removeRange(let range, let limit, let durability):
            try await removeRange(range, limit: limit, durability)
        case .read(let form, let key): try await read(form, key)
        case .scan(let form, let range, let reversed, let limit):
            try await scan(form, range, reversed: reversed, limit: limit, in: nil)
        case .takeReadView: try takeReadView()
        case .dropReadView(let number):
            if number < views.count { views.remove(at: number) }
        case .readInView(let number, let key):
            if number < views.count { try read(key, in: views[number]) }
        case .scanView(let number, let form, let range, let reversed, let limit):
            if number < views.count {
                try await scan(form, range, reversed: reversed, limit: limit, in: views[number])
            }
        case .flush: try await flush()
        case .statistics: try await compareStatistics()
        case .compact: try await compact()
        case .moveClock(let delta):
            clock.advance(by: delta)
            try readTime()
        case .jumpClock(let delta):
            clock.jump(by: delta)
            try readTime()
        case .misuse(let misuse): try await self.misuse(misuse)
        case .reopen(let closes, let choice): try await reopen(closes: closes, choice)
        }
    }

    private func readTime() throws {
        try time.follow(clock, store!)
        model.now = time.now
    }
}
