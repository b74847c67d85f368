/// When the files that a snapshot has replaced can go. Pure: no I/O, no waiting.
///
/// One after the other, in this order:
/// 1. No word of the index names them: all records were moved. One that somebody still needs in its old place is moved by a
///    later attempt, when he is gone.
/// 2. All that had superseded what they hold has become visible, because until then whoever takes a hold sees what it
///    supersedes.
/// 3. All who held a state until then are gone: an era of holds ends at 2, and is over.
/// 4. All readers that had begun until then have ended: that is for the caller to wait for, and short.
struct RetirementPlan: Sendable, Hashable {
    /// What to do next.
    enum Step: Sendable, Hashable {
        /// Nothing can be done before somebody lets go of a state, or a write becomes visible.
        case wait
        /// End the present era of holds, and tell which it was.
        case endEra
        /// Move the records, and tell how that went.
        case move
        /// Nobody reads the files but those who are at it.
        case drop
    }

    private var isMoved = false
    /// The newest version's address after the last attempt to move.
    private var newest: UInt64 = .max
    /// The era that ended once that was visible.
    private var era: UInt64?

    /// Records were moved, to this snapshot or a later one. Changes nothing where all of its own had been before.
    ///
    /// - Parameters:
    ///   - lowestKept: The lowest address of a version that was kept where it is; nil where all were moved. Files that a
    ///     snapshot has replaced have nothing beyond its point, so it is enough if that is lower.
    ///   - point: The point of the snapshot.
    ///   - newest: The address of the newest version, visible or not.
    mutating func moved(lowestKept: UInt64?, upTo point: UInt64, newest: UInt64) {
        if isMoved { return }
        isMoved = lowestKept.map { $0 > point } ?? true
        self.newest = newest
        era = nil
    }

    mutating func ended(_ era: UInt64) { self.era = era }

    /// - Parameters:
    ///   - visible: The address up to which readers see.
    ///   - isOver: Whether all holds of an era, and of those before it, are gone.
    func next(visible: UInt64, isOver: (UInt64) -> Bool) -> Step {
        guard visible >= newest else { return .wait }
        guard let era else { return .endEra }
        guard isOver(era) else { return .wait }
        return isMoved ? .drop : .move
    }
}
