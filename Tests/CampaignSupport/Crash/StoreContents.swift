internal import Heartwood

/// Compares a store with its expected contents.
enum StoreContents {
    /// - Parameter toleratesErrors: Whether reading may fail because of the disk.
    static func compare(
        _ store: Store, with expected: Chain.State, now: UInt64, toleratesErrors: Bool = false
    ) throws {
        let visible = expected.filter { $0.value.expires == 0 || $0.value.expires > now }
        var count = 0
        var previous: [UInt8] = []
        do {
            for entry in try store.scan().entries() {
                let key = String(decoding: entry.key, as: UTF8.self)
                guard let stored = visible[key] else {
                    throw Violation(
                        "\(key) is there, number \(entry.sequence), \(entry.value.count) bytes, and should not be")
                }
                try expect(previous.lexicographicallyPrecedes(entry.key), "\(key) is out of order")
                previous = entry.key
                try compare(entry, stored, key)
                count += 1
            }
        } catch {
            guard toleratesErrors, let error = error as? StoreError, WorkRun.isOfEnvironment(error.code) else {
                throw error
            }
            return
        }
        try expect(count == visible.count, missing(store, visible))
        // A key that a scan skips must not be found by a look-up either.
        for key in expected.keys where visible[key] == nil {
            try expect(store.entry(key) == nil, "\(key) has expired, and is found")
        }
    }

    private static func compare(_ entry: Entry, _ stored: Chain.Stored, _ key: String) throws {
        try expect(entry.sequence == stored.sequence, "\(key) has number \(entry.sequence), not \(stored.sequence)")
        try expect(stored.value.matches(entry.value), "\(key) has wrong bytes (\(entry.value.count))")
        try expect(
            (entry.expires?.milliseconds ?? 0) == stored.expires,
            "\(key) expires at \(entry.expires?.milliseconds ?? 0), not \(stored.expires)")
    }

    private static func missing(_ store: Store, _ visible: Chain.State) -> String {
        let lost = visible.keys.sorted().filter { (try? store.contains($0)) != true }
        return "missing: \(lost.map { "\($0), number \(visible[$0]!.sequence)" }.joined(separator: "; "))"
    }
}
