internal import CHeartwood

/// Who is reading, so that memory is freed only when nobody can have its address any more.
///
/// Time goes in epochs. A reader pins the epoch that it finds; the epoch moves on only when nobody is pinned in the one
/// before. What was made unreachable in epoch *e* is freed in *e* + 2: whoever could have found it was pinned in *e* or
/// before (after Fraser, "Practical lock-freedom", 2004). There are three sets of counters, for the present epoch, the one
/// before, and the one to come. A reader that was held up between reading the epoch and counting itself looks again
/// whether it is still the epoch, for it may have counted itself where nobody waits for it.
///
/// Counters lie in stripes, a cache line each, so that threads rarely share one. Measured: to pin and unpin costs 6 ns on an idle machine, 16 on a busy one.
final class Epochs: @unchecked Sendable {
    // Sound because the memory lives as long as this does, and is reached by atomic operations only.
    private let memory: UnsafeMutableRawPointer

    private static let stripes = 16
    private static let line = 64
    private static let first: UInt64 = 3

    /// What `pin` gave and `unpin` takes.
    struct Pin {
        fileprivate let counter: UnsafeMutableRawPointer
    }

    init() {
        let bytes = Self.line * (1 + 3 * Self.stripes)
        memory = .allocate(byteCount: bytes, alignment: Self.line)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        Shared.store64(Self.first, memory)
    }

    deinit { memory.deallocate() }

    /// The present epoch.
    var current: UInt64 { Shared.loadOrdered(memory) }

    @inline(__always)
    private func counter(_ epoch: UInt64, _ stripe: Int) -> UnsafeMutableRawPointer {
        memory + Self.line * (1 + Int(epoch % 3) * Self.stripes + stripe)
    }

    /// Until `unpin`, nothing is freed that this thread can reach from now on. Never waits.
    @inline(__always)
    func pin() -> Pin {
        let stripe = Int(heartwood_thread_stripe()) & (Self.stripes - 1)
        while true {
            let epoch = current
            let counter = counter(epoch, stripe)
            Shared.addOrdered(1, counter)
            if current == epoch { return Pin(counter: counter) }
            Shared.addReleasing(.max, counter)
        }
    }

    @inline(__always)
    func unpin(_ pin: Pin) { Shared.addReleasing(.max, pin.counter) }

    /// Calls `body` pinned.
    @inline(__always)
    func pinned<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        let pin = pin()
        defer { unpin(pin) }
        return try body()
    }

    /// Moves on to the next epoch, if nobody is pinned in the one before. By one thread at a time.
    func tryAdvance() {
        let epoch = current
        for stripe in 0..<Self.stripes where Shared.loadOrdered(counter(epoch &- 1, stripe)) != 0 { return }
        Shared.addOrdered(1, memory)
    }
}

/// What is out of reach and waits for its readers to be gone.
struct Limbo {
    /// What is rarer than blocks.
    enum Garbage {
        case longKey(LongKey)
        case chunk(UndoChunk)
        case directory(UndoDirectory)

        /// How much it counts, beside a block.
        var weight: Int {
            if case .chunk = self { return 8 }
            return 1
        }

        /// Frees what is no page of an arena.
        func deallocate() {
            switch self {
            case .longKey(let longKey): longKey.deallocate()
            case .directory(let directory): directory.deallocate()
            case .chunk: break
            }
        }
    }

    /// By the epoch in which it came, modulo 3.
    private var blocks = InlineArray<3, OldVersionQueue>(repeating: OldVersionQueue())
    private var others = InlineArray<3, [Garbage]>(repeating: [])
    /// The epoch up to which the three are sorted out.
    private var epoch: UInt64 = 0
    /// Of all that waits.
    private(set) var weight = 0

    mutating func add(_ block: VersionBlock, at epoch: UInt64) {
        weight += 1
        blocks[Int(epoch % 3)].append(block)
    }

    mutating func add(_ garbage: Garbage, at epoch: UInt64) {
        weight += garbage.weight
        others[Int(epoch % 3)].append(garbage)
    }

    /// What came two epochs ago, once in each epoch; to be called before anything is added in it.
    mutating func expired(in now: UInt64) -> (blocks: OldVersionQueue, others: [Garbage])? {
        guard now > epoch else { return nil }
        epoch = now
        // Two epochs ago is the next one, modulo 3; what lies there is that old or older.
        let oldest = Int((now + 1) % 3)
        defer {
            blocks[oldest] = OldVersionQueue()
            others[oldest] = []
        }
        return (blocks[oldest], others[oldest])
    }

    mutating func freed(_ weight: Int) { self.weight -= weight }

    /// For the end of everything: frees what lies outside of the arenas.
    func destroy() {
        for index in others.indices {
            for garbage in others[index] { garbage.deallocate() }
        }
    }
}
