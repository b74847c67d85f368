import HTTPTypes
import Heartwood
import Hummingbird
import HummingbirdTesting
import Testing

@testable import CollectorService

@Suite struct EventQueryTests {
    /// Twenty events, a second apart; every second one is of type "b".
    private func run(_ body: @Sendable @escaping (any TestClientProtocol) async throws -> Void) async throws {
        try await Fixture().run { client, _ in
            let lines = (0..<20).map { "{\"type\":\"\($0 % 2 == 0 ? "a" : "b")\",\"n\":\($0),\"time\":\($0 * 1_000)}" }
            #expect(try await client.post(lines.joined(separator: "\n")).status == .created)
            try await body(client)
        }
    }

    private static func numbers(_ answer: TestResponse) -> [Int] {
        answer.events.compactMap { ($0["event"] as? [String: Any])?["n"] as? Int }
    }

    @Test(arguments: ["", "type=b", "from=5000&to=15000", "from=1970-01-01T00:00:05Z&type=a"], ["asc", "desc"])
    func pagesGoThroughAllEventsInBothDirections(_ filter: String, _ order: String) async throws {
        try await run { client in
            let all = Self.numbers(try await client.read("/events?\(filter)&order=\(order)&limit=1000"))
            #expect(all == (order == "asc" ? all.sorted() : all.sorted(by: >)))
            var (found, cursor, previous): ([Int], String?, String?) = ([], "", nil)
            while let here = cursor {
                let parameter = here.isEmpty ? "" : "&cursor=\(here)"
                let page = try await client.read("/events?\(filter)&order=\(order)&limit=3\(parameter)")
                #expect(page.status == .ok)
                found += Self.numbers(page)
                cursor = page.json["next"] as? String
                previous = page.json["previous"] as? String
            }
            #expect(found == all)
            // And back, from the last page.
            var back: [Int] = Array(all.suffix((all.count - 1) % 3 + 1))
            while let here = previous {
                let page = try await client.read("/events?\(filter)&order=\(order)&limit=3&cursor=\(here)")
                back = Self.numbers(page) + back
                previous = page.json["previous"] as? String
            }
            #expect(back == all)
        }
    }

    /// A page ends after a megabyte, whatever its limit.
    @Test(arguments: ["", "&type=a"], ["asc", "desc"])
    func pagesAreBoundedByBytes(_ type: String, _ order: String) async throws {
        try await Fixture().run { client, _ in
            let large = String(repeating: "x", count: 60_000)
            for number in 0..<80 {
                let event = "{\"type\":\"a\",\"n\":\(number),\"time\":\(number * 1_000),\"x\":\"\(large)\"}"
                #expect(try await client.post(event).status == .created)
            }
            var (found, cursor): ([Int], String?) = ([], "")
            while let here = cursor {
                let parameter = here.isEmpty ? "" : "&cursor=\(here)"
                let page = try await client.read("/events?limit=1000&order=\(order)\(type)\(parameter)")
                #expect(page.status == .ok && page.body.readableBytes < 6 << 20)
                found += Self.numbers(page)
                cursor = page.json["next"] as? String
            }
            #expect(found == (order == "asc" ? Array(0..<80) : (0..<80).reversed()))
        }
    }

    @Test func boundsAndTypesSelect() async throws {
        try await run { client in
            let span = try await client.read("/events?from=5000&to=8000&order=asc")
            #expect(Self.numbers(span) == [5, 6, 7])
            #expect(Self.numbers(try await client.read("/events?to=3000&type=b&order=asc")) == [1])
            #expect(Self.numbers(try await client.read("/events?limit=2")) == [19, 18])
            #expect(Self.numbers(try await client.read("/events?type=none")) == [])
            #expect(try await client.read("/events/count").text == #"{"count":20}"#)
            #expect(try await client.read("/events/count?type=b").text == #"{"count":10}"#)
            #expect(try await client.read("/events/count?type=b&from=10000").text == #"{"count":5}"#)
            #expect(try await client.read("/events/count?from=9000&to=5000").text == #"{"count":0}"#)
        }
    }

    @Test func newEventsComeBeforeTheFirstPage() async throws {
        try await run { client in
            let page = try await client.read("/events?limit=2")
            let cursor = try #require(page.json["previous"] as? String)
            #expect(Self.numbers(try await client.read("/events?limit=2&cursor=\(cursor)")) == [])
            _ = try await client.post("{\"type\":\"a\",\"n\":20,\"time\":20000}")
            #expect(Self.numbers(try await client.read("/events?limit=2&cursor=\(cursor)")) == [20])
        }
    }

    @Test(arguments: [
        "limit=0", "limit=1001", "limit=x", "order=up", "from=later", "to=-1", "type=", "cursor=xyz", "cursor=",
        "cursor=00112233445566778899aabbccddeeff0011223344",
    ])
    func badParametersAreRefused(_ parameters: String) async throws {
        try await run { client in
            let answer = try await client.read("/events?\(parameters)")
            #expect(answer.status == .badRequest)
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
        var fixture = Fixture()
        fixture.settings.hasTypeIndex = false
        try await fixture.run { client, store in
            let answer = try await client.post("{\"type\":\"a\"}\n{\"type\":\"b\"}")
            #expect(answer.status == .created)
            #expect(try await store.fetchCount(in: EventKeys.range(type: "a", from: nil, to: nil)) == 0)
            #expect(try await client.read("/events").events.count == 2)
            #expect(try await client.read("/events?type=a").code == "no-type-index")
            #expect(try await client.read("/events/count?type=a").code == "no-type-index")
        }
    }

    @Test func unknownAndBadIdsAreTold() async throws {
        try await run { client in
            let unknown = try await client.read("/events/\(String(repeating: "0", count: 32))")
            #expect(unknown.code == "no-event")
            #expect(try await client.read("/events/abc").code == "invalid-id")
            #expect(try await client.read("/nothing").status == .notFound)
            #expect(try await client.read("/nothing").headers[.contentType] == "application/problem+json")
        }
    }

    @Test func idsAreInTheOrderOfTimesEpochsAndNumbers() {
        let ids = [
            EventID(time: 0, epoch: 9, number: 9), EventID(time: 1, epoch: 0, number: 0),
            EventID(time: 1, epoch: 0, number: 0xFFFF_FFFF_FFFF), EventID(time: 1, epoch: 1, number: 0),
            EventID(time: 1, epoch: 0x1_0000, number: 0), EventID(time: 0xFFFF_FFFF_FFFF, epoch: .max, number: 3),
        ]
        #expect(ids == ids.sorted())
        #expect(ids.map(\.description) == ids.map(\.description).sorted())
        for id in ids {
            #expect(EventID(id.description) == id)
            #expect(EventID(id.bytes) == id)
        }
        #expect(EventID("+0112233445566778899aabbccddeeff") == nil)
    }
}
