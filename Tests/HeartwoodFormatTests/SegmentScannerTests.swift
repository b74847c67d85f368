import HeartwoodFormat
import Testing

/// Whole logs of every layout.
@Suite struct SegmentScannerTests {
    /// Compares everything that the scanner found with what the test writer wrote.
    private func expectWhole(
        _ log: TestLog, _ outcome: ScanOutcome, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(outcome.records == log.items.flatMap(\.records), sourceLocation: sourceLocation)
        #expect(outcome.commits.map { Int($0.offset) } == log.items.map(\.offset), sourceLocation: sourceLocation)
        #expect(outcome.commits.map { Int($0.end) } == log.items.map(\.end), sourceLocation: sourceLocation)
        #expect(outcome.nextSequence == log.nextSequence, sourceLocation: sourceLocation)
        #expect(outcome.stop.offset == UInt64(log.items.last?.end ?? 4096), sourceLocation: sourceLocation)
        #expect(
            outcome.provenEnd == log.items.map(\.syncedMark).max() ?? 4096, sourceLocation: sourceLocation)
    }

    @Test func anEmptySegment() {
        var log = TestLog()
        var outcome = ScanOutcome(log.bytes, log.header)
        #expect(outcome.verdict == .unclosed)
        #expect(outcome.stop == TailVerdict.Stop(offset: 4096, reason: .end, damageOffset: 4096))
        log.preallocate(10_000)
        outcome = ScanOutcome(log.bytes, log.header)
        #expect(outcome.verdict == .unclosed)
        #expect(outcome.stop.reason == .zeros)
        expectWhole(log, outcome)
    }

    @Test(arguments: [1, 3] as [UInt16])
    func commitsBatchesAndMarks(version: UInt16) {
        var log = TestLog(version: version, firstSequence: 1 << 32)
        log.commit([[.init(key: [1])]])
        log.commit([
            [.init(kind: 2, key: [2], value: [3], expiry: 9), .init(kind: 3, key: [1])],
            [.init(key: [4, 4], value: [5])],
        ])
        log.mark()
        log.commit([
            [.init(key: [6])], [.init(kind: 255, flags: version == 1 ? 0xFE : 0xFA, key: []), .init(key: [7])],
        ])
        log.mark(closing: true)
        let outcome = ScanOutcome(log.bytes, log.header)
        expectWhole(log, outcome)
        #expect(outcome.verdict == .clean)
        #expect(outcome.commits.map(\.batchCount) == [1, 2, 0, 2, 0])
        #expect(outcome.commits[2].header.flags == .mark)
        #expect(outcome.commits[4].header.flags == [.mark, .closing])
        let epoch: UInt64 = 1 << 32
        #expect(outcome.records.map { $0.sequence - epoch } == [0, 1, 1, 2, 3, 4, 4])
    }

    /// Every distance to the boundary, including none and a few bytes.
    @Test func marksStandAtBoundariesAfterZeros() {
        for length in stride(from: 4096 - 48 - 40 - 200, through: 4096 - 48 - 40 + 200, by: 8) {
            var log = TestLog()
            log.commit([[.init(key: [1], value: [UInt8](repeating: 9, count: length))]])
            log.mark()
            log.mark()
            log.commit([[.init(key: [2])]])
            log.mark(closing: true)
            let outcome = ScanOutcome(log.bytes, log.header)
            expectWhole(log, outcome)
            #expect(outcome.verdict == .clean)
        }
    }

    @Test func aGapEndsOnlyAtItsOwnBoundary() {
        // A mark that is one boundary too far: the zeros in front of it are no gap.
        var log = TestLog()
        log.commit([[.init(key: [1])]])
        let end = UInt64(log.bytes.count)
        log.preallocate(8192)
        log.mark()
        let outcome = ScanOutcome(log.bytes, log.header)
        #expect(outcome.stop == TailVerdict.Stop(offset: end, reason: .damage(.wrongMagic), damageOffset: end))
        let mark = log.items[1]
        #expect(
            outcome.verdict
                == .corrupt(.laterMark(offset: UInt64(mark.offset), mark: mark.syncedMark, sequence: 2)))
    }

    @Test func aCommitWithRecordsDoesNotFollowAGap() {
        var log = TestLog()
        log.commit([[.init(key: [1])]])
        let end = UInt64(log.bytes.count)
        log.preallocate(8192 - log.bytes.count)
        log.commit([[.init(key: [2])]])
        let outcome = ScanOutcome(log.bytes, log.header)
        #expect(outcome.stop.offset == end)
        #expect(outcome.stop.reason == .damage(.wrongMagic))
        #expect(outcome.verdict == .torn)
    }

    @Test func largeKeysAndValuesCrossWindows() {
        let window = SegmentScanner<MemoryBytes>.windowBytes
        var random = TestRandom(seed: 21)
        var log = TestLog()
        for length in [4000, 4064, 4072, 5000, window - 65_600, window - 40, window, window + 1, 3 * window + 77] {
            log.commit([
                [.init(key: random.bytes(1 + random.below(60_000)), value: random.bytes(length)), .init(key: [1])]
            ])
            log.commit([[.init(key: random.bytes(65_535), value: random.bytes(random.below(10)))]])
        }
        log.mark(closing: true)
        let outcome = ScanOutcome(log.bytes, log.header)
        expectWhole(log, outcome)
        #expect(outcome.verdict == .clean)
        // Each large value is verified to its last byte.
        for item in log.items where !item.isMark {
            for at in [item.offset + 48 + 32, item.records[0].end - 1, (item.offset + item.end) / 2] {
                var bytes = log.bytes
                bytes[at] ^= 0x10
                let outcome = ScanOutcome(bytes, log.header)
                #expect(outcome.stop.offset == UInt64(item.offset))
                #expect(outcome.isCorrupt)
            }
        }
    }

    @Test func aSuccessorEndsTheSegment() {
        var log = TestLog()
        log.commit([[.init(key: [1])], [.init(key: [2])]])
        log.commit([[.init(key: [3])]])
        for item in log.items {
            let successor = (end: UInt64(item.end), lastSequence: item.nextSequence - 1)
            let outcome = ScanOutcome(log.bytes, log.header, successor: successor)
            #expect(outcome.verdict == .intact)
            #expect(outcome.nextSequence == item.nextSequence)
        }
        // An end that is no end of a commit: before the first commit, within one, or beyond the file.
        for end in [0, 8, 4095, 4104, log.items[0].end - 8, log.items[0].end + 8, log.bytes.count + 8, .max] {
            let outcome = ScanOutcome(log.bytes, log.header, successor: (UInt64(end), 3))
            #expect(outcome.isCorrupt, "\(end)")
        }
    }

    @Test func bytesAfterTheRecordedEndAreIgnored() {
        var log = TestLog()
        log.commit([[.init(key: [1])]])
        log.sync()
        let end = log.bytes.count
        var random = TestRandom(seed: 2)
        for garbage in [random.bytes(3), random.bytes(500), [UInt8](repeating: 0, count: 90)] {
            let outcome = ScanOutcome(log.bytes + garbage, log.header, successor: (UInt64(end), 1))
            #expect(outcome.verdict == .intact)
            #expect(outcome.records.count == 1)
        }
    }

    @Test func requestsStayWithinTheWindow() {
        // `MemoryBytes` traps on a larger request; this log makes each kind of request.
        var log = TestLog()
        log.commit([[.init(key: [UInt8](repeating: 1, count: 65_535), value: [UInt8](repeating: 2, count: 600_000))]])
        log.preallocate(700_000)
        var bytes = log.bytes
        let outcome = ScanOutcome(bytes, log.header)
        #expect(outcome.verdict == .unclosed)
        bytes[log.items[0].offset + 50] ^= 1
        #expect(ScanOutcome(bytes, log.header).verdict == .torn)
    }
}
