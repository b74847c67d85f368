internal import Foundation
internal import HeartwoodCampaignSupport
internal import HeartwoodFileSystem
internal import HeartwoodFuzzing
internal import HeartwoodTesting

/// A damaged or forged store in a directory of a real file system.
enum HostileDirectory {
    /// Writes the store of a case.
    ///
    /// - Parameter holes: Whether files may get holes, and may be replaced by something else than regular files.
    /// - Returns: The damage that was done, and a key that the store had.
    static func make(
        _ path: String, _ campaign: RepairCampaign, case number: Int, holes: Bool
    ) async throws -> (damage: [String], key: String) {
        var random = SeededRandom(campaign.seed, 86, UInt64(number))
        let history = try await campaign.history(number / RepairCampaign.casesOfHistory)
        let damaged = campaign.damage(history, number)
        var (files, damage) = (damaged.image.files, damaged.log)
        if random.oneIn(2) {
            for _ in 0...random.below(4) {
                let names = files.keys.filter { $0.hasSuffix(".log") || $0.hasSuffix(".snapshot") }.sorted()
                guard !names.isEmpty else { break }
                let name = random.pick(names)
                Forgery.run(&files[name, default: []], &random)
                damage.append("\(name): forged")
            }
        }
        let fileSystem = POSIXFileSystem()
        try fileSystem.createDirectory(path)
        for (name, bytes) in files { try fileSystem.create(path + "/" + name, bytes) }
        if holes, random.oneIn(8) { try dig(path, files, &random, &damage) }
        if holes, random.oneIn(8) { replace(path, files, &random, &damage) }
        let key = history.newest.keys.min { $0.lexicographicallyPrecedes($1) } ?? [0x6B]
        return (damage, String(decoding: key, as: UTF8.self))
    }

    /// Extends a file by a very large hole.
    private static func dig(
        _ path: String, _ files: [String: [UInt8]], _ random: inout SeededRandom, _ damage: inout [String]
    ) throws {
        let names = files.keys.filter { $0.hasSuffix(".log") || $0.hasSuffix(".snapshot") }.sorted()
        guard let newest = names.last(where: { $0.hasSuffix(".log") }) ?? names.last else { return }
        let name = random.oneIn(2) ? newest : random.pick(names)
        let size: UInt64 = random.pick([1 << 30, 1 << 36, 1 << 40])
        let file = try POSIXFileSystem().openFile(path + "/" + name, for: .readWrite)
        try file.truncate(to: size)
        try file.close()
        damage.append("\(name): a hole to \(size) bytes")
    }

    /// Replaces a file by a FIFO, a symbolic link or a directory.
    private static func replace(
        _ path: String, _ files: [String: [UInt8]], _ random: inout SeededRandom, _ damage: inout [String]
    ) {
        let name = random.oneIn(3) ? "LOCK" : random.pick(files.keys.sorted() + ["spare.log.tmp"])
        let file = path + "/" + name
        unlink(file)
        switch random.below(4) {
        case 0:
            mkfifo(file, 0o600)
            damage.append("\(name): a FIFO")
        case 1:
            symlink(path + "/nowhere", file)
            damage.append("\(name): a link to nothing")
        case 2:
            symlink("/dev/zero", file)
            damage.append("\(name): a link to /dev/zero")
        default:
            mkdir(file, 0o700)
            damage.append("\(name): a directory")
        }
    }
}
