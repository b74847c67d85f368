/// A state that a crash may leave a disk in: when it happened, and which pending changes were lost.
///
/// Its description, such as `41/everything`, `41/#7` or `41/~12345`, is enough to replay it from the same trace.
public struct CrashState: Sendable, Hashable, LosslessStringConvertible {
    /// The pending changes that a crash loses.
    public enum Losses: Sendable, Hashable {
        /// All pending changes.
        case everything
        /// None. This is also the state after the death of a process while the system keeps running.
        case nothing
        /// The combination with this number, among all combinations.
        case numbered(UInt64)
        /// A combination drawn with this seed.
        case drawn(UInt64)
    }

    /// How many events of the trace happened before the crash.
    public var events: Int
    /// The changes that it lost.
    public var losses: Losses

    /// A crash after `events` events that loses `losses`.
    public init(events: Int, losses: Losses) {
        self.events = events
        self.losses = losses
    }

    /// Parses a description; nil if it is invalid.
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

    /// A text such as `41/~12345`, which ``init(_:)`` parses.
    public var description: String {
        switch losses {
        case .everything: "\(events)/everything"
        case .nothing: "\(events)/nothing"
        case .numbered(let number): "\(events)/#\(number)"
        case .drawn(let seed): "\(events)/~\(seed)"
        }
    }
}

/// A crash: its state, and what it left on the disk.
public struct Crash: Sendable {
    /// When it happened, and what it lost.
    public let state: CrashState
    /// The content of the disk after the crash.
    public let image: DiskImage
    /// How many states a crash at this moment may leave the disk in; `.max` if there are too many to count.
    package let possibleStates: UInt64
    /// The fingerprints of two images: after a crash at this moment that loses everything, and after one that loses
    /// nothing.
    package let extremes: Extremes
    /// How many notes the test had taken before the crash.
    package let noteCount: Int
    let events: ArraySlice<DiskTrace.Event>

    package struct Extremes: Sendable {
        package let everythingLost: UInt64
        package let nothingLost: UInt64

        init(_ disk: DiskState) {
            everythingLost = disk.afterCrash(CrashLosses(.everything, of: disk)).fingerprint()
            nothingLost = disk.afterCrash(CrashLosses(.nothing, of: disk)).fingerprint()
        }
    }

    /// The notes of one type that the test had taken before the crash, in order.
    public func notes<Note>(of type: Note.Type = Note.self) -> [Note] {
        events.compactMap { if case .note(let note) = $0 { note as? Note } else { nil } }
    }

    /// The last calls before the crash, for a report.
    package func lastCalls(_ count: Int) -> [DiskCall] {
        Array(events.compactMap { if case .call(let call) = $0 { call } else { nil } }.suffix(count))
    }
}
