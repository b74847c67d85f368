import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@Suite struct TraceTests {
    @Test func callsAreInOrderWithTheirFailures() throws {
        let disk = SimulatedDisk()
        let file = try disk.make("/f", [1])
        disk.note("made")
        expectError(ErrorNumber.ENOENT) { _ = try disk.openFile("/missing", for: .read) }
        disk.inject(Fault(.sync, .error(ErrorNumber.EIO)))
        expectError(ErrorNumber.EIO) { try file.sync(.data) }
        let trace = disk.trace
        #expect(
            trace.calls.map(\.description) == [
                "0: open /f", "1: write /f", "2: open /missing failed (2)", "3: sync /f failed (5, injected)",
            ])
        #expect(trace.calls.map(\.changesDisk) == [true, true, false, true])
        #expect(trace.callCount == 4)
        #expect(trace.events.count == 5)
        guard case .note(let note) = trace.events[2] else {
            Issue.record("no note")
            return
        }
        #expect(note as? String == "made")
    }

    @Test func laterCallsLeaveATraceUnchanged() throws {
        let disk = SimulatedDisk()
        try disk.make("/f", [1])
        let trace = disk.trace
        try disk.make("/g", [1])
        #expect(trace.callCount == 2)
        #expect(trace.crash(CrashState(events: 2, losses: .nothing)).image.files == ["/f"])
    }

    @Test func aCrashHasTheNotesTakenBeforeIt() throws {
        let disk = SimulatedDisk()
        disk.note(1)
        try disk.make("/f")
        disk.note("one")
        disk.note(2)
        try disk.syncDirectory("/")
        disk.note(3)
        let counts = disk.trace.crashStates().map { ($0.state.events, $0.noteCount, $0.notes(of: Int.self)) }
        #expect(counts.map(\.0) == [1, 4, 4, 6])
        #expect(counts.map(\.1) == [1, 3, 3, 4])
        #expect(counts.map(\.2) == [[1], [1, 2], [1, 2], [1, 2, 3]])
        let crash = disk.crash()
        #expect(crash.noteCount == 4)
        #expect(crash.notes(of: String.self) == ["one"])
        #expect(crash.lastCalls(1).map(\.operation) == [.syncDirectory])
    }

    @Test func nothingIsTracedAfterStopping() throws {
        let disk = SimulatedDisk()
        try disk.make("/f")
        disk.stopTracing()
        try disk.make("/g")
        disk.note(1)
        #expect(disk.trace.events.count == 1)
        #expect(disk.image.files == ["/f", "/g"])
    }

    @Test func observerIsCalledBeforeEveryCall() throws {
        let disk = SimulatedDisk()
        disk.observe { [weak disk] operation, path in disk?.note("\(operation) \(path)") }
        try disk.make("/f", [1])
        let events = disk.trace.events.map { event in
            switch event {
            case .call(let call): call.description
            case .note(let note): "\(note)"
            }
        }
        #expect(events == ["open /f", "0: open /f", "write /f", "1: write /f"])
    }

    @Test func randomNumbersFollowTheSeed() {
        let numbers = [UInt64(1), 1, 2].map { seed in
            let disk = SimulatedDisk(seed: seed)
            return [disk.randomUInt64(), disk.randomUInt64()]
        }
        #expect(numbers[0] == numbers[1])
        #expect(numbers[0] != numbers[2])
        #expect(numbers[0][0] != numbers[0][1])
    }
}
