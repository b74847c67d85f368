internal import HeartwoodFormat

/// Inputs to start from: what a writer makes, in the form that the targets take.
package enum Seeds {
    /// The inputs for each target that come from one store's files.
    package static func from(_ image: DirectoryImage) -> [FuzzTarget: [[UInt8]]] {
        var seeds: [FuzzTarget: [[UInt8]]] = [.directory: [image.encoded]]
        for (name, bytes) in image.files {
            seeds[.fileName, default: []].append(Array(name.utf8))
            guard bytes.count >= 4096 else { continue }
            seeds[.segment, default: []].append(FoldedZeros.fold(bytes))
            seeds[.fileHeader, default: []].append(FoldedZeros.fold(Array(bytes[..<4096])))
            add(bytes, to: &seeds)
        }
        return seeds
    }

    /// Each commit's header, each record's, and each compressed value.
    private static func add(_ bytes: [UInt8], to seeds: inout [FuzzTarget: [[UInt8]]]) {
        func place(_ offset: Int) -> [UInt8] {
            var prefix = [UInt8](repeating: 0, count: 12)
            prefix.replaceSubrange(..<4, with: bytes[12..<16])
            prefix.setNumber(UInt64(offset), at: 4, bytes: 8)
            return prefix
        }
        for commit in SegmentLayout(bytes).commits {
            seeds[.commitHeader, default: []].append(
                place(commit.offset) + bytes[commit.offset..<(commit.offset + 48)])
            for record in commit.records {
                let at = record.lowerBound
                seeds[.recordHeader, default: []].append(place(at) + bytes[at..<(at + 32)])
                guard bytes[at] < 3, bytes[at + 1] & 2 != 0 else { continue }
                let value = at + 32 + Int(bytes.number(at: at + 2, bytes: 2))
                let stored = bytes[value..<(value + Int(bytes.number(at: at + 4, bytes: 4)))]
                seeds[.value, default: []].append([0xFF, 0xFF] + stored)
            }
        }
    }

    /// Inputs that come from no store.
    package static let others: [FuzzTarget: [[UInt8]]] = [
        .value: [[16, 0, 1, 0, 0, 0, 3, 0], [0, 0, 0, 0, 0, 0, 3, 0]],
        .fileName: ["LOCK", "spare.log.tmp", "0000000000000001.snapshot", "notes"].map { Array($0.utf8) },
        .lockText: ["4711\n", "1", "-2147483648\n", "+0\n", "2147483648\n", "\n"].map { Array($0.utf8) },
    ]
}
