import Foundation
import HeartwoodLocal
import KeyValueStore
import Testing

/// What a save accepts is loaded again, whatever the value; what JSON doesn't have is refused by the save.
@Suite struct ExtremesTests {
    struct Item: Codable, Identifiable, Sendable, Equatable {
        var id: String
        var integer = 0
        var unsigned = UInt64(0)
        var double = 0.0
        var text = ""
        var date = Date(timeIntervalSinceReferenceDate: 0)
        var decimal = Decimal(0)
    }

    static let kept: [Item] = [
        Item(id: ""), Item(id: "\0"), Item(id: "e\u{301}"), Item(id: String(repeating: "i", count: 20_000)),
        Item(id: "1", integer: .min), Item(id: "2", integer: .max), Item(id: "3", unsigned: .max),
        Item(id: "4", double: -0.0), Item(id: "5", double: .leastNonzeroMagnitude),
        Item(id: "6", double: -.greatestFiniteMagnitude), Item(id: "7", text: "NaN, \"NaN\", \\\"NaN"),
        Item(id: "8", text: String(repeating: "\0\u{10FFFF}", count: 10_000)), Item(id: "9", date: .distantFuture),
        Item(id: "10", date: .distantPast), Item(id: "11", decimal: .greatestFiniteMagnitude),
        Item(id: "12", text: "NaN", decimal: .leastNonzeroMagnitude),
    ]
    static let refused: [Item] = [
        Item(id: "a", double: .nan), Item(id: "b", double: .infinity), Item(id: "c", decimal: .nan),
        Item(id: "d", text: "NaN", decimal: .nan), Item(id: String(repeating: "i", count: 70_000)),
        Item(id: "e", date: Date(timeIntervalSince1970: .infinity)),
    ]

    @Test func everyItemIsLoadedAgain() async throws {
        let scratch = try Scratch()
        do {
            let items = try LocalRepository<Item>(opening: scratch.url)
            for item in Self.kept { try await items.save(item) }
            for item in Self.refused {
                let error = await #expect(throws: StoreError.self, "\(item.id.prefix(9))") {
                    try await items.save(item)
                }
                #expect(error?.code == .invalidArgument)
            }
        }
        // The import of a file decodes each item once more.
        try scratch.write(String(decoding: JSONEncoder().encode(Self.kept), as: UTF8.self), to: "other.json")
        for name in ["data.json", "other.json"] {
            let items = try LocalRepository<Item>(opening: scratch.url, filename: name)
            let ids = Set(await items.loadAll().map(\.id))
            #expect(ids == Set(Self.kept.map(\.id)) && items.problems.isEmpty)
            for item in Self.kept {
                let found = await items.find(by: item.id)
                #expect(found == item)
            }
        }
    }
}
