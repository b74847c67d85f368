import HTTPTypes
import Heartwood
import Hummingbird
import HummingbirdTesting
import Testing

@testable import CollectorService

@Suite struct IdempotencyTests {
    private static let body = "{\"type\":\"a\"}\n{\"type\":\"b\",\"time\":7}"

    @Test func aRepeatedRequestHasTheSameAnswerAndWritesNothing() async throws {
        let fixture = Fixture()
        try await fixture.run { client, store in
            let first = try await client.post(Self.body, key: "k1")
            #expect(first.headers[.idempotentReplayed] == nil)
            fixture.clock.advance(by: .seconds(10))
            let written = try await store.fetchEntries(in: .all, reversed: false, limit: .max).entries
            let second = try await client.post(Self.body, key: "k1")
            #expect(second.status == .created)
            #expect(second.text == first.text)
            #expect(second.headers[.idempotentReplayed] == "true")
            let all = try await store.fetchEntries(in: .all, reversed: false, limit: .max).entries
            #expect(all.map(\.sequence) == written.map(\.sequence))
            #expect(try await client.post(Self.body, key: "k2").text != first.text)
            #expect(try await client.post(Self.body).text != first.text)
            #expect(try await store.fetchCount(in: EventKeys.events) == 6)
        }
    }

    /// After the clock was ahead, the store's time is later. What was acknowledged is there all the same.
    @Test func whatIsAcknowledgedExpiresByTheStoresTime() async throws {
        var fixture = Fixture()
        (fixture.settings.retention, fixture.settings.idempotency) = (.seconds(3_600), .seconds(3_600))
        let clock = fixture.clock
        try await fixture.run { client, _ in
            clock.advance(by: .seconds(86_400))
            _ = try await client.post(Self.body)
            clock.advance(by: .seconds(-86_400))
            let answer = try await client.post(Self.body, key: "k")
            #expect(try await client.read("/events/\(answer.ids[0])").status == .ok)
            #expect(try await client.post(Self.body, key: "k").text == answer.text)
        }
    }

    @Test func anotherBodyIsRefused() async throws {
        try await Fixture().run { client, store in
            #expect(try await client.post(Self.body, key: "k").status == .created)
            let answer = try await client.post(Self.body + " ", key: "k")
            #expect(answer.status == .unprocessableContent)
            #expect(answer.code == "idempotency-key-reused")
            #expect(try await store.fetchCount(in: EventKeys.events) == 2)
        }
    }

    @Test func keysBelongToAClient() async throws {
        try await Fixture().run { client, store in
            let first = try await client.post(Self.body, key: "k")
            let other = try await client.post(Self.body, key: "k", token: "other-secret-of-tests")
            #expect(other.status == .created)
            #expect(other.text != first.text)
            #expect(try await store.fetchCount(in: EventKeys.events) == 4)
        }
    }

    @Test func theAnswerSurvivesReopening() async throws {
        let fixture = Fixture()
        let answers = Answers()
        for _ in 0..<3 {
            try await fixture.run { client, store in
                await answers.append(try await client.post(Self.body, key: "k").text)
                #expect(try await store.fetchCount(in: EventKeys.events) == 2)
            }
            fixture.clock.advance(by: .seconds(60))
        }
        #expect(Set(await answers.texts).count == 1)
        // Without a key, each opening gives other ids.
        try await fixture.run { client, _ in
            await answers.append(try await client.post(Self.body).text)
        }
        #expect(Set(await answers.texts).count == 2)
    }

    @Test func anAnswerExpires() async throws {
        var fixture = Fixture()
        fixture.settings.idempotency = .seconds(60)
        let clock = fixture.clock
        try await fixture.run { client, store in
            let first = try await client.post(Self.body, key: "k")
            clock.advance(by: .seconds(61))
            #expect(try await client.post(Self.body, key: "k").text != first.text)
            #expect(try await store.fetchCount(in: EventKeys.events) == 4)
        }
    }

    @Test func ofConcurrentRequestsWithOneKeyOneIsWritten() async throws {
        try await Fixture().run { client, store in
            for round in 0..<10 {
                let texts = try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<8 { group.addTask { try await client.post(Self.body, key: "k\(round)").text } }
                    return try await group.reduce(into: Set<String>()) { $0.insert($1) }
                }
                #expect(texts.count == 1)
                #expect(try await store.fetchCount(in: EventKeys.events) == 2 * (round + 1))
            }
        }
    }

    @Test(arguments: ["", String(repeating: "k", count: 256)])
    func aKeyOfABadLengthIsRefused(_ key: String) async throws {
        try await Fixture().run { client, _ in
            let answer = try await client.post(Self.body, key: key)
            #expect(answer.code == "invalid-idempotency-key")
        }
    }

    @Test func recordsAreReadAsTheyWereWritten() {
        let digest = (0..<32).map { UInt8($0) }
        for times: [UInt64] in [[1], [5, 5, 5], [5, 6, 7], [Timestamps.end - 1, 0]] {
            let record = IdempotencyRecord(digest: digest, epoch: 7, firstNumber: 1 << 40, times: times)
            #expect(IdempotencyRecord(record.bytes) == record)
            for count in 0..<record.bytes.count {
                // A record that is cut off isn't read as the same one.
                #expect(IdempotencyRecord(Array(record.bytes.prefix(count))) != record)
            }
        }
    }

    private actor Answers {
        var texts: [String] = []
        func append(_ text: String) { texts.append(text) }
    }
}
