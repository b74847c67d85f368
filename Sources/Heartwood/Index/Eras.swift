/// When holds were taken, as far as compaction wants to know.
///
/// A new era begins when it asks for one. Whoever took a hold in an earlier one may have the place of a record that has
/// been moved since; whoever took it later can't. A point doesn't tell that: as long as nothing is written, a hold of now
/// has the point of one that is an hour old.
struct Eras {
    private(set) var current: UInt64 = 0
    /// Holds by the era in which they were taken, oldest first.
    private var holds: [(era: UInt64, count: Int)] = []

    /// Counts a hold in.
    mutating func enter() -> UInt64 {
        if holds.last?.era == current {
            holds[holds.count - 1].count += 1
        } else {
            holds.append((current, 1))
        }
        return current
    }

    /// Counts a hold out.
    mutating func leave(_ era: UInt64) {
        let index = holds.firstIndex { $0.era == era }!
        holds[index].count -= 1
        if holds[index].count == 0 { holds.remove(at: index) }
    }

    /// Begins a new era; returns the one that it ends.
    mutating func end() -> UInt64 {
        defer { current += 1 }
        return current
    }

    /// Whether all holds of an era, and of those before it, are gone.
    func isOver(_ era: UInt64) -> Bool { holds.first.map { $0.era > era } ?? true }
}
