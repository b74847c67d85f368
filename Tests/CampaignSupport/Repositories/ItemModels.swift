internal import Foundation
internal import HeartwoodRepository

/// An id that stands for a number.
protocol SlotID: Hashable, Codable, Sendable, TupleElement {
    init(slot: Int)
    var slot: Int? { get }
}

extension Int: SlotID {
    init(slot: Int) { self = slot }
    var slot: Int? { self }
}

extension String: SlotID {
    init(slot: Int) { self = "note-\(slot)" }
    var slot: Int? { hasPrefix("note-") ? Int(dropFirst(5)) : nil }
}

/// Every other one has a fraction of a second.
extension Date: SlotID {
    init(slot: Int) { self.init(timeIntervalSinceReferenceDate: 800_000_000 + Double(slot) / 2) }
    var slot: Int? { Int(exactly: (timeIntervalSinceReferenceDate - 800_000_000) * 2) }
}

/// The model of a repository in one version of the program.
protocol Item: Codable, Identifiable, Sendable where ID: SlotID {
    /// The version of the model.
    static var version: Int { get }
    /// - Parameter versions: The stored versions of the models.
    static func migrations(_ versions: [Int]) -> [Migration]
    init(id: ID, stamp: Int, count: Int, _ fields: ItemFields)
    var stamp: Int { get }
    /// A sum of increments, of which each has its own bit.
    var count: Int { get set }
    var fields: ItemFields { get }
    /// Indexed, with another meaning in each version.
    var rank: Int { get }
}

extension Item {
    var group: String? { fields.group }
    var tags: [String] { fields.tags }
    var alias: String? { fields.alias }
    var code: Int { fields.code }
    var moment: Date { fields.moment }
    var rank: Int { rankInVersion(Self.version, fields.rank) }

    init(_ other: some Item, id: ID) { self.init(id: id, stamp: other.stamp, count: other.count, other.fields) }
}

/// What a version of the model makes of a stored rank.
func rankInVersion(_ version: Int, _ rank: Int) -> Int {
    switch version {
    case 1: rank
    case 2: rank &+ 100
    default: 0 &- rank
    }
}

struct ItemV1<ID: SlotID>: Item {
    static var version: Int { 1 }
    static func migrations(_ versions: [Int]) -> [Migration] { [] }
    var id: ID
    var stamp: Int
    var count: Int
    var fieldName: String
    var fieldGroup: String?
    var fieldTags: [String]
    var fieldAlias: String?
    var fieldCode: Int
    var fieldRank: Int
    var fieldMoment: Date

    init(id: ID, stamp: Int, count: Int, _ fields: ItemFields) {
        (self.id, self.stamp, self.count) = (id, stamp, count)
        (fieldName, fieldGroup, fieldTags) = (fields.name, fields.group, fields.tags)
        (fieldAlias, fieldCode, fieldRank) = (fields.alias, fields.code, fields.rank)
        fieldMoment = fields.moment
    }

    var fields: ItemFields {
        ItemFields(
            name: fieldName, group: fieldGroup, tags: fieldTags, alias: fieldAlias, code: fieldCode, rank: fieldRank,
            moment: fieldMoment)
    }
}

/// Other names, and the count in another place.
struct ItemV2<ID: SlotID>: Item {
    struct Head: Codable { var stamp, total: Int }

    static var version: Int { 2 }
    static func migrations(_ versions: [Int]) -> [Migration] {
        [Migration(from: versions[0], to: versions[1]) { (old: ItemV1<ID>) in ItemV2<ID>(old, id: old.id) }]
    }
    var id: ID
    var head: Head
    var title: String
    var color: String?
    var labels: [String]
    var nick: String?
    var number: Int
    var order: Int
    var time: Date

    init(id: ID, stamp: Int, count: Int, _ fields: ItemFields) {
        (self.id, head) = (id, Head(stamp: stamp, total: count))
        (title, color, labels) = (fields.name, fields.group, fields.tags)
        (nick, number, order, time) = (fields.alias, fields.code, fields.rank, fields.moment)
    }

    var stamp: Int { head.stamp }
    var count: Int {
        get { head.total }
        set { head.total = newValue }
    }
    var fields: ItemFields {
        ItemFields(name: title, group: color, tags: labels, alias: nick, code: number, rank: order, moment: time)
    }
}

/// Other types.
struct ItemV3<ID: SlotID>: Item {
    static var version: Int { 3 }
    static func migrations(_ versions: [Int]) -> [Migration] {
        ItemV2<ID>.migrations(versions) + [
            Migration(from: versions[1], to: versions[2]) { (old: ItemV2<ID>) in ItemV3<ID>(old, id: old.id) }
        ]
    }
    var id: ID
    var stamp: Int
    var count: Int
    var title: String
    var colors: [String]
    var labelText: String
    var nick: String?
    var number: String
    var order: Int
    var instant: Date

    init(id: ID, stamp: Int, count: Int, _ fields: ItemFields) {
        (self.id, self.stamp, self.count) = (id, stamp, count)
        (title, colors, labelText) = (fields.name, fields.group.map { [$0] } ?? [], fields.tags.joined(separator: ","))
        (nick, number, order, instant) = (fields.alias, "\(fields.code)", fields.rank, fields.moment)
    }

    var fields: ItemFields {
        ItemFields(
            name: title, group: colors.first, tags: labelText.split(separator: ",").map(String.init), alias: nick,
            code: Int(number) ?? -1, rank: order, moment: instant)
    }
}

enum ItemModels {
    /// The type of a repository's records in one version of the program, from 1; nil if there is no such version.
    static func type(_ repository: Int, version: Int) -> (any Item.Type)? {
        switch repository {
        case 0: type(Int.self, version)
        case 1: type(String.self, version)
        default: type(Date.self, version)
        }
    }

    private static func type<ID: SlotID>(_ id: ID.Type, _ version: Int) -> (any Item.Type)? {
        [1: ItemV1<ID>.self, 2: ItemV2<ID>.self, 3: ItemV3<ID>.self][version]
    }
}
