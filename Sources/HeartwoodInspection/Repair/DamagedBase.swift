internal import HeartwoodFiles
internal import HeartwoodFileSystem
internal import HeartwoodFormat

/// The keys that a damaged snapshot may have lost: named keys, and ranges between the remaining keys.
///
/// Records are in the order of their keys, so two adjacent records prove that there was no key between them.
struct DamagedBase {
    /// The losses, in the order of the keys.
    private(set) var losses: [RepairReport.Loss] = []
    private var gaps: [RepairReport.KeyGap] = []
    /// Keys whose records are lost, as listed in the key section.
    private var lostKeys: Set<[UInt8]> = []
    private let path: String
    private var lastKey: [UInt8]?
    /// Losses whose gap has no upper bound yet.
    private var openLosses: Range<Int>?
    /// The most losses to list separately. Each costs memory, so the rest become one loss.
    private static let mostLocations = 50_000
    /// The most bytes of keys to keep in these losses.
    private static let mostKeyBytes = 16 << 20
    private var keyBytes = 0
    private var isCut = false

    private init(path: String) { self.path = path }

    /// Reads a whole snapshot. O(bytes).
    static func of(_ source: RepairSources.SnapshotSource, _ meter: inout ProgressMeter) throws -> DamagedBase {
        var base = DamagedBase(path: source.file.path)
        var examination = try SnapshotExamination(source.file, source.header)
        try examination.run(&meter) { walk, damages in
            // Sorted by position in the file. A damaged key block is reported ahead of the records that it describes.
            var parts = damages.filter(\.isAmongRecords).makeIterator()
            var damage = parts.next()
            for record in walk.records {
                while let next = damage, next.part.lowerBound < record.offset {
                    base.note(next)
                    damage = parts.next()
                }
                base.note(key: walk.key(of: record))
            }
            while let next = damage {
                base.note(next)
                damage = parts.next()
            }
        }
        base.closeGap(at: nil)
        if source.file.movedFrom != nil, !base.losses.isEmpty { base.widen() }
        if base.losses.isEmpty, let footer = examination.footer, footer.recordCount > examination.records {
            base.noteMissing(footer.recordCount - examination.records)
        }
        return base
    }

    /// Makes all gaps unbounded: records that may have been moved prove nothing about the keys between them.
    private mutating func widen() {
        for index in losses.indices where losses[index].keyRange != nil {
            losses[index].keyRange = RepairReport.KeyGap()
        }
        gaps = [RepairReport.KeyGap()]
    }

    /// Notes that the footer counts more records than there are, while no damaged part shows where they were.
    private mutating func noteMissing(_ count: UInt64) {
        var loss = RepairReport.Loss(what: "\(count) of the records that a snapshot counts aren't there", file: path)
        loss.keyRange = RepairReport.KeyGap()
        losses.append(loss)
        gaps.append(RepairReport.KeyGap())
    }

    private mutating func note(_ damage: SnapshotDamage) {
        guard losses.count < Self.mostLocations, keyBytes < Self.mostKeyBytes else { return extendLastGap() }
        var loss = RepairReport.Loss(
            what: "", file: path, offset: damage.part.lowerBound, length: UInt64(damage.part.count),
            cause: damage.error)
        switch damage.item {
        case .record(let key?):
            loss.what = "a record of a snapshot is damaged"
            loss.keys = [key]
            keyBytes += key.count
            lostKeys.insert(key)
            losses.append(loss)
            return
        case .record(nil), .records: loss.what = "records of a snapshot are damaged"
        case .rest: loss.what = "the snapshot was cut short, and the records that followed are missing"
        case .keyBlock, .footer: return
        }
        loss.keyRange = RepairReport.KeyGap(lower: lastKey)
        keyBytes += lastKey?.count ?? 0
        openLosses = (openLosses?.lowerBound ?? losses.count)..<losses.count + 1
        losses.append(loss)
    }

    /// Extends the last gap to the end of the keys.
    private mutating func extendLastGap() {
        guard !isCut else { return }
        isCut = true
        losses[losses.count - 1].what = "records of a snapshot are damaged, from here on in very many places"
        losses[losses.count - 1].keyRange = RepairReport.KeyGap(lower: lastKey)
        gaps.append(RepairReport.KeyGap(lower: lastKey))
        openLosses = nil
    }

    private mutating func note(key: ArraySlice<UInt8>) {
        lastKey = Array(key)
        if openLosses != nil { closeGap(at: lastKey) }
    }

    private mutating func closeGap(at upper: [UInt8]?) {
        guard let open = openLosses, var gap = losses[open.lowerBound].keyRange else { return }
        gap.upper = upper
        for index in open where losses[index].keyRange != nil { losses[index].keyRange = gap }
        gaps.append(gap)
        openLosses = nil
    }

    /// Whether the snapshot no longer proves what happened to a key.
    func mayHaveLost(_ key: ArraySlice<UInt8>) -> Bool {
        guard !losses.isEmpty else { return false }
        return lostKeys.contains(Array(key)) || isInGap(key)
    }

    /// O(log gaps), because the gaps are in the order of their keys.
    private func isInGap(_ key: ArraySlice<UInt8>) -> Bool {
        var (low, high) = (0, gaps.count)
        while low < high {
            let middle = (low + high) / 2
            if let upper = gaps[middle].upper, !key.lexicographicallyPrecedes(upper) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < gaps.count && gaps[low].contains(key)
    }
}
