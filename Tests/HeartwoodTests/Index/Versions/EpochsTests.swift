import Testing

@testable import Heartwood

/// When memory may be freed, with every interleaving of a few readers and the epochs.
@Suite struct EpochsTests {
    /// All sequences of seven steps: pin or unpin by one of three readers, or advance. The epoch never advances by more
    /// than one while a reader is pinned, and it does advance when no reader blocks it.
    @Test func everyShortSequence() throws {
        for code in 0..<1 << 14 {
            let epochs = Epochs()
            var pins: [(pin: Epochs.Pin, epoch: UInt64)?] = [nil, nil, nil]
            for step in 0..<7 {
                let choice = code >> (2 * step) & 3
                if choice < 3 {
                    if let pinned = pins[choice] {
                        epochs.unpin(pinned.pin)
                        pins[choice] = nil
                    } else {
                        pins[choice] = (epochs.pin(), epochs.current)
                    }
                } else {
                    let before = epochs.current
                    epochs.tryAdvance()
                    let isBlocked = pins.contains { $0 != nil && $0!.epoch < before }
                    try #require(epochs.current == (isBlocked ? before : before + 1), "\(code)")
                }
                for case .some(let pinned) in pins { try #require(epochs.current <= pinned.epoch + 1, "\(code)") }
            }
            for case .some(let pinned) in pins { epochs.unpin(pinned.pin) }
        }
    }

    @Test func errorsUnpin() {
        struct Failure: Error {}
        let epochs = Epochs()
        #expect(throws: Failure.self) { try epochs.pinned { throw Failure() } }
        let start = epochs.current
        for _ in 0..<4 { epochs.tryAdvance() }
        #expect(epochs.current == start + 4)
    }
}

/// Garbage is returned completely, exactly once, two epochs later.
@Suite struct LimboTests {
    @Test func everySequenceOfEpochsAndAdditions() throws {
        for code in 0..<1 << 12 {
            var limbo = Limbo()
            var pool = BlockPool()
            defer {
                limbo.destroy()
                pool.destroy()
            }
            var now: UInt64 = 3
            var waiting: [VersionBlock: UInt64] = [:]
            var waitingKeys: [UInt64: UInt64] = [:]
            for step in 0..<12 {
                if code >> step & 1 == 0 {
                    let block = pool.take()
                    limbo.add(block, at: now)
                    waiting[block] = now
                    let longKey = [1, 2, 3].withUnsafeBytes { LongKey($0) }
                    limbo.add(.longKey(longKey), at: now)
                    waitingKeys[longKey.word] = now
                } else {
                    now += 1
                    let expired = limbo.expired(in: now)
                    let isTwice = limbo.expired(in: now) != nil
                    try #require(expired != nil && !isTwice, "\(code): once in each epoch")
                    var blocks = expired!.blocks
                    while let block = blocks.popFirst() {
                        try #require(waiting.removeValue(forKey: block)! + 2 <= now, "\(code): too early")
                        limbo.freed(1)
                    }
                    for garbage in expired!.others {
                        guard case .longKey(let longKey) = garbage else { continue }
                        try #require(waitingKeys.removeValue(forKey: longKey.word)! + 2 <= now, "\(code): too early")
                        longKey.deallocate()
                        limbo.freed(1)
                    }
                }
                try #require(waiting.values.allSatisfy { $0 + 2 > now }, "\(code): too late")
                try #require(waitingKeys.values.allSatisfy { $0 + 2 > now }, "\(code): too late")
                try #require(limbo.weight == waiting.count + waitingKeys.count)
            }
        }
    }
}
