@testable import Heartwood

/// A simple model of an index: it keeps every version and prunes none.
struct IndexModel {
    /// Oldest first.
    private(set) var history: [[UInt8]: [Version]] = [:]
    var last: UInt64 = 0
    var visible: UInt64 = 0
    /// The sequences of the read pins, one element each.
    var pins: [UInt64] = []

    mutating func add(_ key: [UInt8], _ version: Version) {
        var versions = history[key] ?? []
        if versions.last?.sequence == version.sequence { versions.removeLast() }
        history[key] = versions + [version]
    }

    func find(_ key: [UInt8], at sequence: UInt64) -> Version? {
        guard let version = history[key]?.last(where: { $0.sequence <= sequence }) else { return nil }
        return version.isTombstone ? nil : version
    }

    func newest(_ key: [UInt8]) -> Version? {
        history[key]?.last
    }

    func entries(_ range: KeyRange, at sequence: UInt64) -> [IndexEntry] {
        history.keys
            .filter { $0.withUnsafeBytes { range.contains($0) } }
            .sorted { $0.lexicographicallyPrecedes($1) }
            .compactMap { key in find(key, at: sequence).map { IndexEntry(key: key, version: $0) } }
    }

    func hasVersion(in range: KeyRange, newerThan base: UInt64) -> Bool {
        history.contains { key, versions in
            versions.last!.sequence > base && key.withUnsafeBytes { range.contains($0) }
        }
    }

    /// Whether an index may have these versions after it has dropped what it can.
    ///
    /// It may have fewer tombstones: one that hides nothing isn't needed. While something is pending or pinned, it may
    /// have more values: those that a write replaced itself, and others in the same chunk of the undo log.
    func accounts(for statistics: IndexStatistics) -> Bool {
        let values = statistics.versions - statistics.tombstones
        let isExact = pins.isEmpty && visible == last
        return (isExact ? values == kept.values : values >= kept.values) && statistics.tombstones <= kept.tombstones
    }

    /// The values and tombstones that a reader may still see.
    private var kept: (values: Int, tombstones: Int) {
        var kept = (values: 0, tombstones: 0)
        for versions in history.values {
            for (index, version) in versions.enumerated() {
                let end = index + 1 < versions.count ? versions[index + 1].sequence : UInt64.max
                let isNeeded = end > visible || pins.contains { (version.sequence..<end).contains($0) }
                guard isNeeded else { continue }
                if version.isTombstone { kept.tombstones += 1 } else { kept.values += 1 }
            }
        }
        return kept
    }
}
