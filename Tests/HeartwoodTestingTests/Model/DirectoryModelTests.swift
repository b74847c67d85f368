import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// Random creations, renames, removals and syncs in a few directories. Each file holds one byte that identifies it
/// after a crash.
@Suite struct DirectoryModelTests {
    private let directories = ["/d", "/e", "/f"]

    @Test func whatWasSyncedStays() throws {
        let seed = testSeed("DirectoryModelTests")
        for run: UInt64 in 0..<300 {
            var random = SeededRandom(seed, run)
            var image = DiskImage()
            for directory in directories { image.makeDirectory(directory) }
            let disk = SimulatedDisk(image: image)
            var made: UInt8 = 0
            var done: [String] = []
            for _ in 0..<random.number(in: 1...9) {
                let text = try step(disk, &made, &random)
                done.append(text)
                let isFine = check(disk, after: text)
                #expect(isFine, "run \(run): \(done)")
                if !isFine { return }
            }
        }
    }

    private func step(_ disk: SimulatedDisk, _ made: inout UInt8, _ random: inout SeededRandom) throws -> String {
        let (path, other) = (path(&random), path(&random))
        switch random.below(5) {
        case 0, 1:
            guard try disk.kind(of: path) == nil else { fallthrough }
            made += 1
            try disk.make(path, [made]).sync(.full)
            return "make \(path)"
        case 2:
            guard try disk.kind(of: path) != nil else { fallthrough }
            try disk.rename(path, to: other)
            return "rename \(path) \(other)"
        case 3:
            guard try disk.kind(of: path) != nil else { fallthrough }
            try disk.remove(path)
            return "remove \(path)"
        default:
            let directory = random.pick(directories)
            try disk.syncDirectory(directory)
            return directory
        }
    }

    private func path(_ random: inout SeededRandom) -> String { random.pick(directories) + random.pick(["/x", "/y"]) }

    private func check(_ disk: SimulatedDisk, after step: String) -> Bool {
        let now = Picture(disk.image).files
        for found in disk.afterCrash.map(\.files) {
            // A file has one name.
            guard Set(found.values).count == found.count else { return false }
            // After its sync, a directory has the entries that its users see.
            guard directories.contains(step) else { continue }
            let isIn = { (entry: (key: String, value: [UInt8])) in entry.key.hasPrefix(step) }
            guard found.filter(isIn) == now.filter(isIn) else { return false }
            // A file that is in it now is in no other directory.
            let here = Set(now.filter(isIn).values)
            guard found.allSatisfy({ isIn($0) || !here.contains($0.value) }) else { return false }
        }
        return true
    }
}
