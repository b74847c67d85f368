/// The apparent offsets of commits and records in the bytes of a segment, valid or not.
struct SegmentLayout {
    struct Commit {
        var offset: Int
        /// The ranges of its records.
        var records: [Range<Int>] = []
        /// The end of the last record.
        var end: Int
    }

    private(set) var commits: [Commit] = []
    private let size: Int

    /// Finds everything that begins with a commit's magic number at a multiple of 8, and the records that follow by
    /// their lengths. O(bytes).
    init(_ bytes: [UInt8]) {
        size = bytes.count
        var at = 4096
        while at + 48 <= bytes.count {
            guard Self.isCommit(bytes, at) else {
                at += 8
                continue
            }
            var commit = Commit(offset: at, end: at + 48)
            let count = bytes.number(at: at + 40, bytes: 4)
            while commit.records.count < count, let end = Self.endOfRecord(bytes, commit.end) {
                commit.records.append(commit.end..<end)
                commit.end = end
            }
            commits.append(commit)
            at = commit.end
        }
    }

    /// The end of the last commit.
    var end: Int { commits.last?.end ?? min(4096, size) }

    static func isCommit(_ bytes: [UInt8], _ at: Int) -> Bool {
        bytes[at] == 0x48 && bytes[at + 1] == 0x57 && bytes[at + 2] == 0x43 && bytes[at + 3] == 0x4D
    }

    /// The end of the record at an offset, by its own lengths; nil if that isn't in the file.
    static func endOfRecord(_ bytes: [UInt8], _ at: Int) -> Int? {
        guard at + 32 <= bytes.count else { return nil }
        let payload = Int(bytes.number(at: at + 2, bytes: 2) + bytes.number(at: at + 4, bytes: 4))
        let end = at + 32 + (payload + 7) / 8 * 8
        return end <= bytes.count ? end : nil
    }
}
