import Heartwood
import HeartwoodFileSystem
import Testing

/// What the campaign on real full disks has found.
@Suite struct FullDiskTests {
    private func open(_ disk: SmallFileSystem) throws -> Store {
        var configuration = Store.Configuration()
        configuration.fileSystem = disk
        configuration.commitBufferBytes = 64 << 10
        return try Store(openingAt: "/store", configuration: configuration)
    }

    private func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    /// It was asked for again and again, and until it had room, or others asked for some, the state was `.outOfSpace`.
    @Test(arguments: [false, true])
    func aValueLargerThanTheDiskLeftTheStoreOutOfSpace(keepsPart: Bool) async throws {
        let disk = SmallFileSystem(bytes: 8 << 20, keepsPart: keepsPart)
        let store = try open(disk)
        try await store.put("a", "1")
        let free = disk.free
        await expectError(.outOfSpace) { try await store.put("large", bytes(16 << 20)) }
        #expect(store.state == .ready)
        // A refused allocation kept what it could get, and left nothing for anybody.
        #expect(disk.free + (1 << 20) >= free)
        try await store.put("b", "1")
        try await store.close()
    }

    /// All who waited for room were refused for the sake of the largest.
    @Test func aValueLargerThanTheDiskHadOthersRefused() async throws {
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

    /// Room was laid in steps of up to 4 MiB, and where no step fitted, writes of a few bytes were refused.
    @Test(arguments: [false, true])
    func theLastMegabytesOfADiskWereRefused(keepsPart: Bool) async throws {
        let disk = SmallFileSystem(bytes: 12_345_678, keepsPart: keepsPart)
        let store = try open(disk)
        var accepted = 0
        var refused: StoreError?
        while refused == nil {
            do {
                try await store.put("k\(accepted)", bytes(10_000), durability: .written)
                accepted += 1
            } catch {
                refused = error
            }
        }
        #expect(refused?.code == .outOfSpace && store.state == .outOfSpace)
        #expect(disk.free < 40_000, "so much was left: \(disk.free)")
        disk.add(bytes: 1 << 20)
        for _ in 0..<200 where store.state != .ready { try await Task.sleep(for: .milliseconds(50)) }
        #expect(store.state == .ready)
        try await store.put("after", "1")
        try await store.close()
        let again = try open(disk)
        #expect(try Array(again.keys()).count == accepted + 1)
        try await again.close()
    }
}
