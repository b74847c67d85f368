internal import HeartwoodFormat

/// Inputs to start from: data that a writer makes, in the form that the targets take.
package enum Seeds {
    /// The inputs for each target, made from one store's files.
    package static func from(_ image: DirectoryImage) -> [FuzzTarget: [[UInt8]]] {
        var seeds: [FuzzTarget: [[UInt8]]] = [.directory: [image.encoded], .inspection: [image.encoded]]
        for (name, bytes) in image.files {
            seeds[.fileName, default: []].append(Array(name.utf8))
            guard bytes.count >= 4096 else { continue }
            if case .snapshot = StoreFileName(name) {
                addSnapshot(bytes, to: &seeds)
                continue
            }
            seeds[.segment, default: []].append(FoldedZeros.fold(bytes))
            seeds[.fileHeader, default: []].append(FoldedZeros.fold(Array(bytes[..<4096])))
            add(bytes, to: &seeds)
        }
        return seeds
    }

    /// The prefix of an input whose checksums depend on the location: salt and offset.
    private static func prefix(_ offset: Int, in bytes: [UInt8]) -> [UInt8] {
        var prefix = [UInt8](repeating: 0, count: 12)
        prefix.replaceSubrange(..<4, with: bytes[12..<16])
        prefix.setNumber(UInt64(offset), at: 4, bytes: 8)
        return prefix
    }

    /// The header of a snapshot, its records' headers, its blocks that aren't too large, and its footer.
    private static func addSnapshot(_ bytes: [UInt8], to seeds: inout [FuzzTarget: [[UInt8]]]) {
        seeds[.fileHeader, default: []].append(FoldedZeros.fold(Array(bytes[..<4096])))
        guard let layout = SnapshotLayout(bytes) else { return }
        for record in layout.records {
            let at = record.lowerBound
            seeds[.recordHeader, default: []].append(prefix(at, in: bytes) + bytes[at..<(at + 32)])
        }
        for block in layout.blocks {
            let end = block + 32 + Int(bytes.number(at: block + 16, bytes: 4))
            guard end <= layout.footer, end - block <= FuzzTarget.keyBlock.maximumInput - 20 else { continue }
            var limit = [UInt8](repeating: 0, count: 8)
            limit.setNumber(UInt64(layout.keySection), at: 0, bytes: 8)
            seeds[.keyBlock, default: []].append(prefix(block, in: bytes) + limit + bytes[block..<end])
        }
        seeds[.snapshotFooter, default: []].append(prefix(layout.footer, in: bytes) + bytes[layout.footer...])
    }

    /// Each commit's header, each record's, and each compressed value.
    private static func add(_ bytes: [UInt8], to seeds: inout [FuzzTarget: [[UInt8]]]) {
        for commit in SegmentLayout(bytes).commits {
            seeds[.commitHeader, default: []].append(
                prefix(commit.offset, in: bytes) + bytes[commit.offset..<(commit.offset + 48)])
            for record in commit.records {
                let at = record.lowerBound
                seeds[.recordHeader, default: []].append(prefix(at, in: bytes) + bytes[at..<(at + 32)])
                guard bytes[at] < 3, bytes[at + 1] & 2 != 0 else { continue }
                let value = at + 32 + Int(bytes.number(at: at + 2, bytes: 2))
                let stored = bytes[value..<(value + Int(bytes.number(at: at + 4, bytes: 4)))]
                seeds[.value, default: []].append([0xFF, 0xFF] + stored)
            }
        }
    }

    /// Inputs that are not made from a store.
    package static let others: [FuzzTarget: [[UInt8]]] = [
        .value: [[16, 0, 1, 0, 0, 0, 3, 0], [0, 0, 0, 0, 0, 0, 3, 0]],
        .fileName: ["LOCK", "spare.log.tmp", "0000000000000001.snapshot", "notes"].map { Array($0.utf8) },
        .lockText: ["4711\n", "1", "-2147483648\n", "+0\n", "2147483648\n", "\n"].map { Array($0.utf8) },
    ]
}
