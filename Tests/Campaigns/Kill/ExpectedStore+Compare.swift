internal import Heartwood
internal import HeartwoodCampaignSupport

/// Compares a store with its expected contents: every key, every byte, and nothing else.
extension ExpectedStore {
    func compare(_ entries: [String: Entry]) throws {
        for (key, expected) in contents {
            guard let entry = entries[key] else {
                throw Violation("\(key) is missing; write number \(expected.sequence) set it (\(origin(expected)))")
            }
            let value = expected.operation?.value(of: key) ?? littleEndianBytes(of: expected.number)
            guard entry.value == value else {
                let found = littleEndianNumber(in: entry.value).map(operationName) ?? "no operation"
                throw Violation(
                    "\(key) has \(entry.value.count) bytes that belong to \(found), "
                        + "not the \(value.count) bytes of \(origin(expected))"
                )
            }
            try expect(
                entry.sequence == expected.sequence,
                "\(key) has number \(entry.sequence) instead of \(expected.sequence)")
            let expiry = expected.operation?.expiry(of: key) ?? 0
            try expect(
                entry.expires?.milliseconds ?? 0 == expiry,
                "\(key) expires at \(entry.expires?.milliseconds ?? 0) instead of \(expiry)")
        }
        for (key, entry) in entries where contents[key] == nil {
            throw Violation("\(key) is there, from write number \(entry.sequence), and should not be")
        }
    }

    private func origin(_ expected: Value) -> String {
        guard let operation = expected.operation else { return "a shared counter at \(expected.number)" }
        return "\(operationName(operation.counter)), \(operation.durability)"
    }

    /// An operation's counter as round and number.
    private func operationName(_ counter: UInt64) -> String { "operation \(counter >> 32)/\(counter & 0xFFFF_FFFF)" }
}
