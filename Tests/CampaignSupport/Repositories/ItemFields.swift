internal import Foundation
internal import HeartwoodRepository
internal import HeartwoodTesting

/// What the records of a run are drawn from.
package struct ItemWorld: Sendable, Codable {
    package var seed: UInt64
    /// How many ids each repository has.
    package var slots: Int
    /// Whether two records may want one value of a unique index.
    package var collides: Bool
    /// Whether the coder stores dates without fractions of a second.
    var rounds: Bool

    var coder: JSONCoder {
        if !rounds { return .json }
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        (encoder.dateEncodingStrategy, decoder.dateDecodingStrategy) = (.iso8601, .iso8601)
        return JSONCoder(encoder: encoder, decoder: decoder)
    }

    /// Whether a record with this id would be stored with another one.
    func losesID(_ slot: Slot) -> Bool { rounds && slot.repository == 2 && slot.number % 2 == 1 }

    /// The stored versions of the three models, ascending.
    package var versions: [Int]

    /// Which of the models a stored version is of, from 1; 0 if of none.
    func model(ofVersion version: Int) -> Int { (versions.firstIndex(of: version) ?? -1) + 1 }
}

/// The values of a record. All follow from its stamp, a number that only one write of a run has; so a mixture of two
/// records is noticed.
struct ItemFields: Sendable, Hashable {
    var name: String
    var group: String?
    var tags: [String]
    var alias: String?
    var code: Int
    var rank: Int
    var moment: Date

    init(stamp: Int, slot: Int, _ world: ItemWorld) {
        var random = SeededRandom(world.seed, 21, UInt64(stamp))
        name = "item \(stamp) " + String(repeating: "x", count: random.below(30))
        // The third and the fourth are equal texts with other scalars.
        group = random.pick(["red", "green", "bl\u{FC}", "blu\u{308}", nil])
        tags = (0..<random.below(4)).map { _ in random.pick(["a", "b", "c", "d"]) }
        let alias = world.collides ? "n\(random.below(world.slots * 3))" : "n\(slot)"
        self.alias = random.oneIn(2) ? alias : nil
        code = world.collides ? random.below(world.slots * 3) : slot * 10 + random.below(10)
        rank = random.below(5)
        moment = Date(timeIntervalSinceReferenceDate: 800_000_000 + Double(random.below(40)) / 4)
        if random.oneIn(4) { goToTheEnds(slot, world, &random) }
    }

    /// Gives one of them a value at the ends of its type.
    private mutating func goToTheEnds(_ slot: Int, _ world: ItemWorld, _ random: inout SeededRandom) {
        switch random.below(5) {
        case 0: name = random.pick(["", "\0", "\u{10FFFF}", String(repeating: "\0\u{FFFF}", count: 700)])
        case 1: group = random.pick(["", "\0", "\u{10FFFF}", "\u{1D160}"])
        case 2: tags = tags.map { _ in random.pick(["\0", "\u{FFFF}", "e\u{301}"]) }
        case 3: rank = random.pick([.min, -1, .max])
        default: if world.collides || slot < 2 { code = slot % 2 == 0 ? .min : .max }
        }
    }

    init(name: String, group: String?, tags: [String], alias: String?, code: Int, rank: Int, moment: Date) {
        (self.name, self.group, self.tags) = (name, group, tags)
        (self.alias, self.code, self.rank, self.moment) = (alias, code, rank, moment)
    }

    /// What is read of them.
    func stored(_ world: ItemWorld) -> ItemFields {
        var fields = self
        if world.rounds {
            let seconds = moment.timeIntervalSinceReferenceDate.rounded(.down)
            fields.moment = Date(timeIntervalSinceReferenceDate: seconds)
        }
        return fields
    }
}
