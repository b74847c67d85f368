import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// Invariants of every trace, checked on random ones.
@Suite struct InvariantTests {
    private static let seed = testSeed("InvariantTests")
    private var seed: UInt64 { Self.seed }

    @Test(arguments: 0..<30)
    func hold(run: Int) throws {
        var work = RandomWork(seed: seed, run: UInt64(run))
        let disk = SimulatedDisk(seed: seed)
        for _ in 0..<60 { work.step(disk) }
        let trace = disk.trace
        try checkNothingAndEverything(trace, disk)
        try checkSequence(trace)
        work.syncEverything(disk)
        let end = disk.crash(losing: .nothing)
        #expect(end.possibleStates == 1)
        #expect(Picture(end.image) == Picture(disk.image))
    }

    /// `.nothing` is what users see. By number, `.everything` is the first state and `.nothing` the last.
    private func checkNothingAndEverything(_ trace: DiskTrace, _ disk: SimulatedDisk) throws {
        let end = trace.events.count
        let nothing = trace.crash(CrashState(events: end, losses: .nothing))
        #expect(Picture(nothing.image) == Picture(disk.image))
        guard nothing.possibleStates < .max else { return }
        let last = trace.crash(CrashState(events: end, losses: .numbered(nothing.possibleStates - 1)))
        #expect(Picture(last.image) == Picture(nothing.image))
        let everything = trace.crash(CrashState(events: end, losses: .everything))
        let first = trace.crash(CrashState(events: end, losses: .numbered(0)))
        #expect(Picture(first.image) == Picture(everything.image))
    }

    /// The sequence gives the same crash as each description alone, and as many as there are.
    private func checkSequence(_ trace: DiskTrace) throws {
        var perMoment: [Int: UInt64] = [:]
        for (number, crash) in trace.crashStates(limit: 8, seed: seed).enumerated() {
            perMoment[crash.state.events, default: 0] += 1
            guard number % 7 == 0 else { continue }
            let state = try #require(CrashState(crash.state.description))
            let again = trace.crash(state)
            #expect(again.image == crash.image, "\(state)")
            #expect(again.possibleStates == crash.possibleStates)
            #expect(again.noteCount == crash.noteCount)
            #expect(again.image.fingerprint() == crash.image.fingerprint())
        }
        for (events, count) in perMoment {
            let possible = trace.crash(CrashState(events: events, losses: .nothing)).possibleStates
            #expect(count == min(possible, 8), "after \(events)")
        }
    }

    @Test func sameSeedSameEverything() throws {
        let runs = (0..<2).map { _ in
            var work = RandomWork(seed: seed, run: 1000)
            let disk = SimulatedDisk(seed: seed)
            disk.inject(RandomFaults(oneIn: 10))
            for _ in 0..<200 { work.step(disk) }
            return disk
        }
        #expect(runs[0].trace.calls.map(\.description) == runs[1].trace.calls.map(\.description))
        #expect(runs[0].injected.map(\.description) == runs[1].injected.map(\.description))
        #expect(!runs[0].injected.isEmpty)
        let crashes = runs.map { $0.trace.crashStates(limit: 4, seed: seed).map { $0.image.fingerprint() } }
        #expect(crashes[0] == crashes[1])
    }

    /// The image of a crash is the start of the next run, and it is durable.
    @Test(arguments: 0..<10)
    func crashOfACrash(run: Int) throws {
        var work = RandomWork(seed: seed, run: UInt64(2000 + run))
        let disk = SimulatedDisk(seed: seed)
        for _ in 0..<40 { work.step(disk) }
        for crash in disk.trace.crashStates(limit: 3, seed: seed) {
            let next = SimulatedDisk(image: crash.image)
            #expect(next.image == crash.image)
            #expect(next.afterCrash == [Picture(crash.image)])
        }
    }
}

/// Random operations on a few files; some syncs fail.
private struct RandomWork {
    private var random: SeededRandom
    private var open: [String: any File] = [:]
    private let paths = ["/a", "/b", "/d/a", "/d/b"]

    init(seed: UInt64, run: UInt64) { random = SeededRandom(seed, run) }

    mutating func step(_ disk: SimulatedDisk) {
        let path = random.pick(paths)
        if random.oneIn(10) { disk.note(random.next()) }
        switch random.below(14) {
        case 0...5:
            let bytes = [UInt8](repeating: UInt8(random.below(3)), count: random.number(in: 1...1500))
            let offset = UInt64(random.below(2000))
            guard let file = file(path, disk) else { return }
            try? file.write(bytes, at: offset)
        case 6: try? file(path, disk)?.truncate(to: UInt64(random.below(3000)))
        case 7: try? file(path, disk)?.allocate(UInt64(random.number(in: 1...3000)), at: 0)
        case 8, 9: try? file(path, disk)?.sync(.data)
        case 10:
            disk.inject(Fault(.sync, .error(ErrorNumber.EIO)))
            try? file(path, disk)?.sync(.data)
        case 11: try? disk.syncDirectory(random.oneIn(2) ? "/" : "/d")
        case 12:
            let other = random.pick(paths)
            try? disk.rename(path, to: other)
            open[path] = nil
            open[other] = nil
        default:
            try? disk.remove(path)
            open[path] = nil
        }
    }

    /// Also makes durable what a failed sync has dropped, by writing it again.
    mutating func syncEverything(_ disk: SimulatedDisk) {
        disk.heal()
        for path in paths {
            guard let file = try? disk.openFile(path, for: .readWrite), let bytes = try? file.bytes() else { continue }
            // Also zeros beyond the end: a truncated sector may come back.
            try? file.truncate(to: 8192)
            try? file.write([UInt8](repeating: 1, count: 8192))
            try? file.write([UInt8](repeating: 0, count: 8192))
            try? file.truncate(to: UInt64(bytes.count))
            try? file.write(bytes)
            try? file.sync(.data)
        }
        try? disk.syncDirectory("/")
        if (try? disk.kind(of: "/d")) == .directory { try? disk.syncDirectory("/d") }
    }

    private mutating func file(_ path: String, _ disk: SimulatedDisk) -> (any File)? {
        if path.hasPrefix("/d"), (try? disk.kind(of: "/d")) == .some(nil) { try? disk.createDirectory("/d") }
        if let file = open[path] { return file }
        open[path] = (try? disk.openFile(path, for: .readWrite)) ?? (try? disk.openFile(path, for: .create))
        return open[path]
    }
}
