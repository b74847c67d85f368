import Foundation
import HTTPTypes
import Heartwood
import HummingbirdTesting
import Testing

@testable import collector

@Suite struct IngestTests {
    private static let two = "{\"type\":\"a\"}\n{\"type\":\"b\",\"time\":7}"

    @Test(arguments: [
        (#"{"type":"a"}"#, "application/json; charset=utf-8", 1), (#"{"type":"a"}"#, "APPLICATION/JSON", 1),
        (#" [{"type":"a"} , {"type":"b","x":[1,{}]}] "#, "application/json", 2),
        ("{\"type\":\"a\"}\r\n\n {\"type\":\"b\"} \n", "application/x-ndjson", 2), (two, "application/jsonl", 2),
    ])
    func anObjectAnArrayAndLinesAreTaken(_ body: String, _ type: String, _ count: Int) async throws {
        try await Fixture().run { client, _, store in
            let answer = try await client.post(body, type: type)
            #expect(answer.status == .created && Set(answer.ids).count == count)
            #expect(try await store.eventCount == count)
        }
    }

    @Test func theBytesOfAnEventAreKept() async throws {
        let fixture = Fixture()
        try await fixture.run { client, _, _ in
            let object =
                #"{ "type" : "caf\u00e9" , "n": 1.50e+2, "text":"é\/𝄞", "time":"2026-11-26T09:30:00.5+01:00" }"#
            let id = try await client.post("[\(object)]", type: "application/json").ids[0]
            let event = try await client.read("/events/\(id)")
            #expect(event.text == #"{"id":"\#(id)","time":"2026-11-26T08:30:00.500Z","event":\#(object)}"#)
            #expect(try await client.read("/events?type=caf%C3%A9").events.count == 1)
            #expect(try await client.read("/events/count?type=caf%C3%A9").text == #"{"count":1}"#)
            // Without a time, that of the arrival.
            #expect(EventID(try await client.post().ids[0])?.time == fixture.clock.now().milliseconds)
            #expect(EventID(try await client.post(#"{"type":"a","time":1234}"#).ids[0])?.time == 1_234)
        }
    }

    static let invalid: [(body: String, isLines: Bool, number: Int?)] = [
        (#"{"type":"a"} {"type":"b"}"#, false, nil), (#"[{"type":"a"},{"type":7}]"#, false, 1),
        (#"[{"type":"a"},{"type":""}]"#, false, 1), (#"[{"type":"a"},{"x":1}]"#, false, 1),
        (#"[{"type":"a"},3]"#, false, 1), (#"[{"type":"a"}"#, false, nil), (#"{"type":"a","type":"b"}"#, false, 0),
        (#"{"type":"a","t\u0079pe":"b"}"#, false, 0), (#"{"type":"a\u0000"}"#, false, 0),
        (#"{"type":"a\u0085"}"#, false, 0), ("{\"type\":\"a\u{7F}\"}", false, 0), ("{\"type\":\"a\u{9F}b\"}", false, 0),
        (#"{"type":"a","time":"yesterday"}"#, false, 0), (#"{"type":"a","time":-1}"#, false, 0),
        (#"{"type":"a","time":1.5}"#, false, 0), (#"{"type":"a","time":null}"#, false, 0),
        (#"{"type":"a","time":999999999999999}"#, false, 0), ("[]", false, nil), ("", false, 0), ("", true, nil),
        (#"{"type":"a","time":1,"time":2}"#, false, 0), ("\n\n", true, nil),
        ("{\"type\":\"a\"}\n\n{\"type\":\"b\"", true, 3), ("{\"type\":\"a\"}\n{\"type\":\n\"b\"}", true, 2),
        ("{\"type\":\"a\"}{\"type\":\"b\"}", true, 1), ("[{\"type\":\"a\"}]", true, 1),
        (#"{"type":"\#(String(repeating: "t", count: 101))"}"#, false, 0),
    ]

    @Test(arguments: invalid.indices)
    func anInvalidEventRefusesTheWholeRequest(_ index: Int) async throws {
        let (body, isLines, number) = Self.invalid[index]
        try await Fixture().run { client, _, store in
            let answer = try await client.post(
                body, key: "k", type: isLines ? "application/x-ndjson" : "application/json")
            #expect(answer.status == .badRequest && answer.code == "invalid-events")
            #expect(answer.headers[.contentType] == "application/problem+json")
            #expect(answer.json[isLines ? "line" : "index"] as? Int == number, "\(answer.text)")
            #expect((answer.json["reason"] as? String)?.isEmpty == false && answer.json["offset"] is Int)
            #expect(try await store.eventCount == 0)
            // The key isn't used up.
            #expect(try await client.post(key: "k").status == .created)
        }
    }

    @Test func limitsAreKept() async throws {
        let fixture = Fixture().with {
            ($0.maximumEvents, $0.maximumEventBytes, $0.maximumBodyBytes) = (3, 100, 1_024)
        }
        try await fixture.run { client, _, store in
            let line = "{\"type\":\"a\"}\n"
            #expect(try await client.post(String(repeating: line, count: 3)).status == .created)
            #expect(try await client.post(String(repeating: line, count: 4)).json["line"] as? Int == 4)
            let large = try await client.post(#"{"type":"a","x":"\#(String(repeating: "x", count: 100))"}"#)
            #expect(large.json["line"] as? Int == 1)
            let body = try await client.post(String(repeating: " ", count: 1_025))
            #expect(body.status == .contentTooLarge && body.code == "body-too-large")
            #expect(try await client.post(line, type: "text/plain").status == .unsupportedMediaType)
            for key in ["", String(repeating: "k", count: 256)] {
                #expect(try await client.post(key: key).code == "invalid-idempotency-key")
            }
            #expect(try await store.eventCount == 3)
        }
    }

    @Test func eventsExpire() async throws {
        let fixture = Fixture().with { $0.retention = .seconds(60) }
        try await fixture.run { [clock = fixture.clock] client, _, _ in
            _ = try await client.post(#"{"type":"a","time":5}"#)
            clock.advance(by: .seconds(59))
            #expect(try await client.read("/events/count").count == 1)
            clock.advance(by: .seconds(2))
            #expect(try await client.read("/events/count").count == 0)
            #expect(try await client.read("/events/count?type=a").count == 0)
        }
    }

    @Test func withoutAStoreTheSameAnswersCome() async throws {
        try await Fixture().collector(nil).application().test(.router) { client in
            let answer = try await client.post(Self.two, key: "k")
            #expect(answer.ids.count == 2)
            #expect(try await client.post("{").status == .badRequest)
            #expect(try await client.read("/events").code == "no-store")
            #expect(try await client.read("/ready").text == #"{"ready":true,"state":"none"}"#)
        }
    }

    // MARK: Idempotency

    @Test func aRepeatedRequestHasTheSameAnswerAndWritesNothing() async throws {
        let fixture = Fixture()
        try await fixture.run { client, _, store in
            let first = try await client.post(Self.two, key: "k1")
            #expect(first.headers[.idempotentReplayed] == nil)
            fixture.clock.advance(by: .seconds(10))
            let written = try await store.entries.map(\.sequence)
            let second = try await client.post(Self.two, key: "k1")
            #expect(second.status == .created && second.headers[.idempotentReplayed] == "true")
            #expect(second.text == first.text)
            #expect(try await store.entries.map(\.sequence) == written)
            let reused = try await client.post("{\"type\":\"c\"}", key: "k1")
            #expect(reused.status == .unprocessableContent && reused.code == "idempotency-key-reused")
            // Another key, none, and that of another client.
            for (key, token) in [("k2", Fixture.write), (nil, Fixture.write), ("k1", Fixture.other)] {
                let other = try await client.post(Self.two, key: key, token: token)
                #expect(other.status == .created && other.text != first.text)
            }
            #expect(try await store.eventCount == 8)
        }
    }

    /// After the clock was ahead, the store's time is later. What was acknowledged is there all the same.
    @Test func whatIsAcknowledgedExpiresByTheStoresTime() async throws {
        let fixture = Fixture().with { ($0.retention, $0.idempotency) = (.seconds(3_600), .seconds(3_600)) }
        try await fixture.run { [clock = fixture.clock] client, _, _ in
            clock.advance(by: .seconds(86_400))
            _ = try await client.post(Self.two)
            clock.advance(by: .seconds(-86_400))
            let answer = try await client.post(Self.two, key: "k")
            #expect(try await client.read("/events/\(answer.ids[0])").status == .ok)
            #expect(try await client.post(Self.two, key: "k").text == answer.text)
        }
    }

    @Test func anAnswerSurvivesReopeningUntilItExpires() async throws {
        let fixture = Fixture().with { $0.idempotency = .seconds(200) }
        var answers: [String] = []
        for (opening, key) in ["k", "k", "k", nil, "k"].enumerated() {
            let answer = try await fixture.run { client, _, store in
                let answer = try await client.post(Self.two, key: key).text
                #expect(try await store.eventCount == 2 * max(1, opening - 1))
                return answer
            }
            answers.append(answer)
            fixture.clock.advance(by: .seconds(60))
        }
        // Without a key, and after the answer has expired, each opening gives other ids.
        #expect(Set(answers.prefix(3)).count == 1)
        #expect(Set(answers).count == 3)
    }

    @Test func ofConcurrentRequestsWithOneKeyOneIsWritten() async throws {
        try await Fixture().run { client, _, store in
            for round in 0..<10 {
                let texts = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<8 { group.addTask { try await client.post(Self.two, key: "k\(round)").text } }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                #expect(texts.count == 1)
                #expect(try await store.eventCount == 2 * (round + 1))
            }
        }
    }
}
