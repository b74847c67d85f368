import Foundation
import HeartwoodTesting
import KeyValueStore
import Testing

@testable import HeartwoodRepository

@Suite("Cursors of queries")
struct QueryCursorTests {
    @Test(
        "Pages are stable while others write: what stays is returned once", arguments: 0..<16 as Range<UInt64>)
    func stability(seed: UInt64) async throws {
        var queries = RandomQueries(random: SeededRandom(seed, 0x57))
        for number in 0..<6 {
            var query = queries.query()
            (query.limit, query.offset) = (nil, 0)
            var items = queries.items(40)
            let indexes = Item.indexes.filter { _ in queries.random.oneIn(2) }
            var untouched = Set(items.map(\.id))
            var (found, cursor): ([Item], QueryCursor?) = ([], nil)
            repeat {
                let store = ItemStore(items, indexes)
                let page = try await store.source.page(query, limit: 3, after: cursor)
                found += page.models
                cursor = page.next
                for _ in 0..<4 where !items.isEmpty {
                    let position = queries.random.below(items.count)
                    untouched.remove(items[position].id)
                    items.remove(at: position)
                }
                items += (0..<4).map { _ in Item(1_000 + queries.random.below(100_000), &queries.random) }
                var ids: Set<Int> = []
                items = items.filter { ids.insert($0.id).inserted }
            } while cursor != nil
            let note = Comment(rawValue: "seed \(seed), query \(number): \(query.filter)")
            #expect(Set(found.map(\.id)).count == found.count, note)
            let remaining = try Expected.results(query, items).filter { untouched.contains($0.id) }
            #expect(found.filter { untouched.contains($0.id) }.map(\.id) == remaining.map(\.id), note)
            var all = query
            all.filter = .all
            #expect(try Expected.results(all, found).map(\.id) == found.map(\.id), note)
        }
    }

    private func cursor(_ query: Query<Item>) async throws -> (ItemStore, QueryCursor) {
        var queries = RandomQueries(random: SeededRandom(5))
        let store = ItemStore(queries.items(50), Item.indexes)
        return (store, try #require(try await store.source.page(query, limit: 2).next))
    }

    @Test("A cursor survives text, JSON and hashing, and has only characters that are safe in URLs")
    func text() async throws {
        let (_, cursor) = try await cursor(Query(sort: [.ascending(\.name), .descending(\.weight)]))
        #expect(QueryCursor(cursor.description) == cursor)
        #expect(Set([cursor, QueryCursor(cursor.description)]).count == 1)
        #expect(try JSONDecoder().decode([QueryCursor].self, from: JSONEncoder().encode([cursor])) == [cursor])
        #expect(cursor.description.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_".contains($0)) })
    }

    @Test("A cursor of another query is refused")
    func otherQuery() async throws {
        let query = Query<Item>(where: \.number >= 0, sort: [.ascending(\.name)])
        let (store, cursor) = try await cursor(query)
        let others: [Query<Item>] = [
            Query(where: \.number >= 1, sort: [.ascending(\.name)]), Query(where: \.number > 0, sort: query.sort),
            Query(where: \.number >= 0, sort: [.descending(\.name)]), Query(where: \.number >= 0), Query(),
            Query(where: \.number >= 0 && \.id > 0, sort: query.sort),
        ]
        for other in others {
            let error = await #expect(throws: StoreError.self) {
                _ = try await store.source.page(other, limit: 2, after: cursor)
            }
            #expect(error?.code == .invalidArgument)
        }
        _ = try await store.source.page(
            Query(where: \.number >= 0, sort: query.sort, limit: 1, offset: 4), limit: 5, after: cursor)
        await #expect(throws: StoreError.self) { _ = try await store.source.page(query, limit: 0) }
    }

    @Test("Hostile text is nil or an error, never a trap", arguments: 0..<20 as Range<UInt64>)
    func hostile(seed: UInt64) async throws {
        var random = SeededRandom(seed, 0xBAD)
        let query = Query<Item>(where: \.number >= 0, sort: [.ascending(\.name), .descending(\.number)])
        let (store, cursor) = try await cursor(query)
        for text in ["", "A", "AA==", "é", "AQ", String(repeating: "A", count: 100_000), "AQAAAAAAAAAAAA", "+/+/"] {
            if let cursor = QueryCursor(text) {
                await #expect(throws: StoreError.self) {
                    _ = try await store.source.page(query, limit: 3, after: cursor)
                }
            }
        }
        let padding = String(repeating: "=", count: (4 - cursor.description.count % 4) % 4)
        let base64 = cursor.description.replacing("-", with: "+").replacing("_", with: "/") + padding
        let valid = try [UInt8](#require(Data(base64Encoded: base64)))
        for _ in 0..<100 {
            var bytes = valid
            for _ in 0...random.below(3) {
                switch random.below(3) {
                case 0: bytes[random.below(bytes.count)] = UInt8(random.below(256))
                case 1: bytes.removeLast(random.below(bytes.count))
                default: bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count))
                }
            }
            let text = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                .replacing("=", with: "")
            guard let changed = QueryCursor(text) else { continue }
            do {
                let page = try await store.source.page(query, limit: 3, after: changed)
                #expect(page.models.count <= 3, "seed \(seed)")
            } catch {
                #expect(error.code == .invalidArgument, "seed \(seed)")
            }
        }
    }
}
