import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@Suite struct RandomFaultTests {
    private func injected(seed: UInt64, _ faults: RandomFaults, calls: Int = 500) throws -> [String] {
        let disk = SimulatedDisk(seed: seed)
        let file = try disk.make("/f", [UInt8](repeating: 1, count: 4000))
        disk.inject(faults)
        var buffer = [UInt8](repeating: 0, count: 4000)
        for number in 0..<calls {
            switch number % 4 {
            case 0: _ = try? buffer.withUnsafeBytes { try file.write($0, at: 0) }
            case 1: _ = try? buffer.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
            case 2: try? file.sync(.data)
            default: try? disk.syncDirectory("/")
            }
        }
        return disk.injected.map(\.description)
    }

    @Test func haveTheChosenFrequency() throws {
        #expect((50...150).contains(try injected(seed: 1, RandomFaults(oneIn: 5)).count))
        #expect(try injected(seed: 1, RandomFaults(oneIn: 1)).count == 500)
        #expect(try injected(seed: 1, RandomFaults(oneIn: 0)).count == 500)
    }

    @Test func concernTheChosenOperationsOnly() throws {
        let faults = try injected(seed: 1, RandomFaults(oneIn: 2, operations: [.sync, .syncDirectory]))
        #expect(!faults.isEmpty)
        #expect(faults.allSatisfy { $0.contains("sync") && $0.hasSuffix("injected)") })
    }

    @Test func leaveTheDisksRandomNumbersUnchanged() {
        let (plain, faulty) = (SimulatedDisk(seed: 9), SimulatedDisk(seed: 9))
        faulty.inject(RandomFaults(oneIn: 2))
        _ = try? faulty.kind(of: "/")
        #expect(plain.randomUInt64() == faulty.randomUInt64())
    }

    @Test func haveErrorsThatRealDisksReturn() throws {
        let disk = SimulatedDisk(seed: 3)
        disk.inject(RandomFaults(oneIn: 1))
        let codes = Set(
            (0..<200).compactMap { _ in
                (try? disk.openFile("/f", for: .create)) == nil ? disk.injected.last?.failure : nil
            })
        #expect(codes == [ErrorNumber.EMFILE, ErrorNumber.EIO, ErrorNumber.ENOSPC])
    }
}
