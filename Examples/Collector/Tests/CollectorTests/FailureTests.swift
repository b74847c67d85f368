import HTTPTypes
import Heartwood
import HeartwoodFileSystem
import HeartwoodTesting
import Hummingbird
import HummingbirdTesting
import Testing

@testable import CollectorService

/// What clients see when the disk fails or is full, and that nothing acknowledged is lost.
@Suite struct FailureTests {
    private static let event = "{\"type\":\"a\"}"

    @Test func aFullDiskIsA503ThatNamesAReason() async throws {
        let disk = SimulatedDisk(seed: 1)
        let fixture = Fixture(on: disk)
        try await fixture.run { client, store in
            #expect(try await client.post(Self.event, key: "k").status == .created)
            disk.capacity = 3 << 20
            // What fits in the preallocated space is still taken.
            let large = "{\"type\":\"a\",\"x\":\"\(String(repeating: "x", count: 60_000))\"}"
            var answer = try await client.post(large)
            for _ in 0..<4_000 where answer.status == .created { answer = try await client.post(large) }
            #expect(answer.status == .serviceUnavailable, "\(answer.text)")
            #expect(answer.code == "out-of-space")
            #expect(answer.headers[.retryAfter] == "30")
            #expect(answer.headers[.contentType] == "application/problem+json")
            // Reads work, also those of answers.
            #expect(try await client.read("/events?limit=1").status == .ok)
            disk.capacity = .max
        }
    }

    @Test func aServiceStartsOnAFullDiskAndTakesEventsWhenThereIsSpace() async throws {
        let disk = SimulatedDisk(seed: 3)
        let fixture = Fixture(on: disk)
        try await fixture.run { client, _ in _ = try await client.post(Self.event) }
        disk.capacity = 1
        try await fixture.run { client, store in
            #expect(try await client.read("/ready").json["state"] as? String == "outOfSpace")
            #expect(try await client.read("/events").events.count == 1)
            #expect(try await client.post(Self.event).code == "out-of-space")
            disk.capacity = .max
            // The store looks for space from time to time.
            while (store as? Store)?.statistics.state == .outOfSpace { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try await client.post(Self.event).status == .created)
            #expect(try await client.read("/ready").status == .ok)
            let ids = try await client.read("/events").events.compactMap { $0["id"] as? String }
            #expect(Set(ids).count == 2)
        }
    }

    /// What is acknowledged is there, by the store's time.
    @Test func anEventThatHasExpiredMeanwhileIsNotAcknowledged() async throws {
        let disk = SimulatedDisk(seed: 4)
        var fixture = Fixture(on: disk)
        fixture.settings.retention = .seconds(60)
        try await fixture.run { [clock = fixture.clock] client, _ in
            #expect(try await client.post(Self.event).status == .created)
            disk.observe { (operation, _) in if operation == .sync { clock.advance(by: .seconds(61)) } }
            let answer = try await client.post(Self.event)
            #expect(answer.status == .serviceUnavailable && answer.code == "clock-was-set")
        }
    }

    @Test func aFailedSyncIsReportedAndTheRequestCanBeRepeated() async throws {
        let disk = SimulatedDisk(seed: 2)
        let fixture = Fixture(on: disk)
        let store = try await fixture.open()
        try await fixture.collector(store).application().test(.router) { client in
            #expect(try await client.post(Self.event, key: "k1").status == .created)
            disk.inject(Fault([.sync], .error(ErrorNumber.EIO), times: .max))
            let failed = try await client.post(Self.event, key: "k2")
            // A sync in the background may fail first: then the request is refused, and nothing was written.
            if failed.code == "outcome-unknown" {
                #expect(failed.status == .internalServerError)
                #expect((failed.json["detail"] as? String)?.contains("same Idempotency-Key") == true)
            } else {
                #expect(failed.status == .serviceUnavailable)
                #expect(failed.code == "store-failed")
            }
            let refused = try await client.post(Self.event, key: "k3")
            #expect(refused.status == .serviceUnavailable)
            #expect(refused.code == "store-failed")
            let ready = try await client.read("/ready")
            #expect(ready.status == .serviceUnavailable)
            #expect(ready.json["state"] as? String == "failed")
            #expect(try await client.read("/health").status == .ok)
        }
        try? await store.end()
        disk.heal()
        // After a restart, the repeated request is written once, whatever became of the first attempt.
        try await fixture.run { client, store in
            let answer = try await client.post(Self.event, key: "k2")
            #expect(answer.status == .created)
            #expect(try await client.post(Self.event, key: "k2").headers[.idempotentReplayed] == "true")
            #expect(try await store.fetchCount(in: EventKeys.events) == 2)
        }
    }

    @Test func aClosedStoreIsA503() async throws {
        try await Fixture().run { client, store in
            try await store.end()
            let answer = try await client.post(Self.event)
            #expect(answer.status == .serviceUnavailable)
            #expect(answer.code == "store-closed")
            let ready = try await client.read("/ready")
            #expect(ready.status == .serviceUnavailable)
            #expect(ready.json["state"] as? String == "closed")
        }
    }

    /// What was answered with 201 is there after a crash at any moment; the rest is there as a whole, or not at all.
    @Test(arguments: 0..<8 as Range<UInt64>)
    func acknowledgedEventsSurviveACrash(seed: UInt64) async throws {
        let disk = SimulatedDisk(seed: seed)
        let fixture = Fixture(on: disk)
        let store = try await fixture.open()
        let crash = try await withStore(fixture, store) { client in
            for index in 0..<10 {
                let body = Array(repeating: Self.event, count: 3).joined(separator: "\n")
                let answer = try await client.post(body, key: "k\(index)")
                #expect(answer.status == .created)
            }
            return disk.crash(losing: seed == 0 ? .everything : .drawn(seed))
        }
        try? await store.end()
        try await Fixture(on: SimulatedDisk(image: crash.image)).run { client, store in
            #expect(try await store.fetchCount(in: EventKeys.events) == 30)
            let body = Array(repeating: Self.event, count: 3).joined(separator: "\n")
            let answer = try await client.post(body, key: "k9")
            #expect(answer.headers[.idempotentReplayed] == "true")
        }
    }

    private func withStore<R: Sendable>(
        _ fixture: Fixture, _ store: any KeyValueStore,
        _ body: @Sendable @escaping (any TestClientProtocol) async throws -> R
    ) async throws -> R {
        try await fixture.collector(store).application().test(.router) { try await body($0) }
    }

    @Test func codesHaveStatuses() {
        let expected: [(StoreError.Code, Int)] = [
            (.outOfSpace, 503), (.failed, 503), (.closed, 503), (.outcomeUnknown, 500), (.cancelled, 503),
            (.inputOutput, 503), (.corruption, 500), (StoreError.Code("new"), 500),
        ]
        for (code, status) in expected {
            let problem = Problem(StoreError(code, "message of the store"))
            #expect(problem.status.code == status)
            #expect(!problem.detail.contains("message of the store"), "internals are for the log")
        }
    }

    @Test func problemsAreJSON() {
        var problem = Problem(.badRequest, "a\"b", "line\n\u{1}\\")
        problem.members = [("line", .number(3)), ("text", .text("\"é"))]
        let text = String(decoding: problem.body, as: UTF8.self)
        #expect(
            text == #"{"type":"about:blank","title":"Bad Request","status":400,"code":"a\"b","#
                + #""detail":"line\u000a\u0001\\","line":3,"text":"\"é"}"#)
    }
}
