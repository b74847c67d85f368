internal import HeartwoodTesting
internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// The input, its zeros folded, is a log segment. Its creation time, which no rule depends on, selects the end that a
/// successor might record, and the size of the window.
///
/// It is scanned as a whole, twice, through a window, and up to the recorded end, each time with the same results. The
/// results are also checked against the bytes without the decoder.
enum SegmentTarget {
    static func run(_ input: UnsafeRawBufferPointer, in workspace: Workspace) {
        let bytes = FoldedZeros.unfold(input)
        let decoded = workspace.decoding(bytes) { (bytes) throws(FormatError) in try FileHeader.decode(bytes) }
        guard case .success(let header) = decoded else { return }
        let source = GuardedSource(bytes: bytes, workspace: workspace)
        let whole = Scan(source, header, recordedEnd: nil)
        whole.check(against: bytes)
        require(Scan(source, header, recordedEnd: nil) == whole, "the second scan differs")
        let choice = header.creationTime
        require(windowed(bytes, header, recordedEnd: nil, choice) == whole, "the scan through a window differs")

        let end = recordedEnd(choice, whole, bytes.count)
        let limited = Scan(source, header, recordedEnd: end)
        limited.check(against: bytes)
        require(
            windowed(bytes, header, recordedEnd: end, choice) == limited, "the scan through a window ends elsewhere")
        let common = limited.commits.count
        require(
            common <= whole.commits.count && limited.commits == Array(whole.commits[..<common]),
            "up to a recorded end there are other commits")
        require(
            (limited.verdict == .intact) == (limited.stop.offset == end),
            "\(limited.verdict) where the end is \(end): \(limited.stop)")
        if whole.commits.contains(where: { $0.end == end }) || end == 4096 {
            require(limited.verdict == .intact, "a complete segment is \(limited.verdict)")
        }
    }

    /// Ends of commits and records, offsets near them, and arbitrary offsets.
    private static func recordedEnd(_ choice: UInt64, _ whole: Scan, _ size: Int) -> UInt64 {
        let commits = whole.commits
        let pick = choice >> 16
        var ends = commits.map(\.end) + [4096, UInt64(size)]
        if !commits.isEmpty {
            ends += commits[Int(pick % UInt64(commits.count))].records.map { $0.offset }
            ends += commits.map(\.offset)
        }
        let end = ends[Int(pick % UInt64(ends.count))]
        switch choice % 8 {
        case 0, 1, 2: return end
        case 3: return end &+ 8
        case 4: return end &- 8
        case 5: return end &+ 1
        case 6: return pick % 64 == 0 ? .max : 0
        default: return (pick >> 8) % UInt64(size + 100)
        }
    }

    private static func windowed(
        _ bytes: [UInt8], _ header: FileHeader, recordedEnd: UInt64?, _ choice: UInt64
    ) -> Scan? {
        let size = [1, 48, 100, 4096, 5000, 1 << 20][Int((choice >> 8) % 6)]
        do throws(FileSystemError) {
            let window = try FileWindow(FrozenFile("segment", bytes), size: size)
            return try Scan(window, header, recordedEnd: recordedEnd)
        } catch {
            violated("a file that can't fail failed: \(error)")
        }
    }

    static func mutate(
        _ input: [UInt8], _ random: inout SeededRandom, _ blind: BlindMutation, _ workspace: Workspace
    ) -> [UInt8] {
        if random.oneIn(16) { return blind(input, FuzzTarget.segment.maximumInput) }
        var segment = SegmentMutation(bytes: input.withUnsafeBytes { FoldedZeros.unfold($0) }, workspace: workspace)
        segment.run(&random, blind)
        return FoldedZeros.fold(segment.bytes)
    }
}
