/// Decides when the files that a snapshot has replaced can be removed. Pure: no I/O, no waiting.
///
/// The conditions, in this order:
/// 1. No version word names them: all records were moved. A record that a read pin still needs at its old location is
///    moved by a later attempt, after the pin is released.
/// 2. All writes that superseded records of these files are visible. Until then, a new read pin can see the superseded
///    records.
/// 3. All read pins that were taken before 2 are released: a pin epoch ends at 2, and all its pins are gone.
/// 4. All reads that were in progress have ended. The caller waits for this; it is short.
struct RetirementPlan: Sendable, Hashable {
    /// The next step.
    enum Step: Sendable, Hashable {
        /// Wait until a read pin is released or a write becomes visible.
        case wait
        /// End the current pin epoch, and report which one it was.
        case endPinEpoch
        /// Move the records, and report the result.
        case move
        /// Only reads in progress can use the files: wait for them, then remove the files.
        case drop
    }

    private var isMoved = false
    /// The address of the newest version after the last attempt to move.
    private var newest: UInt64 = .max
    /// The pin epoch that ended after that version became visible.
    private var pinEpoch: UInt64?

    /// Records were moved to this snapshot or to a later one. Does nothing if all records were already moved.
    ///
    /// - Parameters:
    ///   - lowestKept: The lowest address of a version that was not moved; nil if all were moved. Replaced files have
    ///     no addresses above the snapshot's point, so the move is complete if this is above the point.
    ///   - point: The point of the snapshot.
    ///   - newest: The address of the newest version, visible or not.
    mutating func moved(lowestKept: UInt64?, upTo point: UInt64, newest: UInt64) {
        if isMoved { return }
        isMoved = lowestKept.map { $0 > point } ?? true
        self.newest = newest
        pinEpoch = nil
    }

    mutating func ended(_ pinEpoch: UInt64) { self.pinEpoch = pinEpoch }

    /// - Parameters:
    ///   - visible: The address up to which writes are visible.
    ///   - isOver: Whether all read pins of this pin epoch and of earlier ones are released.
    func next(visible: UInt64, isOver: (UInt64) -> Bool) -> Step {
        guard visible >= newest else { return .wait }
        guard let pinEpoch else { return .endPinEpoch }
        guard isOver(pinEpoch) else { return .wait }
        return isMoved ? .drop : .move
    }
}
