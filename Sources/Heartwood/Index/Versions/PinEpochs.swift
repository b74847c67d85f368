/// Counts read pins by the pin epoch in which they were taken.
///
/// Compaction starts a new pin epoch after it has moved records. A reader whose pin is from an earlier epoch may still
/// have an old location of a moved record; a reader with a later pin can't. The read point doesn't tell them apart:
/// while nothing is written, a pin taken now has the same read point as one from an hour ago.
struct PinEpochs {
    private(set) var current: UInt64 = 0
    /// Read pins by pin epoch, oldest first.
    private var pins: [(pinEpoch: UInt64, count: Int)] = []

    /// Counts a new read pin in the current epoch, and returns that epoch.
    mutating func enter() -> UInt64 {
        if pins.last?.pinEpoch == current {
            pins[pins.count - 1].count += 1
        } else {
            pins.append((current, 1))
        }
        return current
    }

    /// Removes a read pin of this epoch from the count.
    mutating func leave(_ pinEpoch: UInt64) {
        let index = pins.firstIndex { $0.pinEpoch == pinEpoch }!
        pins[index].count -= 1
        if pins[index].count == 0 { pins.remove(at: index) }
    }

    /// Starts a new pin epoch and returns the one that it ends.
    mutating func end() -> UInt64 {
        defer { current += 1 }
        return current
    }

    /// Whether all read pins of this pin epoch, and of earlier ones, are released.
    func isOver(_ pinEpoch: UInt64) -> Bool { pins.first.map { $0.pinEpoch > pinEpoch } ?? true }
}
