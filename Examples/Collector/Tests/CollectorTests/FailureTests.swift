import HTTPTypes
import Heartwood
import HeartwoodTesting
import HummingbirdTesting
import KeyValueStoreTesting
import Testing

@testable import collector

/// What clients see when the disk fails or is full, and that nothing acknowledged is lost.
@Suite struct FailureTests {
    @Test func aFullDiskIsA503ThatNamesAReason() async throws {
        let disk = SimulatedDisk(seed: 1)
        try await Fixture(on: disk.storage).run { client, _, _ in
            #expect(try await client.post(key: "k").status == .created)
            disk.capacity = 3 << 20
            // What fits in the preallocated space is still taken.
            let large = "{\"type\":\"a\",\"x\":\"\(String(repeating: "x", count: 60_000))\"}"
            var answer = try await client.post(large)
            for _ in 0..<4_000 where answer.status == .created { answer = try await client.post(large) }
            #expect(answer.status == .serviceUnavailable && answer.code == "out-of-space", "\(answer.text)")
            #expect(answer.headers[.retryAfter] == "30")
            #expect(answer.headers[.contentType] == "application/problem+json")
            #expect(try await client.read("/events?limit=1").status == .ok)
            disk.capacity = .max
        }
    }

    @Test func aServiceStartsOnAFullDiskAndTakesEventsWhenThereIsSpace() async throws {
        let disk = SimulatedDisk(seed: 3)
        let fixture = Fixture(on: disk.storage)
        try await fixture.run { client, _, _ in _ = try await client.post() }
        disk.capacity = 1
        try await fixture.run { client, _, store in
            #expect(try await client.read("/ready").json["state"] as? String == "outOfSpace")
            #expect(try await client.read("/events").events.count == 1)
            #expect(try await client.post().code == "out-of-space")
            disk.capacity = .max
            // The store looks for space from time to time.
            while (store as? Store)?.statistics.state == .outOfSpace { try await Task.sleep(for: .milliseconds(10)) }
            #expect(try await client.post().status == .created)
            #expect(try await client.read("/ready").status == .ok)
            let ids = try await client.read("/events").events.compactMap { $0["id"] as? String }
            #expect(Set(ids).count == 2)
        }
    }

    /// What is acknowledged is there, by the store's time.
    @Test func anEventThatHasExpiredMeanwhileIsNotAcknowledged() async throws {
        let disk = SimulatedDisk(seed: 4)
        let fixture = Fixture(on: disk.storage).with { $0.retention = .seconds(60) }
        try await fixture.run { [clock = fixture.clock] client, _, _ in
            #expect(try await client.post().status == .created)
            disk.observe { (operation, _) in if operation == .sync { clock.advance(by: .seconds(61)) } }
            let answer = try await client.post()
            #expect(answer.status == .serviceUnavailable && answer.code == "clock-was-set")
        }
    }

    @Test func aFailedSyncIsReportedAndTheRequestCanBeRepeated() async throws {
        let disk = SimulatedDisk(seed: 2)
        let fixture = Fixture(on: disk.storage)
        let store = try await fixture.open()
        try await fixture.collector(store).application().test(.router) { client in
            #expect(try await client.post(key: "k1").status == .created)
            disk.inject(Fault([.sync], .deviceError, times: .max))
            let failed = try await client.post(key: "k2")
            // A sync in the background may fail first: then the request is refused, and nothing was written.
            if failed.code == "outcome-unknown" {
                #expect(failed.status == .internalServerError)
                #expect((failed.json["detail"] as? String)?.contains("same Idempotency-Key") == true)
            } else {
                #expect(failed.status == .serviceUnavailable && failed.code == "store-failed")
            }
            let refused = try await client.post(key: "k3")
            #expect(refused.status == .serviceUnavailable && refused.code == "store-failed")
            let ready = try await client.read("/ready")
            #expect(ready.status == .serviceUnavailable && ready.json["state"] as? String == "failed")
            #expect(try await client.read("/health").text == #"{"status":"alive"}"#)
        }
        try? await store.end()
        disk.heal()
        // After a restart, the repeated request is written once, whatever became of the first attempt.
        try await fixture.run { client, _, store in
            let answer = try await client.post(key: "k2")
            #expect(answer.status == .created)
            #expect(try await client.post(key: "k2").headers[.idempotentReplayed] == "true")
            #expect(try await store.eventCount == 2)
        }
    }

    @Test(arguments: [Fixture(), Fixture(.gentle)]) func aClosedStoreIsA503(_ fixture: Fixture) async throws {
        try await fixture.run { client, _, store in
            #expect(try await client.read("/ready").text == #"{"ready":true,"state":"ready"}"#)
            try await store.end()
            let answer = try await client.post()
            #expect(answer.status == .serviceUnavailable && answer.code == "store-closed")
            let ready = try await client.read("/ready")
            #expect(ready.status == .serviceUnavailable && ready.json["state"] as? String == "closed")
            #expect(try await client.read("/metrics").status == .ok)
        }
    }

    /// What was answered with 201 is there after a crash at any moment; the rest is there as a whole, or not at all.
    @Test(arguments: 0..<8 as Range<UInt64>) func acknowledgedEventsSurviveACrash(seed: UInt64) async throws {
        let disk = SimulatedDisk(seed: seed)
        let fixture = Fixture(on: disk.storage)
        let body = Array(repeating: #"{"type":"a"}"#, count: 3).joined(separator: "\n")
        let store = try await fixture.open()
        let crash = try await fixture.collector(store).application().test(.router) { client in
            for index in 0..<10 {
                let answer = try await client.post(body, key: "k\(index)")
                #expect(answer.status == .created)
            }
            return disk.crash(losing: seed == 0 ? .everything : .drawn(seed))
        }
        try? await store.end()
        try await Fixture(on: SimulatedDisk(image: crash.image).storage).run { client, _, store in
            let again = try await client.post(body, key: "k9")
            #expect(try await store.eventCount == 30)
            #expect(again.headers[.idempotentReplayed] == "true")
        }
    }

    @Test(
        arguments: [
            (.outOfSpace, 503), (.failed, 503), (.closed, 503), (.outcomeUnknown, 500), (.cancelled, 503),
            (.inputOutput, 503), (.corruption, 500), (StoreError.Code("new"), 500),
        ] as [(StoreError.Code, Int)])
    func codesHaveStatuses(_ code: StoreError.Code, _ status: Int) {
        let problem = Problem(StoreError(code, "message of the store"))
        #expect(problem.status.code == status)
        #expect(!problem.detail.contains("message of the store"), "internals are for the log")
    }
}
