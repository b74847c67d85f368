import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@Suite struct CrashSequenceTests {
    /// Two sectors written over synced ones: moments with 1, 2 and 4 states.
    private func trace() throws -> DiskTrace {
        var image = DiskImage()
        image[path: "/f"] = sectors(1, 1)
        let disk = SimulatedDisk(image: image)
        let file = try disk.openFile("/f", for: .readWrite)
        try file.write(sectors(2))
        _ = try file.size()
        try file.write(sectors(2), at: 512)
        try file.sync(.data)
        return disk.trace
    }

    @Test func smallMomentsHaveEveryState() throws {
        let crashes = try trace().crashStates().map(\.state.description)
        #expect(crashes == ["1/#0", "3/#0", "3/#1", "4/#0", "4/#1", "4/#2", "4/#3", "5/#0"])
    }

    @Test func largeMomentsHaveDrawnStates() throws {
        let crashes = Array(try trace().crashStates(limit: 3, seed: 5))
        let last = crashes.filter { $0.state.events == 4 }
        #expect(last.map(\.possibleStates) == [4, 4, 4])
        #expect(last[0].state.losses == .everything)
        #expect(last[1].state.losses == .nothing)
        guard case .drawn = last[2].state.losses else {
            Issue.record("\(last[2].state)")
            return
        }
        #expect(crashes.map(\.state) == Array(try trace().crashStates(limit: 3, seed: 5)).map(\.state))
        #expect(crashes.map(\.state) != Array(try trace().crashStates(limit: 3, seed: 6)).map(\.state))
    }

    @Test(arguments: [0..<3, 2..<4, 3..<5, 4..<5, 5..<6, 6..<9, 0..<0])
    func rangeSelectsMoments(range: Range<Int>) throws {
        let trace = try trace()
        let all = trace.crashStates().map(\.state).filter { range.contains($0.events) }
        #expect(trace.crashStates(in: range).map(\.state) == all)
    }

    @Test func emptyTraceHasOneState() throws {
        let trace = SimulatedDisk().trace
        #expect(trace.crashStates().map(\.state.description) == ["0/#0"])
    }

    @Test func moreStatesThanCanBeCounted() throws {
        let disk = SimulatedDisk()
        let file = try disk.make("/f")
        try file.write([UInt8](repeating: 1, count: 100 * 512))
        #expect(disk.crash().possibleStates == .max)
        #expect(disk.trace.crashStates(limit: 4).map(\.state.events) == [0, 1, 1, 2, 2, 2, 2])
    }

    /// Enough draws reach each state of a moment with several pending files, sizes and entries.
    @Test func drawnStatesCoverAMixedMoment() throws {
        let disk = SimulatedDisk()
        try disk.makeDurably("/a", sectors(1)).write(sectors(2))
        try disk.make("/b", [1])
        let trace = disk.trace
        let end = trace.events.count
        let drawn = (UInt64(0)..<3000).map { trace.crash(CrashState(events: end, losses: .drawn($0))).image }
        // Without garbage, which only draws contain.
        let found = Set(drawn.map { Picture($0) }.filter { ($0.files["/b"]?.first ?? 0) <= 1 })
        #expect(found == disk.afterCrash)
    }
}
