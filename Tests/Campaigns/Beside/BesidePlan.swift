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
    private static let keys = 1_500

    struct Batch {
        var changes: [(key: String, value: ValuePattern?)] = []
        var durability = Durability.buffered
        /// Whether a compaction begins after it.
        var compacts = false
    }

    func batch(_ number: UInt64) -> Batch {
        var random = SeededRandom(seed, 31, number)
        var batch = Batch()
        for part in 0..<UInt64(random.pick([1, 1, 2, 5, 20])) {
            let key = "key/\(random.below(Self.keys))"
            let length = random.oneIn(300) ? random.number(in: 20_000...90_000) : random.below(1_200)
            batch.changes.append(
                (key, random.oneIn(5) ? nil : ValuePattern(identity: number << 8 | part, length: length)))
        }
        batch.durability = random.pick([.buffered, .buffered, .buffered, .written, .written, .synced])
        batch.compacts = random.oneIn(3_000)
        return batch
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
    private var contents: [[UInt8]: ValuePattern] = [:]
    /// By epoch: what sequence numbers and batch numbers differ by.
    private var differences: [UInt64: UInt64] = [:]

    init(_ plan: BesidePlan) { self.plan = plan }

    /// Moves on to a batch.
    mutating func advance(to number: UInt64) throws {
        try expect(number >= self.number, "batch \(number) is shown after batch \(self.number)")
        while self.number < number {
            self.number += 1
            for (key, value) in plan.batch(self.number).changes { contents[Array(key.utf8)] = value }
        }
    }

    /// Checks that a sequence number is that of the batch.
    mutating func check(_ sequence: SequenceNumber) throws {
        guard number > 0 else { return }
        let difference = sequence &- number
        let known = differences[sequence >> 32] ?? difference
        try expect(known == difference, "number \(sequence) is that of batch \(sequence &- known), not \(number)")
        differences[sequence >> 32] = difference
    }

    /// Compares contents with those after the batch.
    func compare(_ found: [[UInt8]: StoreReplica.Value], _ what: String) throws {
        var found = found
        let counter = found.removeValue(forKey: Array(BesidePlan.counter.utf8))
        try expect(BesidePlan.number(of: counter?.bytes) == number, "\(what) isn't of batch \(number)")
        for (key, value) in contents {
            guard let there = found[key], value.matches(there.bytes) else {
                let wrong = found[key].map { "\($0.bytes.count) wrong bytes" } ?? "nothing"
                throw Violation(
                    "\(what) after batch \(number) has \(wrong) for \(String(decoding: key, as: UTF8.self))")
            }
        }
        try expect(found.count == contents.count, "\(what) after batch \(number) has \(found.count) keys")
    }
}
