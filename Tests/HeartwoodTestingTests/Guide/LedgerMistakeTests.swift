import Heartwood
import HeartwoodTesting
import Testing

/// Crash tests find the mistakes that the guide shows, and find them again when they are replayed.
@Suite struct LedgerMistakeTests {
    private func careless(_ test: CrashTest) async throws {
        try await test.run { disk in
            try await pay(disk) { try await $0.carelessTransfer(10, from: "ada", to: "bob") }
        } check: { disk, crash in
            try await check(disk, crash)
        }
    }

    /// Finds a failure, and finds it again by its replay.
    ///
    /// The store's thread makes some of its calls earlier or later in the next runs; on a busy machine it may do so in
    /// all of them. Then the state or the fault means something else there, and both are done again.
    private func foundAndFoundAgain(
        by test: (CrashTest) async throws -> Void, replay: (CrashTest.Failure) -> CrashTest
    ) async throws -> (failure: CrashTest.Failure, again: CrashTest.Failure) {
        for _ in 0..<50 {
            let failure = try await #require(throws: CrashTest.Failure.self) { try await test(CrashTest()) }
            do {
                try await test(replay(failure))
            } catch let again as CrashTest.Failure {
                return (failure, again)
            } catch is CrashTest.NoSuchState {
                continue
            }
        }
        throw Broken("no replay found a failure again")
    }

    @Test func twoWritesAreFoundAndFoundAgain() async throws {
        let (failure, again) = try await foundAndFoundAgain(by: careless) {
            CrashTest(seed: $0.seed, only: CrashState("\($0.crash.state)"))
        }
        #expect(failure.cause is Broken)
        #expect("\(failure)".contains("90 and 0 don't make 100"), "\(failure)")
        #expect("\(failure)".contains("CrashTest(seed: 1, only: CrashState(\"\(failure.crash.state)\"))"))
        #expect(again.crash.state == failure.crash.state)
        #expect("\(again.cause)" == "\(failure.cause)")
        // The image of the first crash fails the check, whatever the workload did the second time.
        await #expect(throws: Broken.self) { try await check(SimulatedDisk(image: failure.crash.image), failure.crash) }
    }

    @Test func twoWritesAreFoundByFailingCallsToo() async throws {
        func failing(_ test: CrashTest) async throws {
            try await test.failEveryCall { disk in
                try await pay(disk) { try await $0.carelessTransfer(10, from: "ada", to: "bob") }
            } check: { disk, crash in
                try await check(disk, crash)
            }
        }
        let (failure, again) = try await foundAndFoundAgain(by: failing) {
            CrashTest(seed: $0.seed, only: $0.crash.state, fault: $0.fault)
        }
        let fault = try #require(failure.fault)
        #expect("\(failure)".contains(", fault: Fault([], .error(5), at: \(fault.first))"), "\(failure)")
        #expect("\(again.cause)" == "\(failure.cause)")
    }

    @Test(arguments: [Durability.buffered, .written])
    func promisesThatAreNotSyncedAreFound(durability: Durability) async throws {
        // On a busy machine, the store's background sync may run before a note: then there is nothing to find.
        for _ in 0..<50 {
            do {
                try await CrashTest().run { disk in
                    try await pay(disk, durability: durability) { try await $0.transfer(10, from: "ada", to: "bob") }
                } check: { disk, crash in
                    try await check(disk, crash)
                }
            } catch {
                #expect(error is CrashTest.Failure, "\(error)")
                return
            }
        }
        Issue.record("an acknowledgement without a sync was never found")
    }
}
