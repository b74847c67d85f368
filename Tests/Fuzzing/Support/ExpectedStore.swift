internal import HeartwoodFormat

/// What a sound store holds, from scanning its segments one after the other, without the engine.
struct ExpectedStore {
    struct Version {
        var sequence: UInt64
        var expiry: UInt64
        var isDelete: Bool
        var isCompressed: Bool
        var stored: [UInt8]

        func isAlive(_ now: UInt64) -> Bool { !isDelete && (expiry == 0 || now < expiry) }
    }

    private(set) var versions: [[UInt8]: Version] = [:]
    private(set) var records: UInt64 = 0
    private(set) var lastSequence: UInt64 = 0
    private(set) var now = StandingClock.milliseconds

    /// - Precondition: The engine calls it sound.
    init(_ image: DirectoryImage) {
        let segments = image.segments
        let headers = segments.map { segment in
            segment.bytes.withUnsafeBytes { bytes -> FileHeader in
                do throws(FormatError) { return try FileHeader.decode(bytes) } catch {
                    violated("opened with a header that is none: \(error)")
                }
            }
        }
        for (index, segment) in segments.enumerated() {
            let successor = index + 1 < headers.count ? headers[index + 1].predecessor : nil
            require(headers[index].firstSequence == segment.first, "opened under another number's name")
            let source = ArraySource(bytes: segment.bytes)
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

/// A segment in memory, without checks.
struct ArraySource: SegmentBytes {
    typealias Failure = Never

    let bytes: [UInt8]
    var count: UInt64 { UInt64(bytes.count) }

    mutating func withBytes<R>(at offset: UInt64, count wanted: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        let start = Int(min(offset, count))
        let end = min(start + wanted, bytes.count)
        return bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
    }
}
