import Heartwood
import Testing

/// Ranges that begin after or end before a key, and the keys of a closed store.
@Suite struct PagingTests {
    private let store: Store

    init() throws { store = try .inMemory() }

    private func keys(_ range: KeyRange, reversed: Bool = false) throws -> [String] {
        try store.scan(range, reversed: reversed).keys.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func aRangeAfterAKeyExcludesItAndAllBeforeIt() async throws {
        for key in ["a", "user:1", "user:1\u{0}", "user:2", "user:3", "z"] { try await store.put(key, "") }
        #expect(try keys(.after("user:2")) == ["user:3", "z"])
        #expect(try keys(.prefix("user:").after("user:1")) == ["user:1\u{0}", "user:2", "user:3"])
        #expect(try keys(.prefix("user:").after("user:3")) == [])
        #expect(try keys(.prefix("user:").after("z")) == [])
        #expect(try keys(.prefix("user:").after("a")) == ["user:1", "user:1\u{0}", "user:2", "user:3"])
        #expect(try keys(.prefix("user:").before("user:2"), reversed: true) == ["user:1\u{0}", "user:1"])
        #expect(try keys(.prefix("user:").before("z")) == ["user:1", "user:1\u{0}", "user:2", "user:3"])
        #expect(try keys(.prefix("user:").before("a")) == [])
        #expect(try keys(.range(from: "user:1", to: "user:3").after("user:1").before("user:2")) == ["user:1\u{0}"])
        #expect(try keys(.all.after([UInt8]())) == keys(.all))
    }

    @Test(arguments: [1, 2, 7, 100], [false, true])
    func pagesShowEachKeyOnce(size: Int, isReversed: Bool) async throws {
        try await store.write { batch in
            for number in 0..<100 { batch.put("user:\(100 + number)", "") }
            batch.put("user", "")
            batch.put("user;", "")
        }
        var range = KeyRange.prefix("user:")
        var seen: [String] = []
        while true {
            let page = try keys(range, reversed: isReversed).prefix(size)
            guard let last = page.last else { break }
            seen += page
            range = isReversed ? range.before(last) : range.after(last)
        }
        let all = (0..<100).map { "user:\(100 + $0)" }
        #expect(seen == (isReversed ? all.reversed() : all))
    }

    @Test func keysOfAClosedStoreAreAnError() async throws {
        try await store.write { batch in
            for number in 0..<100 { batch.put("key \(number)", "") }
        }
        let view = try store.readView()
        var walk = try store.scan().keys.makeIterator()
        #expect(walk.next() != nil)
        try await store.close()
        await expectError(.closed) { _ = try store.scan().keys }
        await expectError(.closed) { _ = try view.scan().keys }
        var rest = 0
        while walk.next() != nil { rest += 1 }
        #expect(rest == 99, "a walk in progress ended early without an error")
    }

    @Test func viewsOfStringsAreKeysAndValues() async throws {
        let line = "key=välue"
        let parts = line.split(separator: "=")
        try await store.put(parts[0], parts[1])
        try await store.put("b".utf8, parts[1].utf8)
        #expect(try store.get("key") == Array("välue".utf8))
        #expect(try store.get("b") == Array("välue".utf8))
    }
}
