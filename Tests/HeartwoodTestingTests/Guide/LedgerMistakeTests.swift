import Heartwood
import HeartwoodFileSystem
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

    @Test func twoWritesAreFoundAndFoundAgain() async throws {
        let failure = try await #require(throws: CrashTest.Failure.self) { try await careless(CrashTest()) }
        #expect(failure.cause is Broken)
        #expect("\(failure)".contains("90 and 0 don't make 100"), "\(failure)")
        #expect("\(failure)".contains("CrashTest(seed: 1, only: CrashState(\"\(failure.crash.state)\"))"))

        let again = try await #require(throws: CrashTest.Failure.self) {
            try await careless(CrashTest(seed: failure.seed, only: CrashState("\(failure.crash.state)")))
        }
        #expect(again.crash.state == failure.crash.state)
        #expect("\(again.cause)" == "\(failure.cause)")
        // The image of the first crash fails the check, whatever the workload did the second time.
        await #expect(throws: Broken.self) { try await check(SimulatedDisk(image: failure.crash.image), failure.crash) }
    }

    @Test func keptImageFailsTheSameCheck() async throws {
        let directory = "/tmp/heartwood-tests-guide-\(UInt64.random(in: 0...UInt64.max))"
        let failure = try await #require(throws: CrashTest.Failure.self) {
            try await careless(CrashTest(evidence: directory))
        }
        let image = try DiskImage(readingFrom: try #require(failure.evidence))
        let again = await #expect(throws: CrashTest.Failure.self) {
            try await CrashTest(image: image).run { disk in
                for note in failure.crash.notes(of: Int.self) { disk.note(note) }
            } check: { disk, crash in
                try await check(disk, crash)
            }
        }
        #expect(again.map { "\($0.cause)" } == "\(failure.cause)")
        for path in (image.directories + image.files).sorted().reversed() {
            try POSIXFileSystem().remove(failure.evidence! + path)
        }
        try POSIXFileSystem().remove(failure.evidence!)
        try POSIXFileSystem().remove(directory)
    }

    @Test func twoWritesAreFoundByFailingCallsToo() async throws {
        func failing(_ test: CrashTest) async throws {
            try await test.failEveryCall { disk in
                try await pay(disk) { try await $0.carelessTransfer(10, from: "ada", to: "bob") }
            } check: { disk, crash in
                try await check(disk, crash)
            }
        }
        let failure = try await #require(throws: CrashTest.Failure.self) { try await failing(CrashTest()) }
        let fault = try #require(failure.fault)
        #expect("\(failure)".contains(", fault: Fault([], .error(5), at: \(fault.first))"), "\(failure)")
        // If the machine pauses for 50 ms between two calls, the store writes a sync mark between them, and a different
        // call fails: then run it again.
        var again: CrashTest.Failure?
        for _ in 0..<20 where again == nil {
            do {
                try await failing(CrashTest(seed: failure.seed, only: failure.crash.state, fault: failure.fault))
            } catch let found as CrashTest.Failure {
                again = found
            }
        }
        #expect(again.map { "\($0.cause)" } == "\(failure.cause)")
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
