import HeartwoodFormat
import Testing

/// Random bytes: each case ends in a record or in an error.
@Suite struct FormatFuzzTests {
    @Test func randomHeadersWithRightChecksums() {
        var random = TestRandom(seed: 0xF0)
        let salt: UInt32 = 77
        var accepted = 0
        for _ in 0..<100_000 {
            var commit = Array("HWCM".utf8) + random.bytes(44)
            // Mostly plausible fields: otherwise almost nothing passes the first check.
            if random.below(8) != 0 { commit.replace(number: UInt32(random.below(5)), at: 4) }
            if random.below(8) != 0 { commit.replace(number: UInt64(random.below(20) * 8), at: 8) }
            if random.below(8) != 0 { commit.replace(number: UInt64(random.below(10_000)), at: 24) }
            if random.below(8) != 0 { commit.replace(number: UInt32(random.below(4)), at: 40) }
            TestLog.repairCommit(&commit, at: 0, salt: salt ^ 512)
            let found = try? commit.withUnsafeBytes { try CommitHeader.decode($0, salt: salt, offset: 4096) }
            if let found {
                accepted += 1
                if found.encoded(salt: salt, offset: 4096) != commit { Issue.record("read differently: \(commit)") }
            }
        }
        #expect(accepted > 1000)
    }

    @Test func randomRecordsWithRightChecksums() {
        var random = TestRandom(seed: 0xF1)
        let salt: UInt32 = 78
        var accepted = 0
        for _ in 0..<50_000 {
            var record = random.bytes(32)
            if random.below(4) != 0 { record[0] = UInt8(random.below(5)) }
            if random.below(4) != 0 { record[1] = UInt8(random.below(9)) }
            if random.below(2) != 0 { record.replace(number: 0 as UInt64, at: 16) }
            TestLog.repairRecord(&record, at: 0, salt: salt ^ 512)
            let flags: RecordHeader.Flags = random.below(2) == 0 ? .original : .known
            let found = try? record.withUnsafeBytes {
                try RecordHeader.decode($0, salt: salt, offset: 4096, flags: flags)
            }
            if let found {
                accepted += 1
                #expect(found.encodedLength >= 32 && found.encodedLength % 8 == 0)
                #expect(found.kind.rawValue >= 128 || found.flags.isSubset(of: flags))
            }
        }
        #expect(accepted > 1000)
    }

    @Test func randomBytesAsASegment() {
        var random = TestRandom(seed: 0xF2)
        let log = TestLog()
        let header = log.header
        for _ in 0..<20_000 {
            var bytes = log.bytes + random.bytes(random.below(200))
            if random.below(2) == 0, bytes.count >= 4100 { bytes.replaceSubrange(4096..<4100, with: "HWCM".utf8) }
            let outcome = ScanOutcome(bytes, header)
            #expect(outcome.commits.isEmpty)
            #expect(outcome.verdict == .torn || bytes.count == 4096)
        }
    }

    @Test func changedSegmentsWithRightChecksums() {
        for seed in 0..<6 as Range<UInt64> { mutateSegment(seed: seed, cases: 5000) }
    }

    /// Changes bytes in headers of a log, corrects the checksums, and scans.
    private func mutateSegment(seed: UInt64, cases: Int) {
        let log = SegmentDamageTests.randomLog(seed: 100 + seed, steps: 5, isClosed: seed % 2 == 0, longest: 30)
        let header = log.header
        var random = TestRandom(seed: seed)
        let items = log.items
        guard !items.isEmpty else { return }
        for number in 0..<cases {
            var bytes = log.bytes
            for _ in 0...random.below(2) {
                let item = items[random.below(items.count)]
                if !item.isMark, random.below(2) == 0 {
                    let record = item.records[random.below(item.records.count)]
                    change(&bytes, record.offset, 28, &random)
                    TestLog.repairRecord(&bytes, at: record.offset, salt: log.salt)
                } else {
                    change(&bytes, item.offset, 44, &random)
                    TestLog.repairCommit(&bytes, at: item.offset, salt: log.salt)
                }
            }
            if random.below(8) == 0 { bytes.removeLast(random.below(bytes.count - 4096)) }
            let outcome = ScanOutcome(bytes, header)
            if let problem = problem(with: outcome, bytes, header) {
                Issue.record("seed \(seed), case \(number): \(problem)")
            }
        }
    }

    private func change(_ bytes: inout [UInt8], _ offset: Int, _ count: Int, _ random: inout TestRandom) {
        let at = offset + random.below(count)
        switch random.below(4) {
        case 0: bytes[at] = UInt8(random.below(256))
        case 1: bytes[at] &+= 1
        case 2: bytes[at] = 0xFF
        default: bytes[at] ^= 1 << UInt8(random.below(8))
        }
    }

    /// What contradicts itself in the outcome; nil if nothing does.
    private func problem(with outcome: ScanOutcome, _ bytes: [UInt8], _ header: FileHeader) -> String? {
        var sequence = header.firstSequence
        var position: UInt64 = 4096
        for commit in outcome.commits {
            if commit.header.firstSequence != sequence { return "numbers are not dense" }
            if commit.offset < position || commit.end > UInt64(bytes.count) { return "a commit out of bounds" }
            if commit.header.syncedMark > commit.offset { return "a synced mark beyond its commit" }
            if commit.records.count != Int(commit.header.recordCount) { return "a wrong number of records" }
            var at = commit.offset + 48
            var batchIsOpen = false
            for record in commit.records {
                if record.offset != at { return "records are not adjacent" }
                if header.marksBatches, record.header.flags.contains(.continuesBatch) != batchIsOpen {
                    return "records that disagree on their batch"
                }
                batchIsOpen = record.header.flags.contains(.batchContinues)
                if record.sequence != header.firstSequence &+ record.header.sequenceDistance { return "a wrong number" }
                at += UInt64(record.header.encodedLength)
            }
            if at != commit.end { return "records end at \(at), the commit at \(commit.end)" }
            position = commit.end
            sequence = commit.nextSequence
        }
        if outcome.stop.offset != position { return "stopped at \(outcome.stop.offset), not \(position)" }
        if outcome.provenEnd > position { return "more was proven durable than was read" }
        return nil
    }
}
