package import HeartwoodInspection

// What the campaign asks of a report and a report doesn't say yet.

extension RepairReport.Loss {
    /// Whether a batch was given each of the numbers.
    package var isExact: Bool { true }
    /// Whether what is lost was provably durable.
    package var isProven: Bool { !what.hasPrefix("torn") }
    /// Where in the order of keys lost records of a snapshot lay.
    package var keyRange: RepairReport.KeyGap? { nil }
}

extension RepairReport {
    /// A part of the keys, between two of them.
    package struct KeyGap: Sendable, Hashable {
        package var lower: [UInt8]?
        package var upper: [UInt8]?
        package func contains(_ key: some Collection<UInt8>) -> Bool {
            if let lower, !lower.lexicographicallyPrecedes(key) { return false }
            if let upper, !key.lexicographicallyPrecedes(upper) { return false }
            return true
        }
    }

    /// How much of what was ever written is accounted for.
    package enum Certainty: Sendable, Hashable {
        case complete
        case unknownAfter(file: String, offset: UInt64)
        case incomplete
    }

    package var certainty: Certainty { losses.isEmpty ? .complete : .incomplete }
    package var lossesNotListed: UInt64 { 0 }
}
