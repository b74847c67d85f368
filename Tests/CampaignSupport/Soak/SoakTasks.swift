internal import Heartwood
internal import HeartwoodFileSystem
import HeartwoodTesting
import Synchronization

extension SoakLife {
    // MARK: - Reading what others write

    /// Reads keys that are being written: every value must be one that its writer gave it, and none older than before.
    func read(_ number: Int, writers: Int) async throws {
        var random = SeededRandom(seed, UInt64(number), 61)
        var newest = [SequenceNumber](repeating: 0, count: writers * keys.slots)
        while !isOver {
            switch random.below(100) {
            case ..<92:
                for _ in 0..<50 { try readOne(&random, writers, &newest) }
                meter.reads.count(50)
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
        let place = writer * keys.slots + slot
        try expect(
            entry.sequence >= newest[place],
            "key w\(writer)/\(slot) went back from write \(newest[place]) to \(entry.sequence)")
        newest[place] = entry.sequence
        try judge(entry.value, writer, slot)
    }

    private func judge(_ value: [UInt8], _ writer: Int, _ slot: Int) throws {
        try expect(
            keys.version(of: value, writer, slot) != nil,
            "key w\(writer)/\(slot) has \(value.count) bytes that nobody gave it")
    }

    private func scanSome(_ random: inout SeededRandom, _ writers: Int) throws {
        let writer = random.below(writers)
        var last: [UInt8]?
        var left = 500
        let isReversed = random.oneIn(2)
        try store.forEach(in: SoakKeys.range(of: writer), reversed: isReversed) { entry in
            if let last {
                let (low, high) = isReversed ? (entry.key, last) : (last, entry.key)
                try expect(low.lexicographicallyPrecedes(high), "a scan gives keys out of order")
            }
            guard let (owner, slot) = keys.place(of: entry.key), owner == writer else {
                throw SoakFailure("a scan gives a key of \(entry.key.count) bytes that nobody wrote")
            }
            try judge(entry.value, writer, slot)
            last = entry.key
            left -= 1
            return left > 0 ? .next : .stop
        }
        meter.reads.count(500 - left)
    }

    /// With pauses in which the state is held and others write.
    private func scanKeys(_ random: inout SeededRandom, _ writers: Int) async throws {
        let writer = random.below(writers)
        var count = 0
        for key in try store.readView().keys(in: SoakKeys.range(of: writer)) {
            try expect(keys.place(of: key)?.writer == writer, "a scan gives a key that nobody wrote")
            count += 1
            if count % 512 == 0 { await rest(milliseconds: 5) }
        }
        meter.reads.count(count)
    }

    /// A snapshot doesn't change while it is read: two ways to count its keys give the same.
    private func scanAll(_ writers: Int) throws {
        let snapshot = try store.readView()
        var (keyCount, recordCount) = (0, 0)
        try snapshot.forEachRecord { _, _ in
            recordCount += 1
            return .next
        }
        try snapshot.forEachKey { _ in
            keyCount += 1
            return .next
        }
        try expect(keyCount == recordCount, "a snapshot has \(keyCount) keys and \(recordCount) records")
        meter.reads.count(recordCount)
    }

    // MARK: - Looking at what is held

    /// Compares held snapshots with what they must show, when it is their time; at the end those that are left.
    func lookAtHeld() async throws {
        while true {
            let isLast = isOver
            let due = held.withLock { waiting -> [SoakHeld] in
                let now = ContinuousClock.now
                let due = waiting.filter { isLast || $0.due <= now }
                waiting.removeAll { isLast || $0.due <= now }
                return due
            }
            for held in due {
                try lookAt(held)
                meter.snapshots.count()
            }
            if isLast { return }
            await rest(milliseconds: 50)
        }
    }

    private func lookAt(_ held: SoakHeld) throws {
        let check = SoakCheck(keys: keys, writer: held.writer)
        let all = 0..<keys.slots
        do {
            let isReversed = held.snapshot.sequence % 2 == 0
            try check.compare(held.snapshot, held.model, slots: all, reversed: isReversed, at: held.times)
            if held.snapshot.sequence % 8 == 0 {
                try check.compareLookUps(held.snapshot, held.model, at: held.times)
            }
        } catch let failure as SoakFailure {
            let age = now - min(now, held.times.lowerBound)
            throw SoakFailure(
                "a snapshot of number \(held.snapshot.sequence), \(age) ms old: \(failure.description)")
        }
        meter.reads.count(keys.slots)
    }

    // MARK: - Compactions on request

    func compactNowAndThen() async throws {
        var random = SeededRandom(seed, 71)
        while !isOver {
            await rest(milliseconds: random.number(in: 500...12_000))
            if isOver { return }
            let isGivenUp = random.oneIn(4)
            let store = store
            let work = Task { try await store.compact() }
            if isGivenUp {
                await rest(milliseconds: random.below(150))
                work.cancel()
            }
            do {
                _ = try await work.value
                meter.requested.count()
            } catch let error as StoreError where error.code == .cancelled && isGivenUp {
                meter.cancelled.count()
            }
        }
    }
}
