import Synchronization
import Testing

@testable import Heartwood

/// One writer and two readers at the same time. ThreadSanitizer checks more here than the expectations do.
@Suite struct IndexConcurrencyTests {
    /// Keys that every write sets: no reader may miss one, or see them set by different writes.
    static let pair: [[UInt8]] = [[0], [0xFF]]
    static let writes: UInt64 = 20_000

    private final class Flag: Sendable {
        let value = Atomic(false)
    }

    @Test func readersAlwaysSeeOneWholeWrite() async {
        let index = VersionedIndex()
        index.put(all: Self.pair, 1)
        let isDone = Flag()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await Self.write(to: index)
                isDone.value.store(true, ordering: .releasing)
            }
            for _ in 0..<2 {
                group.addTask {
                    var reads = 0
                    while reads < 100 || !isDone.value.load(ordering: .acquiring) {
                        Self.read(index)
                        reads += 1
                        await Task.yield()
                    }
                }
            }
        }
        index.publish(Self.writes)
        index.prune()
        #expect(index.checkInvariants() == nil)
        #expect(index.statistics.versions == index.statistics.keys)
        #expect(index.statistics.readPoints == 0)
    }

    /// Sets the pair, and adds and removes other keys, so that the tree constantly changes its shape.
    private static func write(to index: VersionedIndex) async {
        var random = SplitMix64(fromEnvironmentFor: "IndexConcurrencyTests")
        for sequence in 2...writes {
            let isGrowing = sequence / 500 % 2 == 0
            index.apply(sequence: sequence, publish: sequence % 3 == 0) { writer in
                for key in pair { writer.add(key, .value(sequence)) }
                for _ in 0..<8 {
                    let key = bigEndianKey(Int.random(in: 1...400, using: &random))
                    writer.add(key, isGrowing ? .value(sequence) : .tombstone(sequence))
                }
            }
            if sequence % 7 == 0 { index.publish(sequence - 1) }
            if sequence % 64 == 0 { await Task.yield() }
        }
    }

    private static func read(_ index: VersionedIndex) {
        let before = index.visibleSequence
        for key in pair {
            let version = index.find(key)
            #expect(version != nil && version!.sequence >= before)
        }
        let pinned = index.pinSequence()
        defer { index.release(pinned) }
        #expect(pinned >= before)
        let first = index.find(pair[0], at: pinned)
        let count = index.count(in: .all, at: pinned)
        let entries = index.entries(.all, at: pinned, reversed: true, limit: 50)
        #expect(first != nil && first == index.find(pair[1], at: pinned))
        #expect(entries.count == count && entries.allSatisfy { $0.version.sequence <= pinned })
        #expect(first?.sequence == pinned, "every write sets the pair")
    }
}
