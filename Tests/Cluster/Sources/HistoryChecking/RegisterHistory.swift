/// One call of a client on one register, as the client saw it.
public struct RegisterOperation: Sendable, Hashable, Codable {
    /// What was called, and what it returned.
    public enum Call: Sendable, Hashable, Codable {
        /// A read, and the value that it returned; nil if the register was absent.
        case read(Int?)
        /// A write of a value; nil removes it.
        case write(Int?)
        /// A write on the condition of a value, and whether it was made; nil if that is unknown.
        case compareAndSet(expected: Int?, new: Int?, succeeded: Bool?)
    }

    /// The client.
    public var client: Int
    /// The call.
    public var call: Call
    /// When it was sent, by one clock for all clients.
    public var start: UInt64
    /// When it returned; nil if its outcome is unknown. It may then have an effect at any time after its start, or
    /// none.
    public var end: UInt64?

    /// Creates an operation.
    public init(client: Int, call: Call, start: UInt64, end: UInt64?) {
        (self.client, self.call, self.start, self.end) = (client, call, start, end)
    }

    /// The value after the operation, if it may happen to a register with a value; nil if its result says otherwise.
    func apply(to value: Int?) -> Int?? {
        switch call {
        case .read(let result): result == value ? .some(value) : nil
        case .write(let new): .some(new)
        case .compareAndSet(let expected, let new, nil): .some(value == expected ? new : value)
        case .compareAndSet(let expected, let new, true?): value == expected ? .some(new) : nil
        case .compareAndSet(let expected, _, false?): value == expected ? nil : .some(value)
        }
    }
}

/// What a check of a history has found.
public enum Linearizability: Sendable, Hashable {
    /// There is an order.
    case linearizable
    /// There is none. The operations are those that no order could place, among those that were under way then.
    case notLinearizable(stuck: [RegisterOperation])
    /// It was given up after so many steps.
    case undecided(steps: Int)
}
