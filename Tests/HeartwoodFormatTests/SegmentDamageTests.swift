import HeartwoodFormat
import Testing

/// Truncated, changed and hostile logs: never a trap, never a wrong record, and the documented verdict.
@Suite struct SegmentDamageTests {
    /// A log of random commits, syncs and marks; one in three of version 1.
    static func randomLog(seed: UInt64, steps: Int, isClosed: Bool, longest: Int = 60) -> TestLog {
        var random = TestRandom(seed: seed)
        var log = TestLog(
            version: seed % 3 == 0 ? 1 : 3, salt: UInt32(truncatingIfNeeded: random.next()) | 1,
            firstSequence: 1 + random.next() >> 30)
        for _ in 0..<steps {
            switch random.below(8) {
            case 0: log.mark()
            case 1, 2: log.sync()
            default:
                log.commit(
                    (0...random.below(2)).map { _ in
                        (0...random.below(3)).map { _ in operation(&random, longest: longest) }
                    })
            }
        }
        if isClosed { log.mark(closing: true) } else { log.preallocate(random.below(300)) }
        return log
    }

    private static func operation(_ random: inout TestRandom, longest: Int) -> TestLog.Operation {
        let key = random.bytes(1 + random.below(12))
        switch random.below(5) {
        case 0: return .init(kind: 3, key: key)
        case 1: return .init(kind: 2, key: key, value: random.bytes(random.below(longest)), expiry: random.next() | 1)
        case 2: return .init(kind: 130, key: key, value: random.bytes(random.below(longest)))
        default: return .init(key: key, value: random.bytes(random.below(longest)))
        }
    }

    @Test(arguments: [(1, true), (2, false), (3, true), (4, false)] as [(UInt64, Bool)])
    func aLogTruncatedAnywhereKeepsTheWholeCommits(seed: UInt64, isClosed: Bool) {
        let log = Self.randomLog(seed: seed, steps: 16, isClosed: isClosed)
        let header = log.header
        for length in 4096...log.bytes.count {
            let outcome = ScanOutcome(Array(log.bytes[..<length]), header)
            let kept = log.items.prefix { $0.end <= length }
            let end = kept.last?.end ?? 4096
            let rest = log.bytes[end..<length]
            let expected: TailVerdict =
                rest.contains { $0 != 0 } ? .torn : kept.last?.isClosing == true ? .clean : .unclosed
            guard outcome.verdict == expected, outcome.stop.offset == UInt64(end), outcome.commits.count == kept.count
            else {
                Issue.record("truncated at \(length): \(outcome.verdict), not \(expected)")
                continue
            }
            #expect(outcome.records == kept.flatMap(\.records))
        }
    }

    @Test(arguments: [(5, true), (6, false), (7, true)] as [(UInt64, Bool)])
    func eachChangedByteIsFound(seed: UInt64, isClosed: Bool) {
        let log = Self.randomLog(seed: seed, steps: 12, isClosed: isClosed)
        let header = log.header
        var bytes = log.bytes
        var random = TestRandom(seed: seed)
        for at in 4096..<bytes.count {
            let original = bytes[at]
            for change in [1 << random.below(8), 1 + random.below(255)] as [Int] {
                bytes[at] = original ^ UInt8(change)
                let outcome = ScanOutcome(bytes, header)
                if let problem = problem(with: outcome, log, changed: at) { Issue.record("byte \(at): \(problem)") }
            }
            bytes[at] = original
        }
    }

    /// What is wrong with the outcome for a log in which one byte was changed; nil if nothing is.
    private func problem(with outcome: ScanOutcome, _ log: TestLog, changed at: Int) -> String? {
        let kept = log.items.prefix { $0.end <= at }
        let end = UInt64(kept.last?.end ?? 4096)
        if outcome.commits.count != kept.count { return "\(outcome.commits.count) commits, not \(kept.count)" }
        if outcome.records != kept.flatMap(\.records) { return "wrong records" }
        if outcome.stop.offset != end { return "stopped at \(outcome.stop.offset), not \(end)" }
        if outcome.stop.damageOffset > UInt64(at) { return "damage named at \(outcome.stop.damageOffset)" }
        // The later commits, and the one after a changed gap, still prove what was durable.
        let witness = log.items.first { $0.gapStart >= Int(end) && $0.offset > at && $0.syncedMark > end }
        switch (witness, outcome.verdict) {
        case (let witness?, .corrupt(.laterMark(let offset, let mark, let sequence))):
            let isSame =
                offset == UInt64(witness.offset) && mark == witness.syncedMark && sequence == witness.firstSequence
            return isSame ? nil : "the wrong proof: \(outcome.verdict)"
        case (nil, .torn): return nil
        default: return "\(outcome.verdict)"
        }
    }

