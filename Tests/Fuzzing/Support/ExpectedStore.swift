internal import HeartwoodCampaignSupport
internal import HeartwoodFormat

/// The contents of a valid store, from reading its snapshot and scanning its segments in order, without the engine.
struct ExpectedStore {
    struct Version {
        var sequence: UInt64
        var expiry: UInt64
        var isDelete: Bool
        var isCompressed: Bool
        var stored: [UInt8]
        /// A damaged record of a snapshot: reading it must fail, opening the store must not.
        var isDamaged = false
        /// So long that an index stores its length only approximately: reading a damaged one may fail or not.
        var isLong = false

        func isAlive(_ now: UInt64) -> Bool { !isDelete && (expiry == 0 || now < expiry) }
    }

    private(set) var versions: [[UInt8]: Version] = [:]
    private(set) var records: UInt64 = 0
    private(set) var lastSequence: UInt64 = 0
    private(set) var now = StandingClock.milliseconds
    /// The number of segments that the store uses.
    private(set) var segments = 0

    /// - Parameter snapshot: The number of the snapshot that the engine has chosen.
    /// - Precondition: The engine has opened the store.
    init(_ image: DirectoryImage, snapshot: UInt64?) {
        var segments = image.segments
        if let snapshot {
            guard let bytes = image.snapshots.first(where: { $0.last == snapshot })?.bytes else {
                violated("opened with a snapshot that isn't there")
            }
            apply(snapshot: bytes)
            // The segment after the snapshot has the same predecessor as the snapshot.
            let isSuccessor = { (segment: [UInt8]) in segment.count >= 64 && segment[40..<64] == bytes[40..<64] }
            guard let first = segments.firstIndex(where: { isSuccessor($0.bytes) }) else {
                violated("opened without the log after the snapshot")
            }
            segments.removeFirst(first)
            lastSequence = snapshot
        }
        self.segments = segments.count
        let headers = segments.map { segment in
            segment.bytes.withUnsafeBytes { bytes -> FileHeader in
                do throws(FormatError) { return try FileHeader.decode(bytes) } catch {
                    violated("opened with an invalid header: \(error)")
                }
            }
        }
        for (index, segment) in segments.enumerated() {
            let successor = index + 1 < headers.count ? headers[index + 1].predecessor : nil
            require(headers[index].firstSequence == segment.first, "opened under another number's name")
            let source = ArrayBytes(bytes: segment.bytes)
            var scanner = SegmentScanner(source: source, header: headers[index], recordedEnd: successor?.endOffset)
            var commit = ScannedCommit()
            while case .commit = scanner.next(into: &commit) { apply(commit, segment.bytes) }
            if let successor {
                require(scanner.position == successor.endOffset, "opened without the end of a segment")
                require(scanner.nextSequence == successor.lastSequence &+ 1, "opened with other numbers than recorded")
            }
            if scanner.nextSequence > segment.first { lastSequence = scanner.nextSequence - 1 }
            now = max(now, scanner.lastTime)
        }
    }

    private mutating func apply(snapshot bytes: [UInt8]) {
        let (salt, footer) = (UInt32(bytes.number(at: 12, bytes: 4)), bytes.count - 64)
        now = max(now, bytes.number(at: 64, bytes: 8))
        var at = Int(bytes.number(at: footer + 16, bytes: 8))
        let limit = UInt64(at)
        while at < footer {
            let found = KeyBlockTarget.expected(Array(bytes[at..<footer]), salt, UInt64(at), limit)
            guard case .success(let entries) = found else { violated("opened with a damaged block: \(found)") }
            for entry in entries { versions[entry.key] = version(entry, bytes, salt) }
            at += 32 + Int(bytes.number(at: at + 16, bytes: 4))
        }
    }

    private func version(_ entry: KeyBlockTarget.Entry, _ bytes: [UInt8], _ salt: UInt32) -> Version {
        let at = Int(entry.offset)
        let record = Array(bytes[at..<(at + Int(entry.length))])
        var version = Version(
            sequence: record.number(at: 8, bytes: 8) &+ 1, expiry: entry.expiry, isDelete: false,
            isCompressed: record[0] < 128 && record[1] & 2 != 0, stored: [])
        let (key, value) = (Int(record.number(at: 2, bytes: 2)), Int(record.number(at: 4, bytes: 4)))
        guard RecordHeaderTarget.expected(record, salt, entry.offset, marksBatches: false) == nil,
            32 + (key + value + 7) / 8 * 8 == record.count, Array(record[32..<(32 + key)]) == entry.key,
            record[0] == (entry.expiry == 0 ? 1 : 2), record.number(at: 16, bytes: 8) == entry.expiry,
            record[1] & 1 == 0, record.number(at: 8, bytes: 8) < bytes.number(at: 48, bytes: 8),
            record.number(at: 24, bytes: 4)
                == UInt64(record.checksum(32..<record.count, salt: salt, offset: entry.offset))
        else {
            version.isDamaged = true
            version.isLong = record.count > 4_088
            return version
        }
        version.isCompressed = record[1] & 2 != 0
        version.stored = Array(record[(32 + key)..<(32 + key + value)])
        return version
    }

    private mutating func apply(_ commit: ScannedCommit, _ bytes: [UInt8]) {
        records += UInt64(commit.records.count)
        for record in commit.records {
            if case .optional = record.header.kind { continue }
            let key = Int(record.offset) + 32
            let value = key + Int(record.header.keyLength)
            versions[Array(bytes[key..<value])] = Version(
                sequence: record.sequence, expiry: record.header.expiry, isDelete: record.header.kind == .delete,
                isCompressed: record.header.flags.contains(.compressed),
                stored: Array(bytes[value..<(value + Int(record.header.valueLength))]))
        }
    }
}
