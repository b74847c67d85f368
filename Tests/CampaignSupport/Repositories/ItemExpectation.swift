internal import HeartwoodTesting

/// What records must be there at one moment of a run.
package struct ItemExpectation: Sendable, Codable {
    /// The program that opens the store then.
    package var program: ItemProgram
    package var world: ItemWorld
    var bounds: StoreBounds
    /// All that happened or may happen, with when.
    var attempts: [Attempt]
    /// The number of events before the moment.
    var events: Int
    /// Whether nothing was lost that the kernel had.
    var keepsAll: Bool
    /// The wall clock, in milliseconds.
    package var clock: UInt64
    /// The latest time that the store may have.
    var latest: UInt64
    var nextStamp: Int
    var nextBit: Int

    /// The attempts that may have happened.
    var tried: [Attempt] { attempts.filter { $0.submitted < events && $0.outcome != .refused } }

    /// Which attempts were submitted, and which acknowledged: with the image, all that a judgement depends on.
    var fingerprint: UInt64 {
        var sum = SeededRandom.mix(clock ^ latest) &+ (keepsAll ? 1 : 0)
        for (number, attempt) in attempts.enumerated() where attempt.submitted < events {
            sum = SeededRandom.mix(sum ^ UInt64(number) << 1 ^ (attempt.acknowledged < events ? 1 : 0))
        }
        return sum
    }
}

/// A record that was found.
struct FoundItem: Sendable {
    var stamp: Int
    var count: Int
    var sequence: UInt64
    /// Milliseconds; 0 for never.
    var expires: UInt64
}

/// Compares the records that were found with what was written.
struct ItemJudge {
    /// A write that may have happened.
    private struct Candidate {
        var attempt: Attempt
        var write: ItemWrite
        /// Whether it must have happened.
        var isCertain: Bool
    }

    private let expectation: ItemExpectation
    private let found: [Slot: FoundItem]
    private var candidates: [Slot: [Candidate]] = [:]

    init(_ expectation: ItemExpectation, _ found: [Slot: FoundItem]) {
        (self.expectation, self.found) = (expectation, found)
        for attempt in expectation.tried {
            for write in attempt.writes {
                candidates[write.slot, default: []].append(
                    Candidate(attempt: attempt, write: write, isCertain: isCertain(attempt)))
            }
        }
    }

    private func isCertain(_ attempt: Attempt) -> Bool {
        guard attempt.outcome == .acknowledged, attempt.acknowledged < expectation.events else { return false }
        return attempt.durability == .synced || expectation.keepsAll && attempt.durability == .written
    }

    /// - Throws: `Violation`.
    func judge() throws {
        for slot in Set(found.keys).union(candidates.keys) {
            if let item = found[slot] { try judge(item, slot) } else { try judgeAbsence(slot) }
        }
        for attempt in expectation.tried where attempt.writes.count > 1 { try judgeWhole(attempt) }
    }

    private func name(_ slot: Slot) -> String {
        "the record \(slot.number) of \"\(ItemProgram.repositories[slot.repository])\""
    }

    /// The write that a found record is from.
    private func origin(_ item: FoundItem, _ slot: Slot) -> Candidate? {
        candidates[slot]?.first { $0.write.stamp == item.stamp }
    }

    private func judge(_ item: FoundItem, _ slot: Slot) throws {
        let all = candidates[slot] ?? []
        guard let origin = origin(item, slot) else {
            throw Violation("\(name(slot)) has the stamp \(item.stamp), which no write that counts gave it")
        }
        for other in all where other.isCertain {
            if other.write.setsStamp {
                try expect(
                    !origin.attempt.precedes(other.attempt),
                    "\(name(slot)) has the stamp \(item.stamp), and a later write must survive: \(other.write.kind)")
            }
            if let sequence = other.attempt.sequence {
                try expect(
                    item.sequence >= sequence,
                    "\(name(slot)) is of write \(item.sequence), and \(sequence) must survive")
            }
        }
        if let sequence = origin.attempt.sequence {
            try expect(
                item.sequence >= sequence,
                "\(name(slot)) has the stamp of write \(sequence), and the number \(item.sequence)")
        }
        try judgeCount(item, slot, origin, all)
        var expiries: Set<UInt64> = []
        for candidate in all { if case .set(_, _, let expires) = candidate.write.kind { expiries.insert(expires) } }
        if case .set(_, _, let expires) = origin.write.kind { expiries = [expires] }
        try expect(expiries.contains(item.expires), "\(name(slot)) expires at \(item.expires), and not at \(expiries)")
    }

    private func judgeCount(_ item: FoundItem, _ slot: Slot, _ origin: Candidate, _ all: [Candidate]) throws {
        var possible = 0
        for candidate in all {
            switch candidate.write.kind {
            case .set(_, let count, _): possible |= count
            case .increment(let bit): possible |= 1 << bit
            case .update, .delete: break
            }
        }
        try expect(item.count & ~possible == 0, "\(name(slot)) has the count \(item.count), which it never had")
        for other in all where other.isCertain {
            guard case .increment(let bit) = other.write.kind else { continue }
            let isLast = all.allSatisfy { !$0.write.isReset || $0.attempt.precedes(other.attempt) }
            guard isLast || origin.attempt.precedes(other.attempt) else { continue }
            try expect(item.count & 1 << bit != 0, "\(name(slot)) lacks the increment \(bit), which was acknowledged")
        }
    }

    /// Whether a record may be absent.
    ///
    /// - Parameter after: This attempt has happened.
    private func mayBeAbsent(_ slot: Slot, after attempt: Attempt? = nil) -> Bool {
        let all = candidates[slot] ?? []
        let certain = all.filter(\.isCertain)
        let isNew = certain.isEmpty && attempt == nil
        return isNew
            || all.contains { end in
                if let attempt, end.attempt.precedes(attempt) { return false }
                switch end.write.kind {
                case .delete: return !certain.contains { end.attempt.precedes($0.attempt) }
                case .set(_, _, let expires):
                    return expires > 0 && expires <= expectation.latest
                        && !certain.contains { $0.write.isReset && end.attempt.precedes($0.attempt) }
                case .update, .increment: return false
                }
            }
    }

    private func judgeAbsence(_ slot: Slot) throws {
        try expect(mayBeAbsent(slot), "\(name(slot)) is missing")
    }

    /// A write of several records that is seen in one is seen in all.
    private func judgeWhole(_ attempt: Attempt) throws {
        let isSeen = attempt.writes.contains { write in
            write.stamp != nil && found[write.slot].map { $0.stamp == write.stamp } ?? false
        }
        guard isSeen || isCertain(attempt) else { return }
        for write in attempt.writes {
            guard let item = found[write.slot] else {
                if case .set = write.kind {
                    try expect(
                        mayBeAbsent(write.slot, after: attempt) || expiredAlready(write),
                        "\(name(write.slot)) is missing, and the rest of its write is there")
                }
                continue
            }
            guard write.isReset, let origin = origin(item, write.slot), origin.write.stamp != write.stamp
            else { continue }
            try expect(
                !origin.attempt.precedes(attempt),
                "\(name(write.slot)) is as before a write, and the rest of this write is there: \(attempt.writes)")
        }
    }

    private func expiredAlready(_ write: ItemWrite) -> Bool {
        guard case .set(_, _, let expires) = write.kind else { return false }
        return expires > 0 && expires <= expectation.latest
    }
}
