internal import HeartwoodTesting
internal import HeartwoodFormat

/// Changes the parts of a segment: fields, records, commits, gaps, the end.
struct SegmentMutation {
    var bytes: [UInt8]
    let workspace: Workspace

    /// The maximum size of a segment.
    static let maximum = 14 << 10

    private static let header = FileHeader(
        kind: .log, storeID: StoreID(low: 1, high: 2), salt: 3, firstSequence: 1, predecessor: nil, creationTime: 0
    ).encoded()

    /// Makes one to four changes, then repairs.
    mutating func run(_ random: inout SeededRandom, _ blind: BlindMutation) {
        if bytes.count < 4096 {
            if random.oneIn(4) { return }
            bytes = Self.header
        }
        for _ in 0...random.below(4) where bytes.count >= 4096 { change(&random, blind) }
        if !random.oneIn(16) { Repair.segment(&bytes, .drawn(&random)) }
        // Sometimes one more change, without a repair of the checksum.
        if random.oneIn(8), !bytes.isEmpty { bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
    }

    private mutating func change(_ random: inout SeededRandom, _ blind: BlindMutation) {
        let commits = SegmentLayout(bytes).commits
        guard !commits.isEmpty, !random.oneIn(10) else { return addCommit(&random) }
        let commit = random.pick(commits)
        switch random.below(14) {
        case 0: Mutation.changeFileHeader(&bytes, &random, blind)
        case 1, 2:
            Mutation.changeCommitHeader(
                &bytes, at: commit.offset, fileOffset: UInt64(commit.offset), &random, blind)
        case 3, 4, 5:
            guard !commit.records.isEmpty else { return addRecord(to: commit, &random) }
            Mutation.changeRecordHeader(&bytes, at: random.pick(commit.records).lowerBound, &random, blind)
        case 6: addRecord(to: commit, &random)
        case 7: addMark(&random)
        case 8: bytes.removeSubrange(commit.offset..<commit.end)
        case 9:
            let copy = Array(bytes[commit.offset..<commit.end])
            bytes.insert(contentsOf: copy, at: random.pick(commits).end)
        case 10: changePayload(of: commit, &random, blind)
        case 11: truncate(&random)
        case 12: bytes.append(contentsOf: repeatElement(0, count: random.pick([1, 8, 40, 48, 600, 4096])))
        default:
            let tail = Array(bytes[4096...].prefix(600))
            bytes.replaceSubrange(4096..<(4096 + tail.count), with: blind(tail, tail.count + 40))
        }
        if bytes.count > Self.maximum { bytes.removeLast(bytes.count - Self.maximum) }
    }

    private mutating func addCommit(_ random: inout SeededRandom) {
        let commits = SegmentLayout(bytes).commits
        let at = random.oneIn(2) ? commits.last?.end ?? 4096 : (commits.isEmpty ? 4096 : random.pick(commits).end)
        var commit = Self.commitHeader(records: 1 + random.below(3), &random)
        for _ in 0..<commit.number(at: 40, bytes: 4) { commit += record(&random) }
        commit.setNumber(UInt64(commit.count - 48), at: 8, bytes: 8)
        bytes.insert(contentsOf: commit, at: min(at, bytes.count))
    }

    /// Replaces the bytes after the last commit by a mark at the next boundary.
    private mutating func addMark(_ random: inout SeededRandom) {
        let end = SegmentLayout(bytes).end
        let boundary = (end + 4095) / 4096 * 4096
        bytes.removeLast(max(0, bytes.count - end))
        bytes.append(contentsOf: repeatElement(0, count: boundary - bytes.count))
        var mark = Self.commitHeader(records: 0, &random)
        mark.setNumber(UInt64(random.oneIn(3) ? 2 : 0) | 1, at: 4, bytes: 4)
        mark.setNumber(UInt64(boundary), at: 24, bytes: 8)
        bytes += mark
    }

    private mutating func addRecord(to commit: SegmentLayout.Commit, _ random: inout SeededRandom) {
        let location = random.oneIn(2) ? commit.end : commit.records.first?.lowerBound ?? commit.end
        let added = record(&random)
        bytes.insert(contentsOf: added, at: location)
        let at = commit.offset
        bytes.setNumber(bytes.number(at: at + 8, bytes: 8) &+ UInt64(added.count), at: at + 8, bytes: 8)
        bytes.setNumber(bytes.number(at: at + 40, bytes: 4) &+ 1, at: at + 40, bytes: 4)
        bytes[at + 4] = 0
    }

    private mutating func changePayload(
        of commit: SegmentLayout.Commit, _ random: inout SeededRandom, _ blind: BlindMutation
    ) {
        guard !commit.records.isEmpty else { return }
        let record = random.pick(commit.records)
        guard record.count > 32 else { return }
        let range = (record.lowerBound + 32)..<min(record.upperBound, record.lowerBound + 600)
        Mutation.change(range, of: &bytes, blind)
    }

    private mutating func truncate(_ random: inout SeededRandom) {
        let commits = SegmentLayout(bytes).commits
        let at = commits.isEmpty ? 4096 : random.pick(commits).offset + random.pick([0, 8, 44, 48, 56, 80, 81, 96])
        if at < bytes.count { bytes.removeLast(bytes.count - at) }
    }

    private static func commitHeader(records: Int, _ random: inout SeededRandom) -> [UInt8] {
        var header = Array("HWCM".utf8) + [UInt8](repeating: 0, count: 44)
        header.setNumber(UInt64(records), at: 40, bytes: 4)
        header.setNumber(UInt64(random.pick([0, 4096, 4096, 5000])), at: 24, bytes: 8)
        header.setNumber(random.next() >> 24, at: 32, bytes: 8)
        return header
    }

    /// A valid record, except for number and checksums.
    private func record(_ random: inout SeededRandom) -> [UInt8] {
        let kind = random.pick([1, 1, 1, 2, 3, 200] as [UInt8])
        let key = [UInt8](repeating: UInt8(97 + random.below(3)), count: 1 + random.below(random.oneIn(8) ? 300 : 4))
        var flags: UInt8 = random.oneIn(4) ? 1 : 0
        var value: [UInt8] = []
        if kind != 3 {
            let count = random.pick([0, 1, 7, 8, 20, 100, 4050, 4064, 5000])
            value = [UInt8](repeating: random.oneIn(2) ? 0 : 120, count: count)
            if random.oneIn(8) {
                value = ValueTarget.made(&random, workspace)
                flags |= 2
            }
        }
        var record: [UInt8] = [kind, flags] + [UInt8](repeating: 0, count: 30) + key + value
        while record.count % 8 != 0 { record.append(0) }
        record.setNumber(UInt64(key.count), at: 2, bytes: 2)
        record.setNumber(UInt64(value.count), at: 4, bytes: 4)
        if kind == 2 { record.setNumber(random.oneIn(2) ? 1 : 1 << 50, at: 16, bytes: 8) }
        return record
    }
}
