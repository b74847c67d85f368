import Heartwood
import HeartwoodFileSystem
import Testing

/// Regression tests for errors found by the campaign on real full disks.
@Suite struct FullDiskTests {
    private func open(_ disk: SmallFileSystem) throws -> Store {
        try Store(openingAt: "/store", configuration: Store.Configuration(in: disk, commitBufferBytes: 64 << 10))
    }

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    @Test(arguments: [false, true])
    func aValueLargerThanTheDiskLeavesTheStoreReady(keepsPart: Bool) async throws {
        let disk = SmallFileSystem(bytes: 8 << 20, keepsPart: keepsPart)
        let store = try open(disk)
        try await store.put("a", "1")
        let free = disk.free
        await expectError(.outOfSpace) { try await store.put("large", bytes(16 << 20)) }
        #expect(store.state == .ready)
        // A refused allocation gives back the space that it got.
        #expect(disk.free + (1 << 20) >= free)
        try await store.put("b", "1")
        try await store.close()
    }

    /// Writers that wait for space are not refused because of the largest request.
    @Test func aValueLargerThanTheDiskDoesNotRefuseOtherWrites() async throws {
        let disk = SmallFileSystem(bytes: 64 << 20)
        let store = try open(disk)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<50 {
                        try await store.put("\(task)-\(number)", bytes(20_000), durability: .buffered)
                    }
                }
            }
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<20 {
                        await expectError(.outOfSpace) { try await store.put("large", bytes(80 << 20)) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.state == .ready)
        #expect(store.statistics.lastSequence == 400)
        try await store.close()
    }

    /// Preallocation takes steps of up to 4 MiB, and smaller steps if these don't fit.
    @Test(arguments: [false, true])
    func theLastMegabytesOfADiskAreUsed(keepsPart: Bool) async throws {
        let disk = SmallFileSystem(bytes: 12_345_678, keepsPart: keepsPart)
        let store = try open(disk)
        var accepted: UInt64 = 0
        let refused = await firstRefusal { number in
            accepted = try await store.put("k\(number)", bytes(10_000), durability: .written)
        }
        #expect(refused?.code == .outOfSpace && store.state == .outOfSpace)
        #expect(disk.free < 40_000, "free: \(disk.free)")
        #expect(try store.get("k0") != nil)
        disk.add(bytes: 1 << 20)
        // Without a write, the store checks the disk on its own.
        for _ in 0..<6_000 where store.state != .ready { try await Task.sleep(for: .milliseconds(50)) }
        #expect(store.state == .ready)
        #expect(try await store.put("after", "1") == accepted + 1, "a refused write has no number")
        try await store.close()
        let again = try open(disk)
        #expect(try Array(again.scan().keys).count == Int(accepted) + 1)
        try await again.close()
    }
}