    @Test func eachChangedByteBeforeARecordedEndIsCorruption() {
        let log = Self.randomLog(seed: 8, steps: 10, isClosed: false)
        let header = log.header
        let end = UInt64(log.items.last!.end)
        var bytes = log.bytes
        for at in 4096..<bytes.count {
            bytes[at] ^= 0x20
            let outcome = ScanOutcome(bytes, header, successor: (end, log.nextSequence - 1), keep: false)
            #expect(outcome.isCorrupt == (at < Int(end)), "byte \(at)")
            bytes[at] ^= 0x20
        }
    }

    @Test func aCommitMovedElsewhereDoesNotVerify() {
        // Two commits of equal length, swapped: a misdirected write of the disk.
        var log = TestLog()
        log.commit([[.init(key: [1], value: [1])]])
        log.commit([[.init(key: [2], value: [2])]])
        let (first, second) = (log.items[0], log.items[1])
        let swapped =
            log.bytes[..<first.offset] + log.bytes[second.offset..<second.end] + log.bytes[first.offset..<first.end]
        #expect(ScanOutcome(Array(swapped), log.header).commits.isEmpty)
        let repeated = log.bytes + log.bytes[second.offset..<second.end]
        #expect(ScanOutcome(repeated, log.header).commits.count == 2)
        // The same log under another file's salt.
        let other = TestLog(salt: 0x0102_0304)
        let foreign = ScanOutcome(Array(other.bytes + log.bytes[4096...]), other.header)
        #expect(foreign.commits.isEmpty)
        #expect(foreign.verdict == .torn)
    }

    /// A log that is stored as a value holds commits, which verify only at their own offset.
    @Test func aLogAsAValueIsNoProof() {
        var inner = TestLog()
        inner.commit([[.init(key: [1])]])
        inner.mark(closing: true)
        for padding in 0..<8 {
            var log = TestLog()
            log.commit([[.init(key: [1], value: [UInt8](repeating: 0, count: padding) + inner.bytes)]])
            var bytes = log.bytes
            bytes[4096] ^= 1
            #expect(ScanOutcome(bytes, log.header).verdict == .torn)
        }
    }

    @Test func zeroedPagesAreCorruptionIfAMarkProvesIt() {
        var log = TestLog()
        let value = [UInt8](repeating: 7, count: 300)
        for number in 0..<40 as Range<UInt8> { log.commit([[.init(key: [number], value: value)]]) }
        log.mark()
        var bytes = log.bytes
        bytes.replaceSubrange(8192..<12_288, with: [UInt8](repeating: 0, count: 4096))
        #expect(ScanOutcome(bytes, log.header).isCorrupt)
        // Without the mark, as after a crash.
        #expect(ScanOutcome(Array(bytes[..<log.items[39].end]), log.header).verdict == .torn)
    }

    @Test func aNewerCommitIsUnsupportedNotTorn() {
        var log = TestLog()
        log.commit([[.init(key: [1])]])
        log.commit([[.init(key: [2])]])
        var bytes = log.bytes
        bytes[log.items[1].offset + 4] = 8
        TestLog.repairCommit(&bytes, at: log.items[1].offset, salt: log.salt)
        let outcome = ScanOutcome(bytes, log.header)
        #expect(outcome.stop.reason == .damage(.unsupported(.commitFlags(8))))
        #expect(outcome.commits.count == 1)
    }

    @Test func aNewerRecordIsUnsupportedNotTorn() {
        var log = TestLog()
        log.commit([[.init(key: [1]), .init(key: [2])]])
        let record = log.items[0].records[1].offset
        for (byte, value, reason) in [(0, 4, .recordKind(4)), (1, 16, .recordFlags(16))]
            as [(Int, UInt8, FormatError.Unsupported)]
        {
            var bytes = log.bytes
            bytes[record + byte] = value
            TestLog.repairRecord(&bytes, at: record, salt: log.salt)
            let outcome = ScanOutcome(bytes, log.header)
            #expect(outcome.stop.reason == .damage(.unsupported(reason)))
            #expect(outcome.stop.damageOffset == UInt64(record))
        }
    }

