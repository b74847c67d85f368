import HeartwoodFileSystem
import HeartwoodTesting
import Testing

/// Files take space in blocks of 4 KiB.
@Suite struct CapacityTests {
    private let block = 4096

    private func disk(blocks: Int) throws -> (SimulatedDisk, any File) {
        let disk = SimulatedDisk()
        disk.capacity = UInt64(blocks * block)
        return (disk, try disk.make("/f"))
    }

    private func ones(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

    @Test func fullDiskRefusesWritesThatNeedSpace() throws {
        let (disk, file) = try disk(blocks: 2)
        try file.write(ones(2 * block))
        expectError(ErrorNumber.ENOSPC, .write) { try file.write([1], at: UInt64(2 * block)) }
        expectError(ErrorNumber.ENOSPC, .allocate) { try file.allocate(1, at: UInt64(2 * block)) }
        try file.write([2], at: 5000)
        try file.allocate(UInt64(2 * block), at: 0)
        try file.sync(.data)
        #expect(try disk.bytes(of: "/f").count == 2 * block)
        #expect(disk.injected.isEmpty)
    }

    @Test func writeIsShortIfPartOfItFits() throws {
        let (_, file) = try disk(blocks: 2)
        #expect(try ones(3 * block).withUnsafeBytes { try file.write($0, at: 100) } == 2 * block - 100)
        expectError(ErrorNumber.ENOSPC) {
            _ = try ones(1).withUnsafeBytes { try file.write($0, at: UInt64(2 * block)) }
        }
    }

    @Test func allocationReservesSpace() throws {
        let (disk, file) = try disk(blocks: 2)
        try file.allocate(UInt64(2 * block), at: 0)
        let other = try disk.make("/g")
        expectError(ErrorNumber.ENOSPC) { try other.write([1]) }
        try file.write(ones(2 * block))
    }

    @Test func holesTakeNoSpace() throws {
        let (_, file) = try disk(blocks: 1)
        try file.truncate(to: 1 << 20)
        try file.write([1], at: 1 << 19)
        expectError(ErrorNumber.ENOSPC) { try file.write([1], at: 0) }
    }

    @Test func truncatingFreesSpace() throws {
        let (_, file) = try disk(blocks: 2)
        try file.write(ones(2 * block))
        try file.truncate(to: UInt64(block + 1))
        expectError(ErrorNumber.ENOSPC) { try file.write([1], at: UInt64(2 * block)) }
        try file.truncate(to: UInt64(block))
        try file.write([1], at: UInt64(2 * block))
    }

    @Test func removedFileTakesSpaceWhileItIsOpen() throws {
        let (disk, file) = try disk(blocks: 1)
        try file.write([1])
        let other = try disk.make("/g")
        let again = try disk.openFile("/f", for: .read)
        try disk.remove("/f")
        try file.close()
        expectError(ErrorNumber.ENOSPC) { try other.write([1]) }
        try again.close()
        try other.write([1])
    }

    @Test func replacedFileTakesSpaceUntilItsLastHandleIsReleased() throws {
        let disk = SimulatedDisk()
        disk.capacity = UInt64(2 * block)
        try disk.make("/f", [1]).close()
        do {
            let open = try disk.openFile("/f", for: .read)
            try disk.make("/g", [2]).close()
            try disk.rename("/g", to: "/f")
            expectError(ErrorNumber.ENOSPC) { try disk.make("/h", [3]) }
            withExtendedLifetime(open) {}
        }
        try disk.openFile("/h", for: .readWrite).write([3])
        #expect(try disk.bytes(of: "/f") == [2])
    }

    @Test func initialFilesTakeSpace() throws {
        var image = DiskImage()
        image[path: "/f"] = ones(block + 1)
        let disk = SimulatedDisk(image: image)
        disk.capacity = UInt64(3 * block)
        try disk.make("/g", [1])
        expectError(ErrorNumber.ENOSPC) { try disk.make("/h", [1]) }
        disk.capacity = .max
        try disk.make("/i", ones(9 * block))
    }
}
