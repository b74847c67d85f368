internal import Heartwood

/// Compares a store with what must be in it.
enum StoreContents {
    /// - Parameter toleratesErrors: Whether reading may fail for the disk's sake.
    static func compare(
        _ store: Store, with expected: Chain.State, now: UInt64, toleratesErrors: Bool = false
    ) throws {
        let visible = expected.filter { $0.value.expires == 0 || $0.value.expires > now }
        var count = 0
        var previous: [UInt8] = []
        do {
            try store.forEach { entry in
                let key = String(decoding: entry.key, as: UTF8.self)
                guard let held = visible[key] else {
                    throw Violation(
                        "\(key) is there, number \(entry.sequence), \(entry.value.count) bytes, and should not be")
                }
                guard previous.lexicographicallyPrecedes(entry.key) else { throw Violation("\(key) is out of order") }
                previous = entry.key
                try compare(entry, held, key)
                count += 1
                return .next
            }
        } catch {
            guard toleratesErrors, let error = error as? StoreError, WorkRun.isOfEnvironment(error.code) else {
                throw error
            }
            return
        }
        guard count == visible.count else { throw Violation(missing(store, visible)) }
        // Those that a scan passes over must not be found by their keys either.
        for key in expected.keys where visible[key] == nil {
            guard try store.entry(key) == nil else { throw Violation("\(key) has expired, and is found") }
        }
    }

    private static func compare(_ entry: Entry, _ held: Chain.Held, _ key: String) throws {
        guard entry.sequence == held.sequence else {
            throw Violation("\(key) has number \(entry.sequence), not \(held.sequence)")
        }
        guard held.value.matches(entry.value) else { throw Violation("\(key) has wrong bytes (\(entry.value.count))") }
        guard (entry.expires?.milliseconds ?? 0) == held.expires else {
            throw Violation("\(key) expires at \(entry.expires?.milliseconds ?? 0), not \(held.expires)")
        }
    }

    private static func missing(_ store: Store, _ visible: Chain.State) -> String {
        let lost = visible.keys.sorted().filter { (try? store.contains($0)) != true }
        return "missing: \(lost.map { "\($0), number \(visible[$0]!.sequence)" }.joined(separator: "; "))"
    }
}
