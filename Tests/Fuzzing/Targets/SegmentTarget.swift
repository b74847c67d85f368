internal import HeartwoodTesting
internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodFiles
internal import HeartwoodFormat

/// The input, its zeros folded, is a log segment. Its time of creation, which no rule depends on, chooses where the
/// end is that a successor might record, and the size of the window.
///
/// It is scanned whole, twice, through a window, and up to the recorded end, each time with the same answers; and what
/// was read is looked at once more by hand.
enum SegmentTarget {
    static func run(_ input: UnsafeRawBufferPointer, in workspace: Workspace) {
        let bytes = FoldedZeros.unfold(input)
        let decoded = bytes.withUnsafeBytes { bytes in
            workspace.decoding(bytes) { (bytes) throws(FormatError) in try FileHeader.decode(bytes) }
        }
        guard case .success(let header) = decoded else { return }
        let source = GuardedSource(bytes: bytes, workspace: workspace)
        let whole = Scan(source, header, recordedEnd: nil)
        whole.check(against: bytes)
        require(Scan(source, header, recordedEnd: nil) == whole, "scanned again it is another segment")
        let choice = header.creationTime
        require(windowed(bytes, header, recordedEnd: nil, choice) == whole, "through a window it is another segment")

        let end = recordedEnd(choice, whole, bytes.count)
        let cut = Scan(source, header, recordedEnd: end)
        cut.check(against: bytes)
        require(windowed(bytes, header, recordedEnd: end, choice) == cut, "through a window it ends elsewhere")
        let common = cut.commits.count
        require(
            common <= whole.commits.count && cut.commits == Array(whole.commits[..<common]),
            "up to a recorded end there are other commits")
        require(
            (cut.verdict == .intact) == (cut.stop.offset == end), "\(cut.verdict) where the end is \(end): \(cut.stop)")
        if whole.commits.contains(where: { $0.end == end }) || end == 4096 {
            require(cut.verdict == .intact, "a whole segment is \(cut.verdict)")
        }
    }

    /// Ends of commits, ends of records, places near them, and anything at all.
    private static func recordedEnd(_ choice: UInt64, _ whole: Scan, _ size: Int) -> UInt64 {
        let commits = whole.commits
        let pick = choice >> 16
        var ends = commits.map(\.end) + [4096, UInt64(size)]
        if !commits.isEmpty {
            ends += commits[Int(pick % UInt64(commits.count))].records.map { $0.offset }
            ends += commits.map(\.offset)
        }
        let place = ends[Int(pick % UInt64(ends.count))]
        switch choice % 8 {
        case 0, 1, 2: return place
        case 3: return place &+ 8
        case 4: return place &- 8
        case 5: return place &+ 1
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
            return try Scan(throwing: window, header, recordedEnd: recordedEnd)
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
