/// One of the states in which a crash may leave a disk: when it happened, and what was lost of what was pending.
///
/// Its description, such as `41/everything`, `41/#7` or `41/~12345`, is all that is needed to have it again from the
/// same trace.
public struct CrashState: Sendable, Hashable, LosslessStringConvertible {
    /// What a crash takes.
    public enum Losses: Sendable, Hashable {
        /// All that was pending.
        case everything
        /// Nothing of it: also what the death of a process leaves, while the system lives on.
        case nothing
        /// The combination of this number, of all that there are.
        case numbered(UInt64)
        /// A combination that is drawn with this seed.
        case drawn(UInt64)
    }

    /// How many events of the trace happened before the crash.
    public var events: Int
    /// What it took.
    public var losses: Losses

    /// A state.
    public init(events: Int, losses: Losses) {
        self.events = events
        self.losses = losses
    }

    /// A state from its description.
    public init?(_ description: String) {
        let parts = description.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let events = Int(parts[0]), events >= 0 else { return nil }
        switch parts[1] {
        case "everything": self.init(events: events, losses: .everything)
        case "nothing": self.init(events: events, losses: .nothing)
        default:
            guard let number = UInt64(parts[1].dropFirst()) else { return nil }
            switch parts[1].first {
            case "#": self.init(events: events, losses: .numbered(number))
            case "~": self.init(events: events, losses: .drawn(number))
            default: return nil
            }
        }
    }

    /// Such as `41/~12345`.
    public var description: String {
        switch losses {
        case .everything: "\(events)/everything"
        case .nothing: "\(events)/nothing"
        case .numbered(let number): "\(events)/#\(number)"
        case .drawn(let seed): "\(events)/~\(seed)"
        }
    }
}

/// A crash: its state, and what is left on the disk.
public struct Crash: Sendable {
    /// When it happened, and what it took.
    public let state: CrashState
    /// What is on the disk afterwards.
    public let image: DiskImage
    /// In how many states a crash at this moment may leave the disk; `.max` stands for more than can be counted.
    public let possibleStates: UInt64
    /// The fingerprints of what a crash at this moment leaves when it takes everything, and when it takes nothing.
    package let extremes: Extremes
    /// How many notes there were before the crash.
    public let noteCount: Int
    let events: ArraySlice<DiskTrace.Event>

    package struct Extremes: Sendable {
        package let everythingLost: UInt64
        package let nothingLost: UInt64

        init(_ disk: DiskState) {
            everythingLost = disk.afterCrash(CrashLosses(.everything, of: disk)).fingerprint()
            nothingLost = disk.afterCrash(CrashLosses(.nothing, of: disk)).fingerprint()
        }
    }

    /// What the test had noted before the crash, in order, of one type.
    public func notes<Note>(of type: Note.Type = Note.self) -> [Note] {
        events.compactMap { if case .note(let note) = $0 { note as? Note } else { nil } }
    }

    /// The last calls before the crash, for a report.
    public func lastCalls(_ count: Int) -> [DiskCall] {
        Array(events.compactMap { if case .call(let call) = $0 { call } else { nil } }.suffix(count))
    }
}
