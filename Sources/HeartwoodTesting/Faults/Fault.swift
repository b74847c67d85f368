public import HeartwoodFileSystem

/// A failure that a simulated disk is to show: of which calls, from which on, how often, and how.
///
/// ```swift
/// disk.inject(Fault(.sync, .error(ErrorNumber.EIO), path: ".log", at: 3))            // the third sync of a log, once
/// disk.inject(Fault([.write, .allocate], .error(ErrorNumber.ENOSPC), times: .max))   // a disk that is full for good
/// ```
public struct Fault: Sendable, Hashable, CustomStringConvertible {
    /// How a call fails.
    public enum Effect: Sendable, Hashable {
        /// It does nothing and gives this error number. A sync drops what was pending.
        case error(Int32)
        /// It does all of it and gives this error number all the same. A lock is not held after that, but its file is
        /// there; a read leaves the buffer as it was.
        case errorAfterwards(Int32)
        /// A write does half of it and gives this error number; other calls do nothing.
        case errorHalfway(Int32)
        /// A read or write transfers at most this many bytes, and at least 1; other calls are left alone.
        case short(Int)
    }

    /// Which operations; none means all.
    public var operations: Set<FileSystemError.Operation>
    /// How it fails.
    public var effect: Effect
    /// How the path ends; empty for every path. An open file goes by the name that it has at the time of the call.
    public var path: String
    /// The first of the matching calls that fails, from 1 on.
    public var first: Int
    /// How many fail, from then on.
    public var times: Int

    /// A failure of some calls.
    ///
    /// - Parameters:
    ///   - operations: Which; none means all.
    ///   - effect: How they fail.
    ///   - path: How the path must end.
    ///   - first: The first of the matching calls that fails, from 1 on.
    ///   - times: How many fail, from then on; `.max` for ever.
    public init(
        _ operations: Set<FileSystemError.Operation> = [], _ effect: Effect, path: String = "", at first: Int = 1,
        times: Int = 1
    ) {
        self.operations = operations
        self.effect = effect
        self.path = path
        self.first = max(1, first)
        self.times = times
    }

    /// A failure of calls of one kind.
    public init(
        _ operation: FileSystemError.Operation, _ effect: Effect, path: String = "", at first: Int = 1, times: Int = 1
    ) {
        self.init([operation], effect, path: path, at: first, times: times)
    }

    func matches(_ operation: FileSystemError.Operation, _ path: String) -> Bool {
        (operations.isEmpty || operations.contains(operation)) && path.hasSuffix(self.path)
    }

    /// Whether it changes anything about a call of this kind.
    func concerns(_ operation: FileSystemError.Operation) -> Bool {
        if case .short = effect { return operation == .read || operation == .write }
        return true
    }

    /// One line, such as "sync of *.log, call 3: error 5".
    public var description: String {
        let kinds = operations.isEmpty ? "any" : operations.map(\.rawValue).sorted().joined(separator: ", ")
        let which =
            times == 1 ? "call \(first)" : times == .max ? "from call \(first) on" : "\(times) from call \(first) on"
        return "\(kinds) of *\(path), \(which): \(effect)"
    }
}

/// Failures by chance: of every call with the same probability, and with errors that such a call may give.
public struct RandomFaults: Sendable {
    /// One call in so many fails.
    public var oneIn: Int
    /// Which operations may fail; none means all.
    public var operations: Set<FileSystemError.Operation>

    /// Failures of one call in `oneIn`.
    public init(oneIn: Int, operations: Set<FileSystemError.Operation> = []) {
        self.oneIn = max(1, oneIn)
        self.operations = operations
    }

    func draw(_ operation: FileSystemError.Operation, _ random: inout SeededRandom) -> Fault.Effect? {
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
