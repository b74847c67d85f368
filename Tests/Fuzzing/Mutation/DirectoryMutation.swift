internal import HeartwoodCampaignSupport
internal import HeartwoodTesting
internal import HeartwoodFormat

/// Changes a store's directory: the bytes of its files, their names, or which files there are.
enum DirectoryMutation {
    static func run(
        _ image: inout DirectoryImage, _ random: inout SeededRandom, _ blind: BlindMutation, _ workspace: Workspace
    ) {
        if image.files.isEmpty || random.oneIn(6) { addSegment(&image, &random) }
        for _ in 0...random.below(2) where !image.files.isEmpty {
            let index = random.below(image.files.count)
            switch random.below(12) {
            case 0: image.files.remove(at: index)
            case 1: image.files[index].name = name(&random)
            case 2: image.files.append((name(&random), image.files[index].bytes))
            case 3:
                let other = random.below(image.files.count)
                let bytes = image.files[index].bytes
                image.files[index].bytes = image.files[other].bytes
                image.files[other].bytes = bytes
            default:
                if case .snapshot = StoreFileName(image.files[index].name), !random.oneIn(8) {
                    SnapshotMutation.run(&image.files[index].bytes, &random, blind)
                    continue
                }
                var segment = SegmentMutation(bytes: image.files[index].bytes, workspace: workspace)
                segment.run(&random, blind)
                image.files[index].bytes = segment.bytes
            }
        }
        if image.files.count > 4 { image.files.removeLast() }
        if !random.oneIn(4) { repairNames(&image) }
        if !random.oneIn(4) { repairChain(&image, &random) }
    }

    private static func name(_ random: inout SeededRandom) -> String {
        let number = random.oneIn(3) ? random.pick(Mutation.numbers) : UInt64(random.below(40))
        let log = StoreFileName.log(number)
        return random.pick([log, log, log, log, log.dropLast(4) + ".snapshot", "LOCK", "spare.log.tmp", "notes"])
    }

    /// Adds a segment after the others, with a header only.
    private static func addSegment(_ image: inout DirectoryImage, _ random: inout SeededRandom) {
        let last = image.segments.last?.first ?? 0
        let first = last &+ 1 &+ UInt64(random.below(3))
        guard FormatConstants.sequences.contains(first) else { return }
        let header = FileHeader(
            kind: .log, storeID: StoreID(low: 1, high: 2), salt: UInt32(1 + random.below(1000)), firstSequence: first,
            predecessor: nil, creationTime: 0)
        image.files.append((StoreFileName.log(first), header.encoded()))
    }

    /// Renames every segment and snapshot to the name that its header requires, unless another file has that name.
    private static func repairNames(_ image: inout DirectoryImage) {
        var taken: Set<String> = []
        for index in image.files.indices where image.files[index].bytes.count >= 4096 {
            switch StoreFileName(image.files[index].name) {
            case .log, .snapshot: break
            default: continue
            }
            let bytes = image.files[index].bytes
            let name =
                bytes[10] == 2
                ? StoreFileName.snapshot(bytes.number(at: 48, bytes: 8))
                : StoreFileName.log(bytes.number(at: 32, bytes: 8))
            if taken.insert(name).inserted { image.files[index].name = name }
        }
    }

    /// Sets the predecessor in each segment to the apparent end of the previous segment.
    private static func repairChain(_ image: inout DirectoryImage, _ random: inout SeededRandom) {
        let indices = image.files.indices.filter { index in
            guard case .log = StoreFileName(image.files[index].name) else { return false }
            return image.files[index].bytes.count >= 4096
        }.sorted { image.files[$0].name < image.files[$1].name }
        var before: [UInt8]?
        for index in indices {
            var bytes = image.files[index].bytes
            if let before {
                let end = end(of: before)
                bytes.replaceSubrange(16..<32, with: before[16..<32])
                bytes.replaceSubrange(40..<44, with: before[12..<16])
                bytes.setNumber(end.lastSequence, at: 48, bytes: 8)
                bytes.setNumber(random.oneIn(16) ? end.offset &- 8 : end.offset, at: 56, bytes: 8)
                if random.oneIn(2), end.lastSequence < 1 << 62,
                    !image.files.contains(where: {
                        $0.name == StoreFileName.log(end.lastSequence + 1)
                    })
                {
                    bytes.setNumber(end.lastSequence + 1, at: 32, bytes: 8)
                    image.files[index].name = StoreFileName.log(end.lastSequence + 1)
                }
            } else if let snapshot = image.snapshots.last?.bytes, snapshot.count >= 4096, !random.oneIn(8) {
                // The first segment follows the newest snapshot.
                bytes.replaceSubrange(16..<32, with: snapshot[16..<32])
                bytes.replaceSubrange(40..<64, with: snapshot[40..<64])
            } else {
                bytes.replaceSubrange(40..<44, with: repeatElement(0, count: 4))
                bytes.replaceSubrange(48..<64, with: repeatElement(0, count: 16))
            }
            Repair.segment(&bytes, .numbers)
            image.files[index].bytes = bytes
            before = bytes
        }
    }

    /// The end of the last complete commit, and its last sequence number.
    private static func end(of bytes: [UInt8]) -> (offset: UInt64, lastSequence: UInt64) {
        let decoded = bytes.withUnsafeBytes { bytes in
            Result { () throws(FormatError) in try FileHeader.decode(bytes) }
        }
        guard case .success(let header) = decoded else { return (4096, bytes.number(at: 32, bytes: 8) &- 1) }
        var scanner = SegmentScanner(source: ArrayBytes(bytes: bytes), header: header)
        var commit = ScannedCommit()
        while case .commit = scanner.next(into: &commit) {}
        return (scanner.position, scanner.nextSequence &- 1)
    }
}
