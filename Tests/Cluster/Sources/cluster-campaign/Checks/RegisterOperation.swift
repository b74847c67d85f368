/// One call of a client on one register, as the client saw it.
struct RegisterOperation: Sendable, Hashable, Codable {
    /// What was called, and what it returned.
    enum Call: Sendable, Hashable, Codable {
        /// A read, and the value that it returned; nil if the register was absent.
        case read(Int?)
        /// A write of a value; nil removes it.
        case write(Int?)
        /// A write on the condition of a value, and whether it was made; nil if that is unknown.
        case compareAndSet(expected: Int?, new: Int?, succeeded: Bool?)
    }

    var client: Int
    var call: Call
    /// When it was sent, by one clock for all clients.
    var start: UInt64
    /// When it returned; nil if its outcome is unknown. It may then have an effect at any time after its start, or
    /// none.
    var end: UInt64?

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
