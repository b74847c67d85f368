import HeartwoodFormat
import Testing

/// A commit of very many records is read in parts, each of a bounded size, and only if the whole commit is valid.
@Suite struct LargeCommitTests {
    private static let count = 300_000
    /// Records per part.
    private static let most = 256 << 10

    private func log(oneBatch: Bool) -> TestLog {
        var log = TestLog()
        log.commit([[.init(key: [1])]])
        let records = (0..<Self.count).map { index in
            TestLog.Operation(key: [UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: index >> 8), 1])
        }
        log.commit(oneBatch ? [records] : records.map { [$0] })
        log.commit([[.init(key: [2])]])
        return log
    }

    private func parts(
        _ bytes: [UInt8], _ header: FileHeader, _ splitting: CommitSplitting
    ) -> (parts: [ScannedCommit], stop: TailVerdict.Stop) {
        var scanner = SegmentScanner(source: MemoryBytes(bytes), header: header)
        scanner.splitting = splitting
        var (parts, commit) = ([ScannedCommit](), ScannedCommit())
        while true {
            switch scanner.next(into: &commit) {
            case .commit: parts.append(commit)
            case .stop(let stop): return (parts, stop)
            }
        }
    }

    @Test(arguments: [false, true], [.never, .betweenBatches, .withinBatches] as [CommitSplitting])
    func itIsReadInParts(oneBatch: Bool, splitting: CommitSplitting) {
        let log = log(oneBatch: oneBatch)
        let (parts, stop) = parts(log.bytes, log.header, splitting)
        #expect(stop.reason == .end)
        // A batch that must not be split is one part.
        let isSplit = splitting == .withinBatches || splitting == .betweenBatches && !oneBatch
        #expect(
            parts.map(\.records.count) == [1] + (isSplit ? [Self.most, Self.count - Self.most] : [Self.count]) + [1])
        #expect(parts.map(\.isFirstPart) == (isSplit ? [true, true, false, true] : [true, true, true]))
        #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.end == $1.offset && $0.nextSequence <= $1.nextSequence })
        #expect(parts.map(\.batchCount).reduce(0, +) == (oneBatch ? 3 : UInt64(Self.count) + 2))
        #expect(parts.contains(where: \.beginsWithinBatch) == (oneBatch && isSplit))
        let records = parts.flatMap(\.records)
        let isSame = zip(records, log.items.flatMap(\.records)).allSatisfy {
            $0.offset == UInt64($1.offset) && $0.sequence == $1.sequence
        }
        #expect(isSame && records.count == Self.count + 2)
    }

    @Test(arguments: [false, true])
    func nothingOfItIsReadIfItsLastRecordIsDamaged(oneBatch: Bool) throws {
        let log = log(oneBatch: oneBatch)
        let last = try #require(log.items[1].records.last)
        var bytes = log.bytes
        bytes[last.offset + 33] ^= 1
        let (parts, stop) = parts(bytes, log.header, .withinBatches)
        #expect(parts.count == 1)
        #expect(stop.damageOffset == UInt64(last.offset) && stop.offset == UInt64(log.items[1].offset))
        #expect(stop.reason == .damage(.checksumMismatch))
    }
}
