/// A write or a read of a key that expires, as its client saw it. A key is written once in a history.
struct ExpiringOperation: Sendable, Hashable, Codable {
    /// What was called, and what it returned.
    enum Call: Sendable, Hashable, Codable {
        /// A write that was acknowledged.
        case write
        /// A write that may have been made.
        case unknownWrite
        /// A read, and whether it found the key.
        case read(found: Bool)
    }

    var key: String
    /// When it expires, in milliseconds since 1970; a whole second.
    var expires: UInt64
    var call: Call
    /// When it was sent, by one clock for all clients.
    var start: UInt64
    /// When it returned.
    var end: UInt64
    /// The client's own clock at the start and at the end, which a test moves. In milliseconds since 1970.
    var clock: ClosedRange<UInt64>
}

/// Checks that a client sees a key exactly until it expires by the client's own clock.
enum ExpiryCheck {
    /// What is wrong; empty if nothing is.
    static func problems(_ operations: [ExpiringOperation]) -> [String] {
        var problems: [String] = []
        for (key, operations) in Dictionary(grouping: operations, by: \.key).sorted(by: { $0.key < $1.key }) {
            let writes = operations.filter { $0.call == .write || $0.call == .unknownWrite }
            for read in operations {
                guard case .read(let found) = read.call else { continue }
                if found {
                    if read.clock.lowerBound >= read.expires { problems.append("\(key) is read after its expiry") }
                    if !writes.contains(where: { $0.start <= read.end }) {
                        problems.append("\(key) is read, but wasn't written")
                    }
                } else if read.clock.upperBound < read.expires,
                    writes.contains(where: { $0.call == .write && $0.end < read.start })
                {
                    problems.append("\(key) isn't found before its expiry")
                }
            }
        }
        return problems
    }
}
