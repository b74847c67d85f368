internal import HeartwoodCampaignSupport
internal import HeartwoodTesting
internal import HeartwoodFormat

/// Changes a store's directory for an inspection: as for an opening, and also with damaged headers, sequence numbers
/// that no store reaches, and file names that no store uses.
enum InspectionMutation {
    static func run(
        _ image: inout DirectoryImage, _ random: inout SeededRandom, _ blind: BlindMutation, _ workspace: Workspace
    ) {
        if image.files.isEmpty || !random.oneIn(4) { DirectoryMutation.run(&image, &random, blind, workspace) }
        guard !image.files.isEmpty, random.oneIn(2) else { return }
        let index = random.below(image.files.count)
        var bytes = image.files[index].bytes
        switch random.below(9) {
        case 0, 1: changeNumber(of: &bytes, &random)
        case 2: image.files[index].name = random.pick(["copy.log", "old.snapshot.tmp", "notes", "x"])
        case 3: image.files[index].name = extremeName(&random)
        case 4: image.files.append((random.pick(["copy", "copy.snapshot.tmp", "copy.log"]), bytes))
        default:
            // Without repairing any checksum. The layout of a snapshot is known only if it is valid.
            let isLog = bytes.count > 10 && bytes[10] == 1
            var damage = ByteDamage(bytes: bytes, file: isLog ? try? RepairHistory.File(bytes) : nil)
            let files = image.files
            damage.run(random.pick(DamageKind.ofBytes), &random) { random in random.pick(files).bytes }
            bytes = damage.bytes
        }
        image.files[index].bytes = bytes
        removeDuplicates(&image)
    }

    private static let limits: [UInt64] = [
        0, 1, .max, .max - 1, 1 << 63, 1 << 63 - 1, 1 << 63 - 2, 1 << 63 - 1 << 32, 1 << 63 - 1 << 33, 1 << 62,
        1 << 32 - 1, 1 << 32,
    ]

    /// Sets a number of a record, a commit or the file to one at which sums overflow, under valid checksums.
    private static func changeNumber(of bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard bytes.count >= 4096 else { return }
        let first = bytes.number(at: 32, bytes: 8)
        let number = random.pick(limits + [.max - first, .max - first &+ 1])
        let commits = SegmentLayout(bytes).commits
        switch random.below(6) {
        case 0: bytes.setNumber(number, at: random.pick([32, 48, 48, 56, 64]), bytes: 8)
        case 1, 2:
            guard let commit = random.element(of: commits) else { return }
            bytes.setNumber(number, at: commit.offset + random.pick([8, 16, 16, 24, 32]), bytes: 8)
        default:
            let isSnapshot = bytes[10] == 2
            let records = isSnapshot ? SnapshotLayout(bytes)?.records ?? [] : commits.flatMap(\.records)
            guard let record = random.element(of: records) else { return }
            bytes.setNumber(number, at: record.lowerBound + random.pick([8, 8, 8, 16]), bytes: 8)
        }
        if bytes[10] == 2 { SnapshotMutation.repair(&bytes, rebuilding: false) } else { Repair.segment(&bytes, []) }
    }

    private static func extremeName(_ random: inout SeededRandom) -> String {
        let number = random.pick(limits)
        return random.oneIn(2) ? StoreFileName.log(number) : StoreFileName.snapshot(number)
    }

    private static func removeDuplicates(_ image: inout DirectoryImage) {
        var taken: Set<String> = []
        image.files.removeAll { !taken.insert($0.name).inserted }
    }
}
