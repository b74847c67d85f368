import HeartwoodConcurrency

/// Counters that the transactions of all writers increment.
final class SoakCounters: Sendable {
    static let count = 8
    private let counts = Locked([UInt64](repeating: 0, count: SoakCounters.count))

    static func key(_ counter: Int) -> [UInt8] { Array("counter/\(counter)".utf8) }

    static func value(_ count: UInt64) -> [UInt8] { Array(String(count).utf8) }

    static func number(_ value: [UInt8]?) -> UInt64? { value.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) } }

    /// A transaction was acknowledged.
    func add(_ counter: Int) { counts.withLock { $0[counter] += 1 } }

    /// The value that a counter must have while no transaction runs.
    subscript(counter: Int) -> UInt64 { counts.withLock { $0[counter] } }
}
