import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@Suite struct TornWriteTests {
    private let disk = SimulatedDisk()

    @Test func writeIsTornAtSectors() throws {
        let file = try disk.makeDurably("/f", sectors(1, 1, 1))
        try file.write(sectors(2, 2, 2))
        var expected: Set<[UInt8]?> = []
        for bits in 0..<8 {
            expected.insert(sectors(bits & 1 == 0 ? 1 : 2, bits & 2 == 0 ? 1 : 2, bits & 4 == 0 ? 1 : 2))
        }
        #expect(disk.afterCrash(of: "/f") == expected)
    }

    @Test func sectorIsNeverTorn() throws {
        let file = try disk.makeDurably("/f", sectors(1, 1))
        try file.write([UInt8](repeating: 2, count: 300), at: 400)
        let tail = [UInt8](repeating: 1, count: 400) + [UInt8](repeating: 2, count: 112)
        let head = [UInt8](repeating: 2, count: 188) + [UInt8](repeating: 1, count: 324)
        #expect(
            disk.afterCrash(of: "/f") == [
                sectors(1, 1), tail + sectors(1), sectors(1) + head, tail + head,
            ])
    }

    @Test func writesOfOneSectorKeepTheirOrder() throws {
        let file = try disk.makeDurably("/f", [1, 1, 1])
        try file.write([2], at: 0)
        try file.write([3], at: 1)
        try file.write([4], at: 2)
        #expect(disk.afterCrash(of: "/f") == [[1, 1, 1], [2, 1, 1], [2, 3, 1], [2, 3, 4]])
    }

    @Test func writesOfDifferentSectorsHaveNoOrder() throws {
        let file = try disk.makeDurably("/f", sectors(1, 1))
        try file.write(sectors(2), at: 0)
        try file.write(sectors(3), at: 512)
        #expect(disk.afterCrash(of: "/f").contains(sectors(1, 3)))
        #expect(disk.afterCrash(of: "/f") == [sectors(1, 1), sectors(2, 1), sectors(1, 3), sectors(2, 3)])
    }

    @Test func filesHaveNoOrder() throws {
        let first = try disk.makeDurably("/1", [1])
        let second = try disk.makeDurably("/2", [1])
        try first.write([2])
        try second.write([2])
        var expected: Set<Picture> = []
        for one: UInt8 in 1...2 { for two: UInt8 in 1...2 { expected.insert(Picture(["/1": [one], "/2": [two]])) } }
        #expect(disk.afterCrash == expected)
    }
}