    /// The checksums are right, but two neighbouring records disagree on where the batch begins.
    @Test func recordsThatDisagreeOnTheirBatchAreDamage() {
        for kind in [1, 130] as [UInt8] {
            var log = TestLog(firstSequence: 100)
            log.commit([
                [.init(key: [1])],
                [.init(key: [2]), .init(kind: kind, key: [3]), .init(key: [4])],
                [.init(kind: kind, key: [5])],
            ])
            #expect(ScanOutcome(log.bytes, log.header).records.count == 5)
            for record in log.items[0].records {
                var bytes = log.bytes
                bytes[record.offset + 1] ^= 4
                TestLog.repairRecord(&bytes, at: record.offset, salt: log.salt)
                let outcome = ScanOutcome(bytes, log.header)
                #expect(outcome.stop.reason == .damage(.invalidField(.batch)))
                #expect(outcome.stop.damageOffset == UInt64(record.offset))
                #expect(outcome.commits.isEmpty)
            }
        }
    }

    /// A batch never continues in the next commit, so its flag doesn't either.
    @Test func aCommitThatBeginsWithinABatchIsDamage() {
        var log = TestLog()
        log.commit([[.init(key: [1])]])
        log.commit([[.init(flags: 4, key: [2])]])
        let outcome = ScanOutcome(log.bytes, log.header)
        #expect(outcome.commits.count == 1)
        #expect(outcome.stop.reason == .damage(.invalidField(.batch)))
        #expect(outcome.stop.damageOffset == UInt64(log.items[1].records[0].offset))
    }

    /// A reader of version 1 doesn't know the flag; in optional kinds it is ignored.
    @Test func theFlagOfVersion3IsUnsupportedInVersion1() {
        var log = TestLog(version: 1)
        log.commit([[.init(key: [1]), .init(kind: 130, flags: 4, key: []), .init(key: [2])]])
        #expect(ScanOutcome(log.bytes, log.header).records.count == 3)
        for record in log.items[0].records where record.kind == 1 {
            var bytes = log.bytes
            bytes[record.offset + 1] |= 4
            TestLog.repairRecord(&bytes, at: record.offset, salt: log.salt)
            let outcome = ScanOutcome(bytes, log.header)
            #expect(outcome.stop.reason == .damage(.unsupported(.recordFlags(bytes[record.offset + 1]))))
            #expect(outcome.stop.damageOffset == UInt64(record.offset))
        }
    }

    @Test func hostileCountsAndLengthsAreDamage() {
        // All checksums are valid; only the relations between the fields are wrong.
        func expectDamage(_ field: FormatError, _ log: TestLog, _ change: (inout [UInt8], TestLog.Item) -> Void) {
            var bytes = log.bytes
            change(&bytes, log.items[0])
            TestLog.repairCommit(&bytes, at: log.items[0].offset, salt: log.salt)
            for record in log.items[0].records { TestLog.repairRecord(&bytes, at: record.offset, salt: log.salt) }
            let outcome = ScanOutcome(bytes, log.header)
            #expect(outcome.stop.reason == .damage(field))
            #expect(outcome.commits.isEmpty)
        }
        var log = TestLog(firstSequence: 100)
        log.commit([[.init(key: [1]), .init(key: [2], value: [3])], [.init(key: [4])]])
        for length in [128, .max - 7] as [UInt64] {
            expectDamage(.truncated, log) { bytes, item in bytes.replace(number: length, at: item.offset + 8) }
        }
        let length = FormatError.invalidField(.bodyLength)
        expectDamage(length, log) { bytes, item in bytes.replace(number: 104 as UInt64, at: item.offset + 8) }
        expectDamage(length, log) { bytes, item in bytes[item.offset + 40] = 2 }
        expectDamage(length, log) { bytes, item in
            bytes.replace(number: UInt32(1 << 30), at: item.records[2].offset + 4)
        }
        expectDamage(length, log) { bytes, item in bytes.replace(number: UInt16.max, at: item.records[0].offset + 2) }
        let sequence = FormatError.invalidField(.sequence)
        for first in [0, 99, 101, .max] as [UInt64] {
            expectDamage(sequence, log) { bytes, item in bytes.replace(number: first, at: item.offset + 16) }
        }
        for distance in [1, .max, .max - 99] as [UInt64] {
            expectDamage(sequence, log) { bytes, item in
                bytes.replace(number: distance, at: item.records[0].offset + 8)
            }
        }
        // The batch ends early, so the next record has a wrong number; or it never ends.
        expectDamage(sequence, log) { bytes, item in bytes[item.records[0].offset + 1] = 0 }
        expectDamage(.invalidField(.batch), log) { bytes, item in bytes[item.records[2].offset + 1] = 1 }
    }

    @Test func aRecordCountBeyondTheBodyIsRefused() {
        var log = TestLog()
        log.commit([[.init(key: [1])]], recordCount: .max)
        #expect(ScanOutcome(log.bytes, log.header).stop.reason == .damage(.invalidField(.recordCount)))
    }
}
