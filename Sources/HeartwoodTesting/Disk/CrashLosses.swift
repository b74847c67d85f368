/// The pending changes that a crash keeps: a decision for each uncertain sector, size and directory entry.
struct CrashLosses {
    typealias Node = DiskState.Node

    private var versions: [Node: [Int: Int]] = [:]
    private var sizes: [Node: UInt64] = [:]
    private var entries: [Bool] = []
    private var garbageSeed: UInt64?

    func keeps(entryChange number: Int) -> Bool { entries[number] }
    func size(of node: Node, _ possible: [UInt64]) -> UInt64 { sizes[node] ?? possible[0] }
    func versions(of node: Node, sector: Int) -> Int { versions[node]?[sector] ?? 0 }

    /// Random bytes for a sector that was being written for the first time.
    func garbage(of node: Node, sector: Int) -> [UInt8]? {
        guard let garbageSeed else { return nil }
        var random = SeededRandom(garbageSeed, UInt64(node), UInt64(sector))
        guard random.oneIn(3) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(FileState.sectorSize)
        while bytes.count < FileState.sectorSize {
            withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// Decides which pending changes of a disk a crash loses.
    init(_ losses: CrashState.Losses, of disk: DiskState) {
        switch losses {
        case .everything:
            entries = [Bool](repeating: false, count: disk.pendingEntries.count)
        case .nothing:
            entries = [Bool](repeating: true, count: disk.pendingEntries.count)
            for (node, file) in disk.uncertainFiles {
                versions[node] = file.uncertain
                sizes[node] = file.possibleSizes.last!
            }
        case .numbered(let number): count(number, disk)
        case .drawn(let seed): draw(seed, disk)
        }
    }

    // MARK: - By number

    /// How many states a crash may leave the disk in; `.max` if there are more.
    static func count(_ disk: DiskState) -> UInt64 {
        var count: UInt64 = 1
        func multiply(_ choices: Int) {
            let (product, overflow) = count.multipliedReportingOverflow(by: UInt64(choices))
            count = overflow ? .max : product
        }
        for _ in disk.pendingEntries { multiply(2) }
        for (_, file) in disk.uncertainFiles {
            multiply(file.possibleSizes.count)
            for changes in file.uncertain.values { multiply(changes + 1) }
        }
        return count
    }

    private mutating func count(_ number: UInt64, _ disk: DiskState) {
        var rest = number
        func digit(_ base: Int) -> Int {
            let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: UInt64(base))
            rest = quotient
            return Int(remainder)
        }
        for _ in disk.pendingEntries { entries.append(digit(2) == 1) }
        for (node, file) in disk.uncertainFiles {
            let possible = file.possibleSizes
            sizes[node] = possible[digit(possible.count)]
            var kept: [Int: Int] = [:]
            for sector in file.uncertain.keys.sorted() { kept[sector] = digit(file.uncertain[sector]! + 1) }
            versions[node] = kept
        }
    }

    // MARK: - By chance

    private mutating func draw(_ seed: UInt64, _ disk: DiskState) {
        var random = SeededRandom(seed, 3)
        if random.oneIn(4) { garbageSeed = random.next() }
        drawEntries(disk.pendingEntries.count, &random)
        let way = random.below(6)
        for (node, file) in disk.uncertainFiles {
            let possible = file.possibleSizes
            sizes[node] = random.oneIn(2) ? possible.last! : random.pick(possible)
            versions[node] = Self.draw(way, file, &random)
        }
    }

    /// Keeps all changes, none, those up to some moment (as a journal does), or any combination.
    private mutating func drawEntries(_ count: Int, _ random: inout SeededRandom) {
        switch random.below(4) {
        case 0: entries = [Bool](repeating: random.oneIn(2), count: count)
        case 1:
            let kept = random.below(count + 1)
            entries = (0..<count).map { $0 < kept }
        default: entries = (0..<count).map { _ in random.oneIn(2) }
        }
    }

    /// Draws which changes are kept. There are six ways, each equally likely: at random, few lost, few kept, by file,
    /// up to some moment (with the write of that moment torn), and the last changes but not the earlier ones.
    private static func draw(_ way: Int, _ file: FileState, _ random: inout SeededRandom) -> [Int: Int] {
        var kept: [Int: Int] = [:]
        let sectors = file.uncertain.keys.sorted()
        switch way {
        case 0: for sector in sectors { kept[sector] = random.below(file.uncertain[sector]! + 1) }
        case 1:
            for sector in sectors {
                let all = file.uncertain[sector]!
                kept[sector] = random.oneIn(12) ? random.below(all) : all
            }
        case 2:
            for sector in sectors where random.oneIn(12) { kept[sector] = 1 + random.below(file.uncertain[sector]!) }
        case 3: if random.oneIn(2) { kept = file.uncertain }
        case 4:
            let changes = file.stranded + file.pending
            guard !changes.isEmpty else { break }
            let last = random.below(changes.count)
            let torn = random.below(changes[last].sectors.count + 1)
            for change in changes[..<last] { for sector in change.sectors { kept[sector, default: 0] += 1 } }
            for sector in changes[last].sectors[..<torn] { kept[sector, default: 0] += 1 }
        default:
            let changes = file.stranded + file.pending
            let first = random.below(changes.count + 1)
            for change in changes[first...] { for sector in change.sectors { kept[sector] = file.uncertain[sector]! } }
        }
        return kept
    }
}

extension DiskState {
    /// The files that a crash may leave in different states, always in the same order.
    ///
    /// Files that have no name, now and after any crash, are left out.
    var uncertainFiles: [(node: Node, file: FileState)] {
        var named = Set(pendingEntries.map(\.node))
        for entries in durable.values { named.formUnion(entries.values) }
        return named.sorted().compactMap { node in
            guard let file = files[node], file.isUncertain else { return nil }
            return (node, file)
        }
    }
}
