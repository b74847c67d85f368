import Foundation
import HeartwoodRepository

/// The model of the random tests, in its newest version.
struct Thing: Codable, Identifiable, Sendable, Hashable {
    enum Kind: String, Codable, Sendable, TupleElement, CaseIterable, Comparable {
        case blue, green, red

        static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    var id: Int
    var number: Int
    var text: String
    var ratio: Double?
    var unique: String?
    var tags: [String]
    var kind: Kind

    /// All indexes, of which a definition has some.
    static let pool: [Index<Thing>] = [
        Index("number", \.number), Index("text", \.text), Index("ratio", \.ratio), .unique("unique", \.unique),
        Index("tag", .each(\.tags)), Index("kind-number", \.kind, \.number), Index("text-kind", \.text, \.kind),
        Index("tag-number", .each(\.tags), .value(\.number)), .unique("kind-id", \.kind, \.id),
        Index("number-ratio-text", \.number, \.ratio, \.text),
    ]
}

/// Another version of the model, which has a repository of the same name.
protocol ThingVersion: Codable, Identifiable, Sendable where ID == Int {
    static var version: Int { get }
    static var migrations: [Migration] { get }
    static var pool: [Index<Self>] { get }
    /// The name of the unique index over ``Thing/unique``.
    static var uniqueIndex: String { get }
    init(_ thing: Thing)
    /// What its migrations make of it.
    var thing: Thing { get }
}

extension ThingVersion {
    static var uniqueIndex: String { "unique" }
}

extension Thing: ThingVersion {
    static var version: Int { 3 }
    static var migrations: [Migration] {
        ThingV2.migrations + [Migration(from: 2, to: 3) { (old: ThingV2) in old.thing }]
    }
    init(_ thing: Thing) { self = thing }
    var thing: Thing { self }
}

/// The number was a text, and there was no kind.
struct ThingV1: ThingVersion {
    var id: Int
    var number: String
    var text: String
    var ratio: Double?
    var unique: String?
    var tags: [String]

    static var version: Int { 1 }
    static var migrations: [Migration] { [] }
    static let pool: [Index<ThingV1>] = [
        Index("number", \.number), Index("text", \.text), .unique("unique", \.unique), Index("tag", .each(\.tags)),
    ]

    init(_ thing: Thing) {
        (id, number, text, ratio) = (thing.id, "\(thing.number)", thing.text, thing.ratio)
        (unique, tags) = (thing.unique, thing.tags)
    }

    var thing: Thing {
        Thing(
            id: id, number: Int(number) ?? 0, text: text, ratio: ratio, unique: unique, tags: tags,
            kind: ThingV2.kind(text))
    }
}

/// There was no kind; the text is in capitals.
struct ThingV2: ThingVersion {
    var id: Int
    var number: Int
    var text: String
    var ratio: Double?
    var unique: String?
    var tags: [String]

    static var version: Int { 2 }
    static var migrations: [Migration] { [Migration(from: 1, to: 2) { (old: ThingV1) in ThingV2(old.thing) }] }
    static let pool: [Index<ThingV2>] = [
        Index("number", \.number), Index("text", \.text), .unique("unique", \.unique), Index("ratio", \.ratio),
    ]

    init(_ thing: Thing) {
        (id, number, text, ratio) = (thing.id, thing.number, thing.text.uppercased(), thing.ratio)
        (unique, tags) = (thing.unique, thing.tags)
    }

    var thing: Thing {
        Thing(
            id: id, number: number, text: text.lowercased(), ratio: ratio, unique: unique, tags: tags,
            kind: Self.kind(text.lowercased()))
    }

    static func kind(_ text: String) -> Thing.Kind { Thing.Kind.allCases[text.utf8.count % 3] }
}
