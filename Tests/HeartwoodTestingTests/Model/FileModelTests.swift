import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// The possible states of one small file after a crash, computed in another way than the disk does: as the set of
/// contents that each sector had, and the sizes that the file had.
private struct FileModel {
    static let sectorCount = 3

    var bytes: [UInt8] = []
    private var possible = [Set<[UInt8]>](repeating: [sectors(0)], count: Self.sectorCount)
    private var isDirty = [Bool](repeating: false, count: Self.sectorCount)
    private var sizes: Set<Int> = [0]
    private var mustSaveSize = false

    mutating func write(_ new: [UInt8], at offset: Int) {
        if bytes.count < offset + new.count { resize(to: offset + new.count) }
        bytes.replaceSubrange(offset..<(offset + new.count), with: new)
        touch(offset..<(offset + new.count))
        mustSaveSize = true
    }

    mutating func truncate(to size: Int) {
        let before = bytes.count
        resize(to: size)
        if size < before { touch(size..<before) }
    }

    mutating func allocate(_ count: Int, at offset: Int) {
        if offset + count > bytes.count { resize(to: offset + count) }
    }

    mutating func sync() {
        for sector in 0..<Self.sectorCount where isDirty[sector] { possible[sector] = [content(of: sector)] }
        if mustSaveSize { sizes = [bytes.count] }
        failSync()
    }

    mutating func failSync() {
        isDirty = isDirty.map { _ in false }
        mustSaveSize = false
    }

    /// Every combination of the possible sectors and sizes.
    var afterCrash: Set<[UInt8]> {
        var whole: [[UInt8]] = [[]]
        for contents in possible { whole = whole.flatMap { start in contents.map { start + $0 } } }
        return Set(sizes.flatMap { size in whole.map { Array($0[..<size]) } })
    }

    private mutating func resize(to size: Int) {
        guard size != bytes.count else { return }
        bytes = Array(bytes.prefix(size)) + [UInt8](repeating: 0, count: max(0, size - bytes.count))
        sizes.insert(size)
        mustSaveSize = true
    }

    private mutating func touch(_ range: Range<Int>) {
        for sector in (range.lowerBound / 512)...((range.upperBound - 1) / 512) {
            isDirty[sector] = true
            possible[sector].insert(content(of: sector))
        }
    }

    private func content(of sector: Int) -> [UInt8] {
        let part = bytes.dropFirst(sector * 512).prefix(512)
        return part + [UInt8](repeating: 0, count: 512 - part.count)
    }
}

@Suite struct FileModelTests {
    @Test func everySetOfStatesIsThatOfTheModel() throws {
        let seed = testSeed("FileModelTests")
        for run: UInt64 in 0..<300 {
            var random = SeededRandom(seed, run)
            let disk = SimulatedDisk()
            let file = try disk.makeDurably("/f")
            var model = FileModel()
            var done: [String] = []
            for _ in 0..<random.number(in: 1...9) {
                done.append(try step(file, disk, &model, &random))
                #expect(try file.bytes() == model.bytes, "run \(run): \(done)")
                let found = disk.afterCrash(of: "/f")
                let expected = Set<[UInt8]?>(model.afterCrash)
                guard found == expected else {
                    Issue.record("run \(run): \(done): \(found.count) contents, the model has \(expected.count)")
                    return
                }
            }
        }
    }

    private func step(
        _ file: any File, _ disk: SimulatedDisk, _ model: inout FileModel, _ random: inout SeededRandom
    ) throws -> String {
        let offset = random.below(1400)
        let count = random.number(in: 1...(1536 - offset))
        switch random.below(12) {
        case 0...3:
            // Few values, so that writes often change nothing.
            let fill = UInt8(random.below(3))
            try file.write([UInt8](repeating: fill, count: count), at: UInt64(offset))
            model.write([UInt8](repeating: fill, count: count), at: offset)
            return "write \(offset)+\(count) \(fill)"
        case 4:
            try file.truncate(to: UInt64(offset))
            model.truncate(to: offset)
            return "truncate \(offset)"
        case 5:
            try file.allocate(UInt64(count), at: UInt64(offset))
            model.allocate(count, at: offset)
            return "allocate \(offset)+\(count)"
        case 6, 7:
            // The same bytes again, as a recovery writes them.
            let offset = random.oneIn(2) ? 0 : offset
            let bytes = Array(try file.bytes().dropFirst(offset).prefix(offset == 0 ? 1536 : count))
            guard !bytes.isEmpty else { return "nothing" }
            try file.write(bytes, at: UInt64(offset))
            model.write(bytes, at: offset)
            return "rewrite \(offset)+\(bytes.count)"
        case 8, 9:
            try file.sync(.data)
            model.sync()
            return "sync"
        default:
            disk.inject(Fault(.sync, .error(ErrorNumber.EIO)))
            expectError(ErrorNumber.EIO) { try file.sync(.data) }
            disk.heal()
            model.failSync()
            return "failed sync"
        }
    }
}
