import Foundation
import Heartwood
import HeartwoodFoundation
import Testing

/// Foundation's types as keys and values, and localized errors.
@Suite struct FoundationTests {
    private let store: Store

    init() throws { store = try .inMemory() }

    @Test(arguments: [0, 1, 14, 15, 100, 5_000, 2 << 20])
    func dataIsAKeyAndAValue(count: Int) async throws {
        let value = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await store.put(Data("key".utf8), value)
        #expect(try store.get("key").map { Data($0) } == value)
        #expect(value.byteArray == [UInt8](value))
    }

    @Test func aSliceOfDataHasItsOwnBytesOnly() async throws {
        let data = Data("key=value".utf8)
        try await store.put(data[..<3], data[4...])
        #expect(try store.get("key") == Array("value".utf8))
    }

    @Test func errorsOfTheBodyAreRethrown() {
        struct Broken: Error, Equatable {}
        func typed() throws(Broken) { try Data([1]).withByteBuffer { _ throws(Broken) in throw Broken() } }
        #expect(throws: Broken()) { try typed() }
        #expect(throws: Broken()) { try UUID().withByteBuffer { _ in throw Broken() } }
    }

    @Test func anIdentifierIsReadBack() async throws {
        let id = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
        #expect(id.byteArray == (0..<16).map { UInt8($0 * 17) })
        try await store.put(id, "value")
        try await store.put("id", id)
        #expect(try store.get(id) == Array("value".utf8))
        #expect(UUID(byteSource: try #require(try store.get("id"))) == id)
        let key = try #require(try store.scan().keys.first { $0.count == 16 })
        #expect(UUID(byteSource: key) == id)
        #expect(UUID(byteSource: "fifteen bytes!!") == nil)
        #expect(UUID(byteSource: "seventeen bytes!!") == nil)
    }

    @Test func identifiersSortAsTheirTexts() async throws {
        let ids = (0..<50).map { _ in UUID() }
        for id in ids { try await store.put(id, "") }
        let keys = try store.scan().keys.compactMap { UUID(byteSource: $0)?.uuidString }
        #expect(keys == ids.map(\.uuidString).sorted())
    }

    @Test func theLocalizedDescriptionIsTheMessage() async throws {
        try await store.close()
        let error = #expect(throws: StoreError.self) { try store.get("key") }
        let message = "the store is closed: open it again, and close it only when its reads, views and scans have ended"
        #expect(error?.localizedDescription == message)
        #expect((error as (any Error)?)?.localizedDescription == message)
        let full = StoreError(.outOfSpace, "no space: free some", file: "/data/x.log", offset: 4)
        #expect(full.localizedDescription == "no space: free some [/data/x.log at offset 4]")
    }
}
