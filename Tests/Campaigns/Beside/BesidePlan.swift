internal import Heartwood
internal import HeartwoodCampaignSupport
internal import HeartwoodTesting

/// What the writer of a campaign does: a sequence of batches that follow from the seed, so that a reader in another
/// process knows the contents after each of them.
struct BesidePlan: Sendable {
    let seed: UInt64

    /// Each batch sets this key to its own number, from 1. A writer that was killed continues after the number that it
    /// finds.
    static let counter = "counter"

    /// Of any durability, like those of every fourth writer.
    func batch(_ number: UInt64) -> WriterOperation {
        var plan = WriterPlan(seed: seed, round: 0, writers: 1)
        plan.keys = 1_500
        plan.largeValues = (300, 20_000..<90_000)
        return plan.operation(writer: 3, number: Int(number))
    }

    /// Whether a compaction begins after a batch.
    func compacts(after number: UInt64) -> Bool {
        var random = SeededRandom(seed, 31, number)
        return random.oneIn(3_000)
    }

    var configuration: Store.Configuration {
        var random = SeededRandom(seed, 32)
        var configuration = Store.Configuration()
        configuration.segmentBytes = random.pick([64 << 10, 256 << 10, 1 << 20])
        configuration.logRetention = random.pick([.none, .bytes(2 << 20), .bytes(16 << 20)])
        if random.oneIn(3) { configuration.compression = .zlib(threshold: 300) }
        if random.oneIn(2) { configuration.logWriting = .calls }
        return configuration
    }

    static func number(of value: [UInt8]?) -> UInt64 { value.flatMap(littleEndianNumber) ?? 0 }
}

/// The contents after a batch.
struct BesideModel {
    let plan: BesidePlan
    private(set) var number: UInt64 = 0
    private var contents: [String: WriterOperation] = [:]
    /// By epoch: what sequence numbers and batch numbers differ by.
    private var differences: [UInt64: UInt64] = [:]

    init(_ plan: BesidePlan) { self.plan = plan }

    /// Moves on to the batch that contents are of, and compares them with those after it.
    ///
    /// - Parameter sequence: The sequence number of the batch, if it is known.
    mutating func judge(
        _ contents: [[UInt8]: StoreReplica.Value], _ sequence: SequenceNumber?, _ what: String
    ) throws {
        let next = BesidePlan.number(of: contents[Array(BesidePlan.counter.utf8)]?.bytes)
        try expect(next >= number, "batch \(next) is shown after batch \(number)")
        while number < next {
            number += 1
            let batch = plan.batch(number)
            for (key, value) in batch.changes { self.contents[key] = value == nil ? nil : batch }
        }
        if number > 0, let sequence {
            let difference = sequence &- number
            let known = differences[sequence >> 32] ?? difference
            try expect(known == difference, "number \(sequence) is that of batch \(sequence &- known), not \(number)")
            differences[sequence >> 32] = difference
        }
        try compare(contents, what)
    }

    /// Compares contents with those after the batch.
    func compare(_ found: [[UInt8]: StoreReplica.Value], _ what: String) throws {
        var found = found
        let counter = found.removeValue(forKey: Array(BesidePlan.counter.utf8))
        try expect(BesidePlan.number(of: counter?.bytes) == number, "\(what) isn't of batch \(number)")
        for (key, batch) in contents {
            let there = found[Array(key.utf8)]?.bytes
            try expect(
                there == batch.value(of: key),
                "\(what) after batch \(number) has \(there.map { "\($0.count) wrong bytes" } ?? "nothing") for \(key)")
        }
        try expect(found.count == contents.count, "\(what) after batch \(number) has \(found.count) keys")
    }
}
