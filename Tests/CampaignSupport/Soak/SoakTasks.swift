internal import Heartwood
internal import HeartwoodConcurrency
import HeartwoodTesting

extension SoakLife {
    /// Reads keys that are being written: every value must be one that its writer gave it, and none older than the
    /// last.
    func read(_ number: Int, writers: Int) async throws {
        var random = SeededRandom(seed, UInt64(number), 61)
        var newest = [SequenceNumber](repeating: 0, count: writers * keys.slots)
        while !isOver {
            switch random.below(100) {
            case ..<92:
                for _ in 0..<50 { try readOne(&random, writers, &newest) }
                meter.count("reads", 50)
            case ..<96: try scanSome(&random, writers)
            case ..<99: try await scanKeys(&random, writers)
            default: try scanAll(writers)
            }
            await rest(milliseconds: 20)
        }
    }

    private func readOne(_ random: inout SeededRandom, _ writers: Int, _ newest: inout [SequenceNumber]) throws {
        let (writer, slot) = (random.below(writers), random.below(keys.slots))
        let key = keys.key(writer, slot)
        guard random.oneIn(2) else {
            guard let value = try store.get(key) else { return }
            return try judge(value, writer, slot)
        }
        guard let entry = try store.entry(key) else { return }
        let index = writer * keys.slots + slot
        try expect(
            entry.sequence >= newest[index],
            "key w\(writer)/\(slot) went back from write \(newest[index]) to \(entry.sequence)")
        newest[index] = entry.sequence
        try judge(entry.value, writer, slot)
    }

    private func judge(_ value: [UInt8], _ writer: Int, _ slot: Int) throws {
        try expect(
            keys.version(of: value, writer, slot) != nil,
            "key w\(writer)/\(slot) has \(value.count) bytes that its writer never wrote")
    }

    private func scanSome(_ random: inout SeededRandom, _ writers: Int) throws {
        let writer = random.below(writers)
        var last: [UInt8]?
        var left = 500
        let isReversed = random.oneIn(2)
        try store.scan(SoakKeys.range(of: writer), reversed: isReversed).forEachEntry { entry in
            if let last {
                let (low, high) = isReversed ? (entry.key, last) : (last, entry.key)
                try expect(low.lexicographicallyPrecedes(high), "a scan gives keys out of order")
            }
            guard let (owner, slot) = keys.slot(of: entry.key), owner == writer else {
                throw Violation("a scan gives a key of \(entry.key.count) bytes that was never written")
            }
            try judge(entry.value, writer, slot)
            last = entry.key
            left -= 1
            return left > 0 ? .next : .stop
        }
        meter.count("reads", 500 - left)
    }

    /// Pauses now and then, with the state pinned, while others write.
    private func scanKeys(_ random: inout SeededRandom, _ writers: Int) async throws {
        let writer = random.below(writers)
        var count = 0
        for key in try store.readView().scan(SoakKeys.range(of: writer)).keys {
            try expect(keys.slot(of: key)?.writer == writer, "a scan gives a key that was never written")
            count += 1
            if count % 512 == 0 { await rest(milliseconds: 5) }
        }
        meter.count("reads", count)
    }

    /// A read view doesn't change while it is read: two ways to count its keys give the same number.
    private func scanAll(_ writers: Int) throws {
        let view = try store.readView()
        var (keyCount, recordCount) = (0, 0)
        try view.scan().forEach { _, _ in
            recordCount += 1
            return .next
        }
        try view.scan().forEachKey { _ in
            keyCount += 1
            return .next
        }
        try expect(keyCount == recordCount, "a read view has \(keyCount) keys and \(recordCount) records")
        meter.count("reads", recordCount)
    }

    // MARK: - Read views

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
            for view in due {
                try check(view)
                meter.count("readViews")
            }
            if isLast { return }
            await rest(milliseconds: 50)
        }
    }

    private func check(_ held: SoakReadView) throws {
        let check = SoakCheck(keys: keys, writer: held.writer)
        let all = 0..<keys.slots
        do {
            let isReversed = held.view.sequence % 2 == 0
            try check.compare(held.view, held.model, slots: all, reversed: isReversed, at: held.times)
            if held.view.sequence % 8 == 0 {
                try check.compareLookUps(held.view, held.model, at: held.times)
            }
        } catch let failure as Violation {
            let age = now - min(now, held.times.lowerBound)
            throw Violation(
                "a read view at \(held.view.sequence), \(age) ms old: \(failure.description)")
        }
        meter.count("reads", keys.slots)
    }

    // MARK: - Compactions on request

    func compactOnRequest() async throws {
        var random = SeededRandom(seed, 71)
        while !isOver {
            await rest(milliseconds: random.number(in: 500...12_000))
            if isOver { return }
            let isCancelled = random.oneIn(4)
            let store = store
            let work = Task { try await store.compact() }
            if isCancelled {
                await rest(milliseconds: random.below(150))
                work.cancel()
            }
            do {
                _ = try await work.value
                meter.count("requested")
            } catch let error as StoreError where error.code == .cancelled && isCancelled {
                meter.count("cancelled")
            }
        }
    }
}
