internal import Synchronization

/// Numbers that threads share without a lock.
///
/// The invariant for `@unchecked Sendable`: the memory lives as long as the object, and only atomic operations access
/// it.
final class AtomicNumbers: @unchecked Sendable {
    private let numbers: UnsafeMutablePointer<Atomic<UInt64>>
    private let count: Int

    init(count: Int) {
        self.count = count
        numbers = .allocate(capacity: count)
        for index in 0..<count { (numbers + index).initialize(to: Atomic(0)) }
    }

    deinit {
        numbers.deinitialize(count: count)
        numbers.deallocate()
    }

    @inline(__always)
    subscript(_ index: Int) -> UInt64 {
        get { numbers[index].load(ordering: .acquiring) }
        set { numbers[index].store(newValue, ordering: .releasing) }
    }

    /// Never lets a number become smaller.
    @inline(__always)
    func raise(_ index: Int, to number: UInt64) {
        // Nearly always the number is large enough already.
        if numbers[index].load(ordering: .relaxed) < number {
            _ = numbers[index].max(number, ordering: .acquiringAndReleasing)
        }
    }

    func add(_ index: Int, _ number: UInt64) { numbers[index].add(number, ordering: .relaxed) }
}
