import HTTPTypes
import Heartwood
import HummingbirdTesting
import NIOCore
import Testing

@testable import collector

@Suite struct ListingTests {
    /// Twenty events, a second apart; every second one is of type "b".
    private func run(_ body: @Sendable @escaping (any TestClientProtocol) async throws -> Void) async throws {
        try await Fixture().run { client, _, _ in
            let lines = (0..<20).map { "{\"type\":\"\($0 % 2 == 0 ? "a" : "b")\",\"n\":\($0),\"time\":\($0 * 1_000)}" }
            #expect(try await client.post(lines.joined(separator: "\n")).status == .created)
            try await body(client)
        }
    }

    @Test(arguments: ["", "type=b", "from=5000&to=15000", "from=1970-01-01T00:00:05Z&type=a"], ["asc", "desc"])
    func pagesGoThroughAllEventsInBothDirections(_ filter: String, _ order: String) async throws {
        try await run { client in
            let all = try await client.read("/events?\(filter)&order=\(order)&limit=1000").numbers
            #expect(all == (order == "asc" ? all.sorted() : all.sorted(by: >)))
            let pages = try await client.pages("/events?\(filter)&order=\(order)&limit=3")
            #expect(pages.flatMap(\.numbers) == all)
            // And back, from the last page.
            var back = pages.last?.numbers ?? []
            var previous = pages.last?.json["previous"] as? String
            while let here = previous {
                let page = try await client.read("/events?\(filter)&order=\(order)&limit=3&cursor=\(here)")
                back = page.numbers + back
                previous = page.json["previous"] as? String
            }
            #expect(back == all)
        }
    }

    /// A page ends after a megabyte, whatever its limit.
    @Test(arguments: ["", "&type=a"], ["asc", "desc"])
    func pagesAreBoundedByBytes(_ type: String, _ order: String) async throws {
        try await Fixture().run { client, _, _ in
            let large = String(repeating: "x", count: 60_000)
            for number in 0..<80 {
                let event = "{\"type\":\"a\",\"n\":\(number),\"time\":\(number * 1_000),\"x\":\"\(large)\"}"
                #expect(try await client.post(event).status == .created)
            }
            let pages = try await client.pages("/events?limit=1000&order=\(order)\(type)")
            #expect(pages.allSatisfy { $0.body.readableBytes < 6 << 20 })
            #expect(pages.flatMap(\.numbers) == (order == "asc" ? Array(0..<80) : (0..<80).reversed()))
        }
    }

    @Test(
        arguments: [
            ("from=5000&to=8000&order=asc", [5, 6, 7]), ("to=3000&type=b&order=asc", [1]), ("limit=2", [19, 18]),
            ("type=none", []), ("from=9000&to=5000", []), ("type=b&from=16000", [19, 17]),
        ] as [(String, [Int])])
    func boundsAndTypesSelect(_ query: String, _ expected: [Int]) async throws {
        try await run { client in
            let answer = try await client.read("/events?\(query)")
            #expect(answer.numbers == expected)
            if !query.contains("limit") {
                #expect(try await client.read("/events/count?\(query)").count == expected.count)
            }
        }
    }

    @Test func newEventsComeBeforeTheFirstPage() async throws {
        try await run { client in
            let page = try await client.read("/events?limit=2")
            let cursor = try #require(page.json["previous"] as? String)
            #expect(try await client.read("/events?limit=2&cursor=\(cursor)").numbers == [])
            _ = try await client.post("{\"type\":\"a\",\"n\":20,\"time\":20000}")
            #expect(try await client.read("/events?limit=2&cursor=\(cursor)").numbers == [20])
        }
    }

    @Test(arguments: [
        "/events?limit=0", "/events?limit=1001", "/events?limit=x", "/events?order=up", "/events?from=later",
        "/events?to=-1", "/events?type=", "/events?cursor=xyz", "/events?cursor=", "/events/abc",
        "/events?cursor=00112233445566778899aabbccddeeff0011223344", "/events/+0112233445566778899aabbccddeeff",
        "/events/count?from=x", "/summaries?limit=0", "/summaries?limit=1001", "/summaries?limit=x",
        "/summaries?from=later", "/summaries?to=-1", "/summaries?cursor=", "/summaries?cursor=x%20y",
        "/summaries?cursor=AAAAAAAAAAAAAAAA",
    ])
    func badParametersAreRefused(_ uri: String) async throws {
        try await run { client in
            let answer = try await client.read(uri)
            #expect(answer.status == .badRequest, "\(answer.text)")
            #expect(answer.headers[.contentType] == "application/problem+json")
        }
    }

    @Test func aCursorOfAnotherListingIsRefused() async throws {
        try await run { client in
            let page = try await client.read("/events?type=b&limit=2")
            let cursor = try #require(page.json["next"] as? String)
            #expect(try await client.read("/events?type=b&limit=5&cursor=\(cursor)").status == .ok)
            for other in ["", "type=a", "type=b&order=asc", "type=b&from=0"] {
                #expect(try await client.read("/events?\(other)&cursor=\(cursor)").code == "invalid-cursor")
            }
        }
    }

    @Test func withoutAnIndexOfTypesTheyCanNotBeAskedFor() async throws {
        try await Fixture().with { $0.hasTypeIndex = false }.run { client, _, store in
            let answer = try await client.post("{\"type\":\"a\"}\n{\"type\":\"b\"}")
            #expect(answer.status == .created)
            #expect(try await store.fetchCount(in: Keys.events("a", from: nil, to: nil)) == 0)
            #expect(try await client.read("/events").events.count == 2)
            for uri in ["/events?type=a", "/events/count?type=a"] {
                #expect(try await client.read(uri).code == "no-type-index")
            }
        }
    }

    @Test func whatIsNotThereIsNotFound() async throws {
        try await run { client in
            #expect(try await client.read("/events/\(String(repeating: "0", count: 32))").code == "no-event")
            let answer = try await client.read("/nothing")
            #expect(answer.status == .notFound && answer.headers[.contentType] == "application/problem+json")
        }
    }

    @Test func idsAreInTheOrderOfTimesEpochsAndNumbers() {
        let ids = [
            EventID(0, epoch: 9, number: 9), EventID(1, epoch: 0, number: 0),
            EventID(1, epoch: 0, number: 0xFFFF_FFFF_FFFF), EventID(1, epoch: 1, number: 0),
            EventID(1, epoch: 0x1_0000, number: 0), EventID(0xFFFF_FFFF_FFFF, epoch: .max, number: 3),
        ]
        #expect(ids.map(\.description) == ids.map(\.description).sorted())
        for id in ids {
            #expect(EventID(id.description) == id)
            #expect(EventID(bytes: id.bytes) == id)
        }
    }
}
