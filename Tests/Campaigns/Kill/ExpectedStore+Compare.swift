internal import Heartwood

/// The store against what must be in it: every key, every byte, and nothing else.
extension ExpectedStore {
    func compare(_ entries: [String: Entry]) throws {
        for (key, held) in held {
            guard let entry = entries[key] else {
                throw KillFailure("\(key) is missing; write number \(held.sequence) set it (\(origin(held)))")
            }
            let value = held.operation?.value(of: key) ?? littleEndianBytes(of: held.number)
            guard entry.value == value else {
                let found = number(in: entry.value).map(operationName) ?? "no operation"
                throw KillFailure(
                    "\(key) has \(entry.value.count) bytes that belong to \(found), "
                        + "not the \(value.count) bytes of \(origin(held))"
                )
            }
            guard entry.sequence == held.sequence else {
                throw KillFailure("\(key) has number \(entry.sequence) instead of \(held.sequence)")
            }
            let expiry = held.operation?.expiry(of: key) ?? 0
            guard entry.expires?.milliseconds ?? 0 == expiry else {
                throw KillFailure("\(key) expires at \(entry.expires?.milliseconds ?? 0) instead of \(expiry)")
            }
        }
        for (key, entry) in entries where held[key] == nil {
            throw KillFailure("\(key) is there, from write number \(entry.sequence), and should not be")
        }
    }

    private func origin(_ held: Held) -> String {
        guard let operation = held.operation else { return "a shared counter at \(held.number)" }
        return "\(operationName(operation.counter)), \(operation.durability)"
    }

    /// An operation's counter as round and number.
    private func operationName(_ counter: UInt64) -> String { "operation \(counter >> 32)/\(counter & 0xFFFF_FFFF)" }
}
