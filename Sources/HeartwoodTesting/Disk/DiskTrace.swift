package import HeartwoodFileSystem

/// A call of the file system, as a trace records it.
package struct DiskCall: Sendable, CustomStringConvertible {
    /// How many calls preceded it.
    package let number: Int
    /// The operation.
    package let operation: FileSystemError.Operation
    /// The path of the file or directory. For an open file, the name at the time of the call, not at the time of
    /// opening.
    package let path: String
    /// The error number with which the call failed; nil if it succeeded.
    package internal(set) var failure: Int32?
    /// Whether the failure was injected.
    package internal(set) var isInjected = false
    var effect: DiskEffect = .none

    /// Whether the call changes what is on the disk, or what would be there after a crash.
    package var changesDisk: Bool {
        if case .none = effect { return false }
        return true
    }

    /// One line, such as "41: write /store/0000000000000001.log".
    package var description: String {
        let end = failure.map { " failed (\($0)\(isInjected ? ", injected" : ""))" } ?? ""
        return "\(number): \(operation.rawValue) \(path)\(end)"
    }
}

/// What happened on a simulated disk, in order: the calls, and the notes that a test took between them.
package struct DiskTrace: Sendable {
    /// One event.
    package enum Event: Sendable {
        /// A call of the file system.
        case call(DiskCall)
        /// A note of the test, such as an acknowledgement.
        case note(any Sendable)
    }

    /// The content of the disk before the events.
    let start: DiskState
    /// The events, in order.
    package internal(set) var events: [Event] = []
    /// How many of the events are calls.
    package internal(set) var callCount = 0

    init(start: DiskState) { self.start = start }

    /// The calls, in order.
    package var calls: [DiskCall] {
        events.compactMap { if case .call(let call) = $0 { call } else { nil } }
    }
}
