internal import Heartwood
internal import HeartwoodConcurrency
import HeartwoodTesting

/// The tasks that write. Each has its own keys, so that it always knows what they must have.
extension SoakLife {
    /// Writes and reads until the opening ends.
    ///
    /// - Parameter contents: What the writer's keys have at first.
    func write(_ writer: Int, _ contents: ExpectedContents) async throws {
        var (own, number) = (contents, 0)
        var random = SeededRandom(plan.seed, UInt64(plan.round), UInt64(writer), 52)
        let start = ContinuousClock.now
        var done = 0
        while !isOver {
            if random.below(100) < 72 {
                number += 1
                try await perform(plan.operation(writer: writer, number: number), number, &own)
            } else {
                try await read(writer, own, &random)
            }
            done += 1
            // Few enough that the duration of a put is measured, not the length of the queue.
            let early = .seconds(1) * done / WriterPlan.pace - (ContinuousClock.now - start)
            if early > .milliseconds(20) { try? await Task.sleep(for: early) }
        }
        let before = now
        let view = try store.readView()
        try compare(view, writer, own, reversed: false, at: before...now)
    }

    private func perform(_ operation: WriterOperation, _ number: Int, _ own: inout ExpectedContents) async throws {
        let start = ContinuousClock.now
        let sequence = try await operation.perform(on: store)
        let duration = UInt64((ContinuousClock.now - start) / .nanoseconds(1))
        let acknowledgement = Acknowledgement(writer: operation.writer, number: number, sequence: sequence)
        acknowledgements.withLock { $0.append(acknowledgement) }
        own.apply(operation, sequence, ofOnly: operation.writer)
        meter.withLock { meter in
            meter.totals.writes += operation.changes.count
            switch operation.kind {
            case .put: meter.latencies[operation.durability, default: []].append(duration)
            case .increment: meter.totals.transactions += 1
            case .remove, .batch: break
            }
        }
    }

    private func key(_ writer: Int, _ random: inout SeededRandom) -> String {
        "w\(writer)/k\(random.below(plan.keys))"
    }

    /// Reads some of its own keys, in one of several ways.
    private func read(_ writer: Int, _ own: ExpectedContents, _ random: inout SeededRandom) async throws {
        let before = now
        switch random.below(28) {
        case ..<20:
            let key = key(writer, &random)
            try own.check(store.entry(key), key, at: before...now)
            count("reads")
        case ..<25:
            let bounds = [key(writer, &random), key(writer, &random)].sorted()
            let reversed = random.oneIn(2)
            let scan = try store.readView().scan(.range(from: bounds[0], to: bounds[1]), reversed: reversed)
            let times = before...now
            let entries = try ExpectedContents.read(scan, reversed: reversed)
            try own.compare(entries, keys: bounds[0]..<bounds[1], at: times)
            count("reads", entries.count)
        case ..<27:
            let keys = (0..<3).map { _ in key(writer, &random) }
            // No other task writes them.
            try await store.transaction { transaction in
                for key in keys {
                    let entry = try await transaction.fetchEntry(key)
                    try own.check(entry, key, at: before...self.now)
                }
            }
            count("reads", keys.count)
        default: try takeReadView(writer, own, &random)
        }
    }

    // MARK: - Read views

    /// Takes a read view that is checked later: mostly soon, sometimes after several compactions.
    private func takeReadView(_ writer: Int, _ own: ExpectedContents, _ random: inout SeededRandom) throws {
        let isLong = random.oneIn(20)
        let wait = Duration.milliseconds(isLong ? random.number(in: 5_000...30_000) : random.below(1_000))
        let before = now
        let view = try store.readView()
        let taken = SoakReadView(view: view, writer: writer, contents: own, times: before...now, due: .now + wait)
        readViews.withLock { waiting in
            // No more than can be checked in time: each keeps the contents of then.
            if waiting.count < 12 { waiting.append(taken) }
        }
    }

    /// Checks each read view when it is due, and at the end the remaining ones.
    func checkReadViews() async throws {
        while true {
            let isLast = isOver
            let due = readViews.withLock { waiting -> [SoakReadView] in
                let now = ContinuousClock.now
                let due = waiting.filter { isLast || $0.due <= now }
                waiting.removeAll { isLast || $0.due <= now }
                return due
            }
            for held in due {
                do {
                    let reversed = held.view.sequence % 2 == 0
                    try compare(held.view, held.writer, held.contents, reversed: reversed, at: held.times)
                } catch let failure as Violation {
                    let age = now - min(now, held.times.lowerBound)
                    throw Violation("a read view at \(held.view.sequence), \(age) ms old: \(failure.description)")
                }
                count("readViews")
            }
            if isLast { return }
            await rest(milliseconds: 50)
        }
    }

    /// Compares all keys of a writer: by a scan, and by look-ups of keys that are there or not.
    private func compare(
        _ view: ReadView, _ writer: Int, _ contents: ExpectedContents, reversed: Bool, at times: ClosedRange<UInt64>
    ) throws {
        let entries = try ExpectedContents.read(
            view.scan(.prefix("w\(writer)/"), reversed: reversed), reversed: reversed)
        try contents.compare(entries, at: times)
        for start in stride(from: 0, to: plan.keys, by: 64) {
            let keys = (start..<min(start + 64, plan.keys)).map { "w\(writer)/k\($0)" }
            for (key, value) in zip(keys, try view.get(all: keys)) {
                try expect(value == entries[key]?.value, "\(key): a look-up of many finds something else than a scan")
            }
        }
        count("reads", plan.keys + entries.count)
    }

    // MARK: - Other readers

    /// Reads keys that are being written: every value must be one that its writer gave it, and none older than the
    /// last.
    func keepReading(_ reader: Int) async throws {
        var random = SeededRandom(plan.seed, UInt64(plan.round), UInt64(reader), 61)
        var newest: [String: SequenceNumber] = [:]
        while !isOver {
            let writer = random.below(plan.writers)
            switch random.below(100) {
            case ..<92:
                for _ in 0..<50 {
                    let key = key(writer, &random)
                    guard let entry = try store.entry(key) else { continue }
                    try expect(
                        entry.sequence >= newest[key] ?? 0,
                        "\(key) went back from write \(newest[key] ?? 0) to \(entry.sequence)")
                    newest[key] = entry.sequence
                    try judge(entry)
                }
                count("reads", 50)
            case ..<99:
                let reversed = random.oneIn(2)
                let entries = try ExpectedContents.read(
                    store.readView().scan(.prefix("w\(writer)/"), reversed: reversed, limit: 500), reversed: reversed)
                for entry in entries.values { try judge(entry) }
                count("reads", entries.count)
            default: try await countKeys()
            }
            await rest(milliseconds: 20)
        }
    }

    private func judge(_ entry: Entry) throws {
        let key = String(decoding: entry.key, as: UTF8.self)
        try expect(
            plan.operation(thatPut: entry.value, at: key) != nil,
            "\(key) has \(entry.value.count) bytes that its writer never wrote")
    }

    /// A read view doesn't change while it is read: two ways to count its keys give the same number, with pauses in
    /// one of them, while others write.
    private func countKeys() async throws {
        let view = try store.readView()
        var (keyCount, recordCount) = (0, 0)
        for _ in try view.scan().keys {
            keyCount += 1
            if keyCount % 512 == 0 { await rest(milliseconds: 5) }
        }
        try view.scan().forEach { _, _ in
            recordCount += 1
            return .next
        }
        try expect(keyCount == recordCount, "a read view has \(keyCount) keys and \(recordCount) records")
        count("reads", recordCount)
    }
}
