internal import Heartwood
internal import HeartwoodConcurrency
internal import HeartwoodFileSystem

/// Loops over a store in tasks, beside a heartbeat.
struct FairnessRun {
    struct Load {
        /// What each task does in a loop.
        enum Loop { case put, fetch, get, file }
        var loop: Loop
        var durability: Durability
        var name: String

        /// Whether the loop can suspend.
        var isLimited: Bool { loop == .put || loop == .fetch }

        static let all: [Load] =
            [
                Load(loop: .put, durability: .buffered, name: "puts, .buffered"),
                Load(loop: .put, durability: .written, name: "puts, .written"),
            ]
            + [(Loop.fetch, "fetch"), (.get, "get")].flatMap { loop, name in
                [(Durability.buffered, ".buffered"), (.written, ".written"), (.synced, ".synced")].map {
                    Load(loop: loop, durability: $0, name: "\(name), beside one \($1) writer")
                }
            }
            + [Load(loop: .file, durability: .buffered, name: "the disk alone")]
    }

    /// Times are in ms.
    struct Outcome {
        var worstPut = 0.0
        var worstHeartbeat = 0.0
        var putsPerSecond = 0.0
        var readsPerSecond = 0.0
    }

    var load: Load
    var tasks: Int
    var duration: Duration
    var path: String
    /// For the disk alone: the rate of the puts whose bytes are written to a file.
    var putsPerSecond = 0.0

    private static let keys = 100_000
    private static let value = [UInt8](repeating: 118, count: 100)

    func run() async throws -> Outcome {
        if load.loop == .file { return try writeFiles() }
        let store = try await Store.open(at: path)
        for first in stride(from: 0, to: Self.keys, by: 1_000) {
            try await store.write(durability: .buffered) { batch in
                for number in first..<first + 1_000 { batch.put(Self.key(number), Self.value) }
            }
        }
        try await store.sync()
        let start = ContinuousClock.now
        let end = start + duration
        var outcome = try await withThrowingTaskGroup(of: Outcome.self) { group in
            group.addTask { try await Self.heartbeat(until: end) }
            let writers = load.loop == .put ? tasks : 1
            for writer in 0..<writers { group.addTask { try await put(store, writer, until: end) } }
            if load.loop != .put {
                for reader in 0..<tasks { group.addTask { try await read(store, reader, until: end) } }
            }
            return try await group.reduce(into: Outcome()) { all, one in
                all.worstPut = max(all.worstPut, one.worstPut)
                all.worstHeartbeat = max(all.worstHeartbeat, one.worstHeartbeat)
                all.putsPerSecond += one.putsPerSecond
                all.readsPerSecond += one.readsPerSecond
            }
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        try await store.close()
        // The tasks return how many they have done.
        outcome.putsPerSecond /= seconds
        outcome.readsPerSecond /= seconds
        return outcome
    }

    private static func key(_ number: Int) -> String { "user:\(1_000_000 + number)" }

    /// How late a task that sleeps for a millisecond is resumed.
    private static func heartbeat(until end: ContinuousClock.Instant) async throws -> Outcome {
        var worst = Duration.zero
        var before = ContinuousClock.now
        while before < end {
            try await Task.sleep(for: .milliseconds(1))
            let now = ContinuousClock.now
            worst = max(worst, now - before)
            before = now
        }
        return Outcome(worstHeartbeat: worst / .milliseconds(1))
    }

    private func put(_ store: Store, _ writer: Int, until end: ContinuousClock.Instant) async throws -> Outcome {
        var (count, worst, number) = (0, Duration.zero, writer)
        var before = ContinuousClock.now
        while before < end {
            number = (number &* 48_271 + 11) % Self.keys
            try await store.put(Self.key(number), Self.value, durability: load.durability)
            let now = ContinuousClock.now
            worst = max(worst, now - before)
            before = now
            count += 1
        }
        return Outcome(worstPut: worst / .milliseconds(1), putsPerSecond: Double(count))
    }

    private func read(_ store: Store, _ reader: Int, until end: ContinuousClock.Instant) async throws -> Outcome {
        var (count, number) = (0, reader)
        while ContinuousClock.now < end {
            number = (number &* 48_271 + 11) % Self.keys
            switch load.loop {
            case .get: _ = try store.get(Self.key(number))
            case .fetch, .put, .file: _ = try await store.fetch(Self.key(number))
            }
            count += 1
        }
        return Outcome(readsPerSecond: Double(count))
    }

    // MARK: - The disk alone

    /// Writes files in the way that a log's segments are written, without a store.
    private func writeFiles() throws -> Outcome {
        let (piece, pieces) = (1 << 20, 64)
        let fileSystem = POSIXFileSystem()
        try fileSystem.createDirectory(path)
        let bytes = [UInt8](repeating: 118, count: piece)
        // A put writes 144 bytes: its value, and the record's header and key.
        let interval = Duration.seconds(1) * (Double(piece) / max(1, putsPerSecond * 144))
        var (outcome, count, file) = (Outcome(), 0, nil as (any File)?)
        let start = ContinuousClock.now
        var before = start
        while before < start + duration {
            let offset = UInt64(count % pieces * piece)
            if offset == 0 {
                try file?.sync(.data)
                try file?.close()
                file = try fileSystem.openFile(path + "/spare", for: .create)
                try file!.allocateFully(UInt64(piece), at: 0)
                try file!.sync(.full)
                try fileSystem.rename(path + "/spare", to: path + "/\(count)")
                try fileSystem.syncDirectory(path)
            }
            try file!.allocateFully(UInt64(piece), at: offset)
            try bytes.withUnsafeBytes { try file!.writeFully($0, at: offset) }
            file!.startWriteback(from: offset, count: UInt64(piece), waiting: false)
            count += 1
            outcome.worstPut = max(outcome.worstPut, (ContinuousClock.now - before) / .milliseconds(1))
            let due = start + interval * count
            if due > .now { pauseThread(nanoseconds: Int((due - .now) / .nanoseconds(1))) }
            before = .now
        }
        try file?.close()
        outcome.putsPerSecond = Double(count * piece / 144) / ((before - start) / .seconds(1))
        return outcome
    }
}
