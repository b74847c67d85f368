internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// Finds the salts that the items of a file give.
struct SaltSearch {
    private let size: UInt64
    private var at = UInt64(FormatConstants.fileHeaderSize)
    private var ofCommits: Set<UInt32> = []
    /// If everything looks like a record, not all of them are read: only as much as reading all bytes a few times.
    private var allowance = 1 << 20
    /// Longer records are skipped.
    private static let longestRecord = 64 << 10
    /// How many salts of commits are remembered.
    private static let mostCommits = 4096
    /// How many salts are counted.
    private static let mostSalts = 1 << 16

    private init(to size: UInt64) { self.size = size }

    struct Found {
        var salt: UInt32
        /// Offset of the record that gives it; nil if commits give it.
        var record: UInt64?

        /// The kind of a file in which only records verify: in a log, a commit precedes the first record; in a
        /// snapshot, nothing does.
        func kind(_ meaning: StoreFileName) -> FileHeader.Kind {
            guard let record else { return .log }
            if case .snapshot = meaning { return .snapshot }
            return record == UInt64(FormatConstants.fileHeaderSize) ? .snapshot : .log
        }
    }

    /// The salts that may be a file's own, the likeliest first. O(existing bytes).
    ///
    /// The more items give a salt, the likelier it is. Items that were moved within a file, each by another distance,
    /// each give another salt; of those salts, all but the likeliest come at the end.
    static func likely(in window: inout FileWindow, to size: UInt64) throws(FileSystemError) -> [Found] {
        var search = SaltSearch(to: size)
        var counts: [UInt32: (found: Found, at: UInt64, count: Int)] = [:]
        while let found = try search.next(in: &window) {
            counts[found.salt, default: (found, search.at, 0)].count += 1
            guard counts.count > mostSalts else { continue }
            counts = counts.filter { $0.value.count > 1 }
            if counts.count > mostSalts { break }
        }
        let sorted = counts.values.sorted { ($1.count, $0.at) < ($0.count, $1.at) }
        var groups: Set<UInt64> = []
        let isFirst = sorted.map { groups.insert(ChecksumTag.unmoved($0.found.salt, within: size)).inserted }
        let salts = zip(sorted.map(\.found), isFirst)
        return salts.filter(\.1).map(\.0) + salts.filter { !$0.1 }.map(\.0)
    }

    /// The next salt that an item gives; it may have been found before. O(existing bytes up to there).
    private mutating func next(in window: inout FileWindow) throws(FileSystemError) -> Found? {
        while let found = try nextCandidate(in: &window) {
            at = found.offset + 8
            let salt = try window.withBytes(at: found.offset, count: found.length) { bytes in
                found.isCommit
                    ? Self.salt(ofCommit: bytes, at: found.offset) : Self.salt(ofRecord: bytes, at: found.offset)
            }
            guard let salt else { continue }
            if !found.isCommit { return Found(salt: salt, record: found.offset) }
            if ofCommits.count == Self.mostCommits { ofCommits.removeAll(keepingCapacity: true) }
            if !ofCommits.insert(salt).inserted { return Found(salt: salt) }
        }
        return nil
    }

    /// A position where a record or a commit header may begin.
    private struct Candidate {
        var offset: UInt64
        var length: Int
        var isCommit: Bool
    }

    private mutating func nextCandidate(
        in window: inout FileWindow
    ) throws(FileSystemError) -> Candidate? {
        var left = allowance
        let found = try window.firstItem(
            from: at, to: size, headerBytes: FormatConstants.recordHeaderSize + 8,
            glance: { word in
                left = min(left + 4 * 8, 1 << 20)
                return CommitHeader.mayBegin(word) || RecordHeader.mayBegin(word, flags: .known)
            }
        ) { bytes, offset -> Candidate? in
            let isCommit = bytes.load(UInt32.self, littleEndianAt: 0) == FormatConstants.commitMagic
            guard let length = isCommit ? FormatConstants.commitHeaderSize : Self.length(ofRecord: bytes) else {
                return nil
            }
            // Checking one costs as much as reading some hundred bytes.
            guard length + 512 <= left else { return nil }
            left -= length + 512
            return Candidate(offset: offset, length: length, isCommit: isCommit)
        }
        allowance = left
        return found
    }

    private static func length(ofRecord bytes: UnsafeRawBufferPointer) -> Int? {
        RecordHeader.possibleLength(bytes).flatMap { $0 <= longestRecord ? $0 : nil }
    }

    private static func salt(ofRecord bytes: UnsafeRawBufferPointer, at offset: UInt64) -> UInt32? {
        guard bytes.count > FormatConstants.recordHeaderSize, length(ofRecord: bytes) == bytes.count else { return nil }
        return RecordHeader.salt(of: bytes, at: offset)
    }

    /// The salt with which the checksum of a commit header is right; nil if the header isn't complete.
    private static func salt(ofCommit bytes: UnsafeRawBufferPointer, at offset: UInt64) -> UInt32? {
        guard bytes.count == FormatConstants.commitHeaderSize else { return nil }
        let stored = CRC32C.checksum(bytes.slice(0, 44)) ^ bytes.load(littleEndianAt: 44)
        return ChecksumTag(salt: stored, offset: offset).mask
    }
}
