public import HeartwoodFileSystem

/// A call of the file system, as a trace has it.
public struct DiskCall: Sendable, CustomStringConvertible {
    /// How many calls came before it.
    public let number: Int
    /// What was asked for.
    public let operation: FileSystemError.Operation
    /// Of which file or directory; an open file goes by the name that it had at the time, not when it was opened.
    public let path: String
    /// The error number with which it failed; nil where it didn't.
    public internal(set) var failure: Int32?
    /// Whether the failure was injected.
    public internal(set) var isInjected = false
    var effect: DiskEffect = .none

    /// Whether it changes what is on the disk, or what would be after a crash.
    public var changesDisk: Bool {
        if case .none = effect { return false }
        return true
    }

    /// One line, such as "41: write /store/0000000000000001.log".
    public var description: String {
        let end = failure.map { " failed (\($0)\(isInjected ? ", injected" : ""))" } ?? ""
        return "\(number): \(operation.rawValue) \(path)\(end)"
    }
}

/// What happened on a simulated disk, in order: the calls, and the notes that a test took in between.
public struct DiskTrace: Sendable {
    /// One thing that happened.
    public enum Event: Sendable {
        /// A call of the file system.
        case call(DiskCall)
        /// What a test wrote down, such as an acknowledgement.
        case note(any Sendable)
    }

    /// What was on the disk before.
    let start: DiskState
    /// What happened since.
    public internal(set) var events: [Event] = []
    /// Number of calls among the events.
    public internal(set) var callCount = 0

    init(start: DiskState) { self.start = start }

    /// The calls.
    public var calls: [DiskCall] {
        events.compactMap { if case .call(let call) = $0 { call } else { nil } }
    }
}
