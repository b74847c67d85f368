public import HeartwoodFileSystem

/// A fault to inject into a simulated disk: into which calls, from which call on, how often, and with which effect.
///
/// ```swift
/// disk.inject(Fault(.sync, .error(EIO), path: ".log", at: 3))            // the third sync of a log, once
/// disk.inject(Fault([.write, .allocate], .error(ENOSPC), times: .max))   // a disk that stays full
/// ```
public struct Fault: Sendable, Hashable, CustomStringConvertible {
    /// How a call fails.
    public enum Effect: Sendable, Hashable {
        /// The call does nothing and fails with this error number. A sync also drops the pending writes.
        case error(Int32)
        /// The call does all of its work and still fails with this error number. A lock is not held afterwards, but its
        /// file exists. A read leaves the buffer unchanged.
        case errorAfterwards(Int32)
        /// A write writes half of its bytes and fails with this error number. Other calls do nothing and fail.
        case errorHalfway(Int32)
        /// A read or write transfers at most this many bytes, and at least 1. Other calls are not affected.
        case short(Int)

        /// The call does nothing and fails with `EIO`, as when the device has an error.
        public static var deviceError: Effect { .error(ErrorNumber.EIO) }
    }

    /// The operations that fail; an empty set means all.
    public var operations: Set<FileOperation>
    /// How the calls fail.
    public var effect: Effect
    /// The end of the path; empty for every path. An open file is named by its name at the time of the call.
    public var path: String
    /// The first of the matching calls that fails, counted from 1.
    public var first: Int
    /// How many calls fail, starting at the first one.
    public var times: Int

    /// A fault for calls of several kinds.
    ///
    /// - Parameters:
    ///   - operations: The operations that fail; an empty set means all.
    ///   - effect: How the calls fail.
    ///   - path: The end of the path; empty for every path.
    ///   - first: The first of the matching calls that fails, counted from 1.
    ///   - times: How many calls fail, starting at the first one; `.max` for all.
    public init(
        _ operations: Set<FileOperation> = [], _ effect: Effect, path: String = "", at first: Int = 1,
        times: Int = 1
    ) {
        self.operations = operations
        self.effect = effect
        self.path = path
        self.first = max(1, first)
        self.times = times
    }

    /// A fault for calls of one kind. See the other initializer.
    public init(
        _ operation: FileOperation, _ effect: Effect, path: String = "", at first: Int = 1, times: Int = 1
    ) {
        self.init([operation], effect, path: path, at: first, times: times)
    }

    func matches(_ operation: FileOperation, _ path: String) -> Bool {
        (operations.isEmpty || operations.contains(operation)) && path.hasSuffix(self.path)
    }

    /// Whether the fault affects a call of this kind.
    func concerns(_ operation: FileOperation) -> Bool {
        if case .short = effect { return operation == .read || operation == .write }
        return true
    }

    /// One line, such as "sync of *.log, call 3: error(5)".
    public var description: String {
        let kinds = operations.isEmpty ? "any" : operations.map(\.rawValue).sorted().joined(separator: ", ")
        let which =
            times == 1 ? "call \(first)" : times == .max ? "from call \(first) on" : "\(times) from call \(first) on"
        return "\(kinds) of *\(path), \(which): \(effect)"
    }
}

/// Random faults: every call fails with the same probability, with an error that such a call may report.
public struct RandomFaults: Sendable {
    /// One in this many calls fails, on average.
    public var oneIn: Int
    /// The operations that may fail; an empty set means all.
    public var operations: Set<FileOperation>

    /// Random faults for one in `oneIn` calls, on average.
    public init(oneIn: Int, operations: Set<FileOperation> = []) {
        self.oneIn = max(1, oneIn)
        self.operations = operations
    }

    func draw(_ operation: FileOperation, _ random: inout SeededRandom) -> Fault.Effect? {
        guard operations.isEmpty || operations.contains(operation), random.oneIn(oneIn) else { return nil }
        switch operation {
        case .read: return random.pick([.error(ErrorNumber.EIO), .error(ErrorNumber.EINTR), .short(1), .short(100)])
        case .write:
            return random.pick([
                .error(ErrorNumber.EIO), .errorHalfway(ErrorNumber.EIO), .error(ErrorNumber.EINTR), .short(1),
                .short(600),
            ])
        case .allocate:
            return random.pick([
                .error(ErrorNumber.ENOSPC), .error(ErrorNumber.EDQUOT), .error(ErrorNumber.EIO),
                .error(ErrorNumber.EINTR),
            ])
        case .open, .lock:
            return random.pick([.error(ErrorNumber.EMFILE), .error(ErrorNumber.EIO), .error(ErrorNumber.ENOSPC)])
        case .createDirectory, .rename:
            return random.pick([.error(ErrorNumber.ENOSPC), .error(ErrorNumber.EIO), .errorAfterwards(ErrorNumber.EIO)])
        case .sync:
            return random.pick([
                .error(ErrorNumber.EIO), .errorAfterwards(ErrorNumber.EIO), .error(ErrorNumber.ENOSPC),
                .error(ErrorNumber.EDQUOT),
            ])
        default: return random.pick([.error(ErrorNumber.EIO), .errorAfterwards(ErrorNumber.EIO)])
        }
    }
}
