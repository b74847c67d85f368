import HeartwoodCampaignSupport
import HeartwoodFileSystem
import Synchronization

/// The operating system's files, with random numbers that are the same each time.
final class FixedFileSystem: ForwardingFileSystem {
    let base: any FileSystem = POSIXFileSystem()
    private let numbers: [UInt64]
    private let drawn = Atomic(0)

    /// - Parameter numbers: The numbers that are drawn, in this order. A new store takes two for its id, then one for
    ///   each salt. Further numbers are made from the last one.
    init(_ numbers: [UInt64]) { self.numbers = numbers }

    func randomUInt64() -> UInt64 {
        let count = drawn.add(1, ordering: .relaxed).oldValue
        if count < numbers.count { return numbers[count] }
        return numbers.last! &+ UInt64(count - numbers.count + 1) &* 0x9E37_79B9
    }
}
