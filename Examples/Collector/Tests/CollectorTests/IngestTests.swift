import Foundation
import HTTPTypes
import Heartwood
import Hummingbird
import HummingbirdTesting
import Testing

@testable import CollectorService

@Suite struct IngestTests {
    @Test func anObjectAnArrayAndLinesAreTaken() async throws {
        try await Fixture().run { client, store in
            let one = try await client.post(#"{"type":"a"}"#, type: "application/json; charset=utf-8")
            #expect(one.status == .created)
            #expect(one.ids.count == 1)
            let array = try await client.post(#" [{"type":"a"} , {"type":"b","x":[1,{}]}] "#, type: "application/json")
            #expect(array.ids.count == 2)
            let lines = try await client.post("{\"type\":\"a\"}\r\n\n {\"type\":\"b\"} \n")
            #expect(lines.ids.count == 2)
            #expect(Set(one.ids + array.ids + lines.ids).count == 5)
            #expect(try await store.fetchCount(in: EventKeys.events) == 5)
        }
    }

    @Test func theBytesOfAnEventAreKept() async throws {
        try await Fixture().run { client, _ in
            let object =
                #"{ "type" : "caf\u00e9" , "n": 1.50e+2, "text":"é\/𝄞", "time":"2026-11-26T09:30:00.5+01:00" }"#
            let id = try await client.post("[\(object)]", type: "application/json").ids[0]
            let event = try await client.read("/events/\(id)")
            #expect(event.text == #"{"id":"\#(id)","time":"2026-11-26T08:30:00.500Z","event":\#(object)}"#)
            #expect(try await client.read("/events?type=caf%C3%A9").events.count == 1)
            #expect(try await client.read("/events/count?type=caf%C3%A9").text == #"{"count":1}"#)
        }
    }

    @Test func anEventWithoutATimeHasThatOfItsArrival() async throws {
        let fixture = Fixture()
        try await fixture.run { client, _ in
            let ids = try await client.post("{\"type\":\"a\"}\n{\"type\":\"a\",\"time\":1234}").ids
            #expect(EventID(ids[0])?.time == fixture.clock.now().milliseconds)
            #expect(EventID(ids[1])?.time == 1234)
        }
    }

    static let invalid: [(body: String, type: String, place: String, number: Int?)] = [
        (#"{"type":"a"} {"type":"b"}"#, "application/json", "index", nil),
        (#"[{"type":"a"},{"type":7}]"#, "application/json", "index", 1),
        (#"[{"type":"a"},{"type":""}]"#, "application/json", "index", 1),
        (#"[{"type":"a"},{"x":1}]"#, "application/json", "index", 1),
        (#"[{"type":"a"},3]"#, "application/json", "index", 1),
        (#"[{"type":"a"}"#, "application/json", "index", nil),
        (#"{"type":"a","type":"b"}"#, "application/json", "index", 0),
        (#"{"type":"a","t\u0079pe":"b"}"#, "application/json", "index", 0),
        (#"{"type":"a\u0000"}"#, "application/json", "index", 0),
        (#"{"type":"a\u0085"}"#, "application/json", "index", 0),
        ("{\"type\":\"a\u{7F}\"}", "application/json", "index", 0),
        ("{\"type\":\"a\u{9F}b\"}", "application/json", "index", 0),
        (#"{"type":"a","time":"yesterday"}"#, "application/json", "index", 0),
        (#"{"type":"a","time":-1}"#, "application/json", "index", 0),
        (#"{"type":"a","time":1.5}"#, "application/json", "index", 0),
        (#"{"type":"a","time":null}"#, "application/json", "index", 0),
        (#"{"type":"a","time":999999999999999}"#, "application/json", "index", 0),
        ("[]", "application/json", "index", nil), ("", "application/json", "index", 0),
        ("", "application/x-ndjson", "line", nil), ("\n\n", "application/x-ndjson", "line", nil),
        ("{\"type\":\"a\"}\n\n{\"type\":\"b\"", "application/x-ndjson", "line", 3),
        ("{\"type\":\"a\"}\n{\"type\":\n\"b\"}", "application/x-ndjson", "line", 2),
        ("{\"type\":\"a\"}{\"type\":\"b\"}", "application/x-ndjson", "line", 1),
        ("[{\"type\":\"a\"}]", "application/x-ndjson", "line", 1),
        (#"{"type":"\#(String(repeating: "t", count: 101))"}"#, "application/json", "index", 0),
    ]

    @Test(arguments: invalid.indices)
    func anInvalidEventRefusesTheWholeRequest(_ index: Int) async throws {
        let (body, type, place, number) = Self.invalid[index]
        try await Fixture().run { client, store in
            let answer = try await client.post(body, key: "k", type: type)
            #expect(answer.status == .badRequest)
            #expect(answer.headers[.contentType] == "application/problem+json")
            #expect(answer.code == "invalid-events")
            #expect(answer.json[place] as? Int == number, "\(answer.text)")
            #expect((answer.json["reason"] as? String)?.isEmpty == false)
            #expect(try await store.fetchCount(in: EventKeys.events) == 0)
            // The key isn't used up.
            #expect(try await client.post(#"{"type":"a"}"#, key: "k").status == .created)
        }
    }

    @Test func limitsAreKept() async throws {
        var fixture = Fixture()
        fixture.settings.maximumEvents = 3
        fixture.settings.maximumEventBytes = 100
        fixture.settings.maximumBodyBytes = 1_024
        try await fixture.run { client, store in
            let line = "{\"type\":\"a\"}\n"
            #expect(try await client.post(String(repeating: line, count: 3)).status == .created)
            let many = try await client.post(String(repeating: line, count: 4))
            #expect(many.json["line"] as? Int == 4)
            let large = try await client.post(#"{"type":"a","x":"\#(String(repeating: "x", count: 100))"}"#)
            #expect(large.json["line"] as? Int == 1)
            let body = try await client.post(String(repeating: " ", count: 1_025))
            #expect(body.status == .contentTooLarge)
            #expect(body.code == "body-too-large")
            #expect(try await client.post(line, type: "text/plain").status == .unsupportedMediaType)
            #expect(try await store.fetchCount(in: EventKeys.events) == 3)
        }
    }

    @Test func eventsExpire() async throws {
        var fixture = Fixture()
        fixture.settings.retention = .seconds(60)
        let clock = fixture.clock
        try await fixture.run { client, _ in
            _ = try await client.post("{\"type\":\"a\",\"time\":5}")
            clock.advance(by: .seconds(59))
            #expect(try await client.read("/events/count").text == #"{"count":1}"#)
            clock.advance(by: .seconds(2))
            #expect(try await client.read("/events/count").text == #"{"count":0}"#)
            #expect(try await client.read("/events/count?type=a").text == #"{"count":0}"#)
        }
    }

    @Test func withoutAStoreTheSameAnswersCome() async throws {
        let collector = try await Fixture().collector(nil)
        try await collector.application().test(.router) { client in
            let answer = try await client.post("{\"type\":\"a\"}\n{\"type\":\"a\"}", key: "k")
            #expect(answer.ids.count == 2)
            #expect(try await client.post("{").status == .badRequest)
            #expect(try await client.read("/events").code == "no-store")
            #expect(try await client.read("/ready").status == .ok)
        }
    }
}
