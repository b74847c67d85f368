package import HeartwoodTesting

/// Changes one item of a file that a store wrote, and repairs its checksums.
package enum Forgery {
    /// - Parameter bytes: A segment, or a snapshot.
    package static func run(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard bytes.count >= 4096 else { return }
        var other = SeededRandom(random.next())
        let blind: BlindMutation = { bytes, maximum in
            var changed = bytes
            for _ in 0...other.below(3) where !changed.isEmpty {
                changed[other.below(changed.count)] = UInt8(truncatingIfNeeded: other.next())
            }
            return Array(changed.prefix(maximum))
        }
        withoutActuallyEscaping(blind) { blind in
            if bytes[10] == 2 { snapshot(&bytes, &random, blind) } else { segment(&bytes, &random, blind) }
        }
    }

    private static func fileHeader(_ bytes: inout [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) {
        // A truncated file is no forgery.
        var header = Array(bytes[..<4096])
        repeat {
            header = Array(bytes[..<4096])
            Mutation.changeFileHeader(&header, &random, blind)
        } while header.count < 4096
        Repair.fileHeader(&header)
        bytes.replaceSubrange(..<4096, with: header)
    }

    private static func segment(_ bytes: inout [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) {
        let commits = SegmentLayout(bytes).commits
        guard !commits.isEmpty, !random.oneIn(10) else {
            return fileHeader(&bytes, &random, blind)
        }
        let commit = random.pick(commits)
        let salt = UInt32(bytes.number(at: 12, bytes: 4))
        if commit.records.isEmpty || random.oneIn(3) {
            Mutation.changeCommitHeader(&bytes, at: commit.offset, fileOffset: UInt64(commit.offset), &random, blind)
        } else {
            let record = random.pick(commit.records)
            change(record, of: &bytes, &random, blind)
            Repair.record(&bytes, record, salt)
        }
        Repair.seal(&bytes, at: commit.offset, count: 44, salt: salt, fileOffset: UInt64(commit.offset))
    }

    private static func snapshot(_ bytes: inout [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation) {
        guard let layout = SnapshotLayout(bytes) else { return }
        switch random.below(8) {
        case 0: return fileHeader(&bytes, &random, blind)
        case 1: Mutation.changeFooter(&bytes, at: layout.footer, fileOffset: UInt64(layout.footer), &random, blind)
        case 2, 3:
            guard let block = layout.blocks.first else { return }
            Mutation.changeBlockHeader(&bytes, at: block, &random, blind)
        case 4:
            guard let block = layout.blocks.first, block + 40 < layout.footer else { return }
            bytes[block + 32 + random.below(layout.footer - block - 32)] ^= 1 << UInt8(random.below(8))
        default:
            guard !layout.records.isEmpty else { return }
            change(random.pick(layout.records), of: &bytes, &random, blind)
        }
        SnapshotMutation.repair(&bytes, rebuilding: random.oneIn(6))
    }

    /// Changes a record's header, or a byte of its payload.
    private static func change(
        _ record: Range<Int>, of bytes: inout [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation
    ) {
        if record.count > 32, random.oneIn(3) {
            bytes[record.lowerBound + 32 + random.below(record.count - 32)] ^= 1 << UInt8(random.below(8))
        } else {
            Mutation.changeRecordHeader(&bytes, at: record.lowerBound, &random, blind)
        }
    }
}
