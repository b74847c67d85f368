import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@Suite struct SizeTests {
    private let disk = SimulatedDisk()

    @Test func sizeAndBytesBecomeDurableSeparately() throws {
        let file = try disk.makeDurably("/f", sectors(1))
        try file.write(sectors(2), at: 512)
        // The size without the bytes: zeros. The bytes without the size: none of them.
        #expect(disk.afterCrash(of: "/f") == [sectors(1), sectors(1, 0), sectors(1, 2)])
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 2)])
    }

    @Test func everySizeSinceTheLastSyncMayBeLeft() throws {
        let file = try disk.makeDurably("/f", [1, 1])
        try file.truncate(to: 4)
        try file.truncate(to: 1)
        #expect(disk.afterCrash(of: "/f") == [[1, 1], [1, 1, 0, 0], [1], [1, 0], [1, 0, 0, 0]])
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [[1]])
    }

    @Test func allocationExtendsByZerosAndIsPending() throws {
        let file = try disk.makeDurably("/f", [1])
        try file.allocate(3, at: 0)
        #expect(try file.bytes() == [1, 0, 0])
        #expect(disk.afterCrash(of: "/f") == [[1], [1, 0, 0]])
        try file.allocate(1, at: 0)
        #expect(try file.size() == 3)
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [[1, 0, 0]])
    }

    @Test func truncatedBytesComeBackAsZeros() throws {
        let file = try disk.makeDurably("/f", [1, 2, 3])
        try file.truncate(to: 1)
        try file.truncate(to: 3)
        #expect(try file.bytes() == [1, 0, 0])
        try file.sync(.data)
        #expect(disk.afterCrash(of: "/f") == [[1, 0, 0]])
    }

    @Test func truncatingZerosChangesTheSizeOnly() throws {
        let file = try disk.makeDurably("/f", [1, 0, 0])
        try file.truncate(to: 1)
        let crash = disk.crash(losing: .nothing)
        #expect(crash.possibleStates == 2)
        #expect(disk.afterCrash(of: "/f") == [[1, 0, 0], [1]])
    }

    @Test func newFileMayBeThereWithoutItsBytes() throws {
        let file = try disk.make("/f", [1])
        try disk.syncDirectory("/")
        #expect(disk.afterCrash(of: "/f") == [[], [0], [1]])
        try file.sync(.full)
        #expect(disk.afterCrash(of: "/f") == [[1]])
    }

    /// Allocated blocks whose bytes did not reach the disk hold what was in them earlier.
    @Test func garbageIsOnlyWhereTheFileNeverWas() throws {
        let file = try disk.makeDurably("/f", sectors(0, 0))
        try file.write(sectors(1, 1, 1))
        let events = disk.trace.events.count
        var hasGarbage = false
        for seed: UInt64 in 0..<400 {
            let crash = disk.trace.crash(CrashState(events: events, losses: .drawn(seed)))
            let bytes = try #require(crash.image[path: "/f"])
            for sector in 0..<2 {
                let part = Array(bytes[(sector * 512)..<((sector + 1) * 512)])
                #expect(part == sectors(0) || part == sectors(1), "\(crash.state)")
            }
            let last = Array(bytes[1024...])
            if !last.isEmpty, last != sectors(0), last != sectors(1) { hasGarbage = true }
        }
        #expect(hasGarbage)
    }
}
