package import HeartwoodTesting

/// A kind of damage to a store's files.
package enum DamageKind: String, CaseIterable, Sendable {
    // Bytes.
    case bitFlip = "bit flip"
    case zeroedBytes = "zeroed bytes"
    case garbage = "garbage"
    case zeroedSector = "zeroed sector"
    case garbageSector = "garbage sector"
    case zeroedPages = "zeroed pages"
    case duplicatedBlock = "duplicated block"
    case foreignBlock = "block of another file"
    case header = "damaged header"
    // Lengths.
    case truncated = "truncated"
    case truncatedAtRecord = "truncated at a record"
    case truncatedAtSector = "truncated at a sector"
    case truncatedToHeader = "truncated to its header"
    case truncatedToNothing = "truncated to nothing"
    case extendedByZeros = "extended by zeros"
    case extendedByGarbage = "extended by garbage"
    case extendedByItself = "extended by itself"
    // Files.
    case removed
    case renamed
    case swapped
    case olderSelf = "replaced by its older self"
    case copyOfAnother = "replaced by a copy of another"
    case foreignFile = "replaced by a file of another store"
    case lock = "damaged lock"
    case temporary = "damaged file in preparation"
    /// With valid checksums.
    case forged

    /// Those that change the bytes or the length of one file.
    package static let ofBytes = Array(allCases.prefix { $0 != .removed })
}

/// Changes the bytes of one file.
package struct ByteDamage {
    package private(set) var bytes: [UInt8]
    /// The original file, if known.
    let file: RepairHistory.File?
    private(set) var note = ""

    package init(bytes: [UInt8], file: RepairHistory.File?) {
        self.bytes = bytes
        self.file = file
    }

    /// - Parameter another: Returns the bytes of any file.
    package mutating func run(
        _ kind: DamageKind, _ random: inout SeededRandom, _ another: (inout SeededRandom) -> [UInt8]
    ) {
        switch kind {
        case .truncated: truncate(to: offset(&random))
        case .truncatedAtRecord: truncate(to: random.element(of: boundaries) ?? 4_096)
        case .truncatedAtSector: truncate(to: offset(&random) / 512 * 512)
        case .truncatedToHeader: truncate(to: 4_096)
        case .truncatedToNothing: truncate(to: random.oneIn(2) ? 0 : random.below(4_096))
        case .extendedByZeros: extend(by: [UInt8](repeating: 0, count: random.pick([1, 8, 48, 512, 4_096, 20_000])))
        case .extendedByGarbage: extend(by: DamagedStore.garbage(random.pick([1, 8, 48, 600, 4_096]), &random))
        case .extendedByItself: extend(by: bytes)
        case .header:
            guard bytes.count >= 72 else { return }
            let at = random.oneIn(3) ? random.below(min(4_096, bytes.count)) : random.below(72)
            let choice = random.below(3)
            if choice == 0 { return flip(at, &random) }
            fill(at..<(at + random.pick([1, 8, 512, 4_096])), zeros: choice == 1, &random)
        default: overwrite(kind, &random, another)
        }
    }

    private mutating func overwrite(
        _ kind: DamageKind, _ random: inout SeededRandom, _ another: (inout SeededRandom) -> [UInt8]
    ) {
        guard !bytes.isEmpty else { return }
        let at = offset(&random)
        let sector = at / 512 * 512..<(at / 512 * 512 + 512)
        switch kind {
        case .bitFlip: flip(at, &random)
        case .zeroedBytes, .garbage:
            fill(at..<(at + random.pick([1, 4, 8, 32, 100])), zeros: kind == .zeroedBytes, &random)
        case .zeroedSector, .garbageSector: fill(sector, zeros: kind == .zeroedSector, &random)
        case .zeroedPages:
            fill(sector.lowerBound..<(sector.lowerBound + random.pick([1, 2, 4]) * 4_096), zeros: true, &random)
        case .duplicatedBlock:
            let count = random.pick([8, 48, 512, 4_096])
            copy(offset(&random) / min(count, 512) * min(count, 512), count, of: bytes, to: at / 8 * 8)
        case .foreignBlock:
            // From the same offset, like a misdirected write, or from anywhere.
            let other = another(&random)
            let from = random.oneIn(2) ? sector.lowerBound : random.below(other.count + 1) / 512 * 512
            copy(from, random.pick([512, 512, 4_096]), of: other, to: sector.lowerBound)
        default: break
        }
    }

    // MARK: - Offsets

    /// An offset, mostly of a commit's header or of a record.
    private func offset(_ random: inout SeededRandom) -> Int {
        let last = max(0, bytes.count - 1)
        switch random.below(8) {
        case 0: return random.below(bytes.count + 1)
        case 1: return min(last, random.below(4_096))
        case 2: return max(0, last - random.below(200))
        default:
            guard let part = random.element(of: parts) else { return min(last, random.below(4_096)) }
            let within = random.oneIn(2) ? random.below(min(48, part.count)) : random.below(part.count)
            return min(last, part.lowerBound + within)
        }
    }

    /// Commits' headers and records.
    private var parts: [Range<Int>] {
        guard let file else { return [] }
        guard let layout = file.layout else {
            return file.records.map(\.part) + [(file.records.last?.part.upperBound ?? 4_096)..<file.bytes.count]
        }
        return layout.commits.flatMap { commit in
            [commit.part.lowerBound..<(commit.part.lowerBound + 48)] + commit.records.map(\.part)
        }
    }

    private var boundaries: [Int] { parts.map(\.upperBound).filter { $0 < bytes.count } }

    // MARK: - Changes

    private mutating func flip(_ at: Int, _ random: inout SeededRandom) {
        guard at < bytes.count else { return }
        bytes[at] ^= 1 << UInt8(random.below(8))
        note = "at \(at)"
    }

    private mutating func fill(_ range: Range<Int>, zeros: Bool, _ random: inout SeededRandom) {
        let range = range.clamped(to: 0..<bytes.count)
        for index in range { bytes[index] = zeros ? 0 : UInt8(truncatingIfNeeded: random.next()) }
        note = "\(zeros ? "zeros" : "garbage") at \(range)"
    }

    private mutating func copy(_ from: Int, _ count: Int, of other: [UInt8], to: Int) {
        let count = min(count, other.count - from, bytes.count - to)
        guard count > 0 else { return }
        bytes.replaceSubrange(to..<(to + count), with: other[from..<(from + count)])
        note = "\(count) bytes from \(from) to \(to)"
    }

    private mutating func truncate(to size: Int) {
        guard size < bytes.count else { return }
        bytes.removeLast(bytes.count - size)
        note = "to \(size)"
    }

    private mutating func extend(by more: [UInt8]) {
        bytes += more
        note = "by \(more.count) at \(bytes.count - more.count)"
    }
}
