internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodTesting

extension FullDiskRound {
    /// The sizes of the values of a round.
    enum Sizes: CaseIterable {
        case medium, mixed, large

        func draw(_ random: inout SeededRandom) -> Int {
            switch self {
            case .medium: random.number(in: 1_000...16_000)
            case .mixed: random.pick([0, 100, 2_000, 10_000, 100_000, 500_000])
            case .large: random.number(in: 200_000...2_000_000)
            }
        }
    }

    /// Many tasks write at all durabilities, each until a write is refused because the disk is full.
    ///
    /// - Parameter addsKeys: Whether most of the writes add keys; otherwise each task has a single one.
    mutating func writeUntilRefused(_ store: Store, addsKeys: Bool = true) async throws {
        part += 1
        let round = self.writer
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<writers {
                group.addTask {
                    var writer = round(task)
                    writer.addsKeys = addsKeys
                    while try await writer.write(to: store) {}
                    // Smaller values may still fit.
                    while try await writer.write(to: store, bytes: 3_000) {}
                    while try await writer.write(to: store, bytes: 100) {}
                }
            }
            try await group.waitForAll()
        }
    }

    /// Small writes, for which there must be space.
    mutating func writeSmall(_ store: Store, count: Int) async throws {
        part += 1
        var writer = writer(0)
        for _ in 0..<count {
            guard try await writer.write(to: store, bytes: 100) else {
                throw Violation("a small write was refused with \(disk.freeBytes) bytes free")
            }
        }
    }

    /// Tasks continue to write while they are refused. Once the ballast is removed, each must succeed.
    mutating func writeWhileBallastIsRemoved(_ store: Store) async throws {
        part += 1
        let round = self.writer
        let refusals = ledger.attempts
        var ballast = self.ballast
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<writers {
                group.addTask {
                    var writer = round(task)
                    for _ in 0..<3 {
                        try await wait("a task can write again") { try await writer.write(to: store, bytes: 3_000) }
                    }
                }
            }
            try await wait("a write is refused, or all are accepted") { [ledger, writers] in
                ledger.attempts >= refusals + writers
            }
            try ballast.remove()
            try await group.waitForAll()
        }
        self.ballast = ballast
    }

    /// Checks that `body` is refused because the disk is full, and that the error names a remedy.
    func expectRefusal(_ what: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as StoreError {
            return try Self.checkRefusal(error, what)
        }
        throw Violation("\(what) was not refused")
    }

    static func checkRefusal(_ error: StoreError, _ what: String) throws {
        guard error.code == .outOfSpace else { throw Violation("\(what): \(error.code): \(error)") }
        try expect(error.message.contains("free some space"), "\(what) was refused without a remedy: \(error)")
    }

    /// Makes a task's writer for this part of the round.
    private var writer: @Sendable (Int) -> Writer {
        { [seed, number, part, sizes, ledger] task in
            Writer(
                name: "\(part)-\(task)", sizes: sizes, ledger: ledger,
                random: SeededRandom(seed, UInt64(number), UInt64(part), UInt64(task)))
        }
    }

    /// One task's writes: most of them to new keys, some to one key again, some to several keys at once.
    struct Writer: Sendable {
        let name: String
        let sizes: Sizes
        let ledger: Ledger
        var random: SeededRandom
        var addsKeys = true
        var count = 0

        /// - Returns: true if it was accepted; false if it was refused because the disk is full.
        mutating func write(to store: Store, bytes: Int? = nil) async throws -> Bool {
            count += 1
            let isAgain = !addsKeys || count > 1 && random.oneIn(5)
            var keys = [isAgain ? "again-\(name)" : "\(name)-\(count)"]
            if addsKeys, random.oneIn(6) { keys += ["\(name)-\(count)-b", "\(name)-\(count)-c"] }
            var values: [String: ValuePattern] = [:]
            for key in keys {
                values[key] = ValuePattern(identity: random.next(), length: bytes ?? sizes.draw(&random))
            }
            let durability = random.pick([Durability.synced, .written, .buffered, .buffered])
            do {
                let sequence = try await store.write(durability: durability) { [values] batch in
                    for (key, value) in values { batch.put(key, value.bytes) }
                }
                ledger.noteAccepted(values, sequence: sequence, isBuffered: durability == .buffered)
                return true
            } catch let error as StoreError {
                try checkRefusal(error, "write \(count) of task \(name)")
                ledger.noteRefused(keys)
                return false
            }
        }
    }
}

/// Waits at most a minute until a condition holds.
func wait(_ what: String, until condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try await !condition() {
        guard .now < deadline else { throw Violation("waited a minute until \(what)") }
        try await Task.sleep(for: .milliseconds(20))
    }
}
