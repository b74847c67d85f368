import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@Suite struct CrashTestTests {
    private struct Wrong: Error {}

    /// Saves a file by way of a temporary one, with or without syncing it, and notes that it did.
    private func save(_ disk: SimulatedDisk, syncingFile: Bool = true) throws {
        let file = try disk.make("/tmp", [1])
        if syncingFile { try file.sync(.full) }
        try disk.rename("/tmp", to: "/f")
        try disk.syncDirectory("/")
        disk.note(true)
    }

    private func check(_ disk: SimulatedDisk, _ crash: Crash) throws {
        let bytes = try disk.kind(of: "/f") == nil ? nil : try disk.bytes(of: "/f")
        guard bytes == [1] || bytes == nil && crash.noteCount == 0 else { throw Wrong() }
    }

    @Test func checksEveryMoment() async throws {
        let report = try await CrashTest().run(workload: { try save($0) }, check: { try check($0, $1) })
        #expect(report.calls == 5)
        // No file; the temporary file empty, as zeros, and whole; the file under its name, without and with the note.
        #expect(report.crashes == 6)
        #expect("\(report)" == "5 calls, 6 crashes with 5 images, 0 faults")
    }

    @Test func findsAMissingSync() async throws {
        let failure = try await #require(throws: CrashTest.Failure.self) {
            try await CrashTest().run(workload: { try save($0, syncingFile: false) }, check: { try check($0, $1) })
        }
        #expect(failure.cause is Wrong)
        #expect(failure.crash.image[path: "/f"] != [1])
        #expect("\(failure)".contains("2: rename /tmp"))
    }

    @Test func failsEveryCallOnceAndFromThenOn() async throws {
        var failed: [[Int]] = []
        let report = try await CrashTest().failEveryCall { disk in
            defer { failed.append(disk.injected.map(\.number)) }
            try save(disk)
        } check: {
            try check($0, $1)
        }
        // The workload stops at the first error, so one failure and unlimited ones are the same. The last run has none.
        #expect(failed == [[0], [1], [2], [3], [4], [], [0], [1], [2], [3], [4], []])
        #expect(report.faults == 10)
    }

    @Test func workloadThatThrowsFailsTheTest() async {
        await #expect(throws: Wrong.self) {
            try await CrashTest().run(workload: { _ in throw Wrong() }, check: { _, _ in })
        }
    }

    @Test func theWorkloadMayFailWithAFault() async throws {
        let test = CrashTest(fault: Fault(.rename, .error(ErrorNumber.EIO)))
        let report = try await test.run(workload: { try save($0) }, check: { try check($0, $1) })
        #expect(report.faults == 1 && report.calls == 4 && report.crashes > 1)
    }

    @Test func checksOneStateOnly() async throws {
        var states: [CrashState] = []
        let state = try #require(CrashState("2/#1"))
        let test = CrashTest(only: state)
        let report = try await test.run(workload: { try save($0) }, check: { states.append($1.state) })
        #expect(states == [state])
        #expect(report.crashes == 1)
        #expect(report.calls == 50)
    }

    /// Every third run makes one more call first, as a thread of a store may do.
    @Test func repeatsAVaryingWorkloadUntilTheStateIsThere() async throws {
        var runs = 0
        let state = try #require(CrashState("3/everything"))
        let failure = await #expect(throws: CrashTest.Failure.self) {
            try await CrashTest(only: state).run { disk in
                runs += 1
                if runs % 3 == 0 { _ = try disk.make("/other") }
                try disk.make("/f").sync(.full)
                try disk.syncDirectory("/")
            } check: { _, crash in
                if crash.lastCalls(9).contains(where: { $0.path == "/other" }) { throw Wrong() }
            }
        }
        #expect(failure?.crash.state == state)
        #expect(runs == 3)
    }

    @Test func aStateThatNoTraceHasIsAnError() async throws {
        let test = CrashTest(only: CrashState("99/#1"))
        let error = await #expect(throws: CrashTest.NoSuchState.self) {
            try await test.run(workload: { try save($0) }, check: { _, _ in })
        }
        #expect("\(try #require(error))".hasPrefix("the crash is after 99 events, and there were at most 6"))
    }

    @Test func startsWithItsImage() async throws {
        var image = DiskImage()
        image[path: "/there"] = [7]
        try await CrashTest(image: image).run(workload: { _ in }, check: { disk, _ in #expect(disk.image == image) })
    }

    @Test func keepsTheImageOfAFailure() async throws {
        let directory = "/tmp/heartwood-tests-evidence-\(UInt64.random(in: 0...UInt64.max))"
        let files = POSIXFileSystem()
        let test = CrashTest(only: CrashState("3/nothing"), evidence: directory)
        for name in ["crash-3-nothing", "crash-3-nothing.2"] {
            let failure = try await #require(throws: CrashTest.Failure.self) {
                try await test.run(workload: { try save($0) }, check: { _, _ in throw Wrong() })
            }
            let path = try #require(failure.evidence)
            #expect(path == directory + "/" + name)
            #expect("\(failure)".contains("kept in \(path)"))
            #expect(try DiskImage(readingFrom: path) == failure.crash.image)
        }
        for name in try files.contents(ofDirectory: directory) {
            try files.remove(directory + "/" + name + "/tmp")
            try files.remove(directory + "/" + name)
        }
        try files.remove(directory)
    }

    @Test func aFailureSaysHowToReplayIt() async throws {
        let fault = Fault([.write, .sync], .errorHalfway(28), path: ".log", at: 2, times: .max)
        let failure = try await #require(throws: CrashTest.Failure.self) {
            try await CrashTest(seed: 9, only: CrashState("0/#0"), fault: fault)
                .run(workload: { _ in }, check: { _, _ in throw Wrong() })
        }
        #expect(
            failure.replay
                == "CrashTest(seed: 9, only: CrashState(\"0/#0\"), "
                + "fault: Fault([.sync, .write], .errorHalfway(28), path: \".log\", at: 2, times: .max))")
    }
}
