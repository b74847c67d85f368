import Testing

@testable import heartwood_bench

struct YCSBTests {
    private static func walk(_ mix: YCSBMix, worker: Int = 0) -> YCSBWalk {
        YCSBWalk(
            mix, keyCount: 1_000, valueCount: 100, worker: worker, of: 4, seed: UInt64(worker),
            zipfian: mix == .d ? Zipfian(1_000) : nil)
    }

    @Test(arguments: YCSBMix.allCases)
    func operationsHaveTheSharesOfTheMix(_ mix: YCSBMix) {
        var walk = Self.walk(mix)
        var (reads, updates, inserts, scans, changes) = (0, 0, 0, 0, 0)
        for _ in 0..<100_000 {
            switch walk.next() {
            case .read: reads += 1
            case .update: updates += 1
            case .insert: inserts += 1
            case .scan(_, let length):
                scans += 1
                #expect((1...100).contains(length))
            case .change: changes += 1
            }
        }
        let shares = mix.shares
        for (count, share) in [
            (reads, shares.reads), (updates, shares.updates), (inserts, shares.inserts), (scans, shares.scans),
            (changes, shares.changes),
        ] {
            #expect(abs(count - share * 1_000) < 700)
        }
    }

    /// A worker reads only keys that the store was filled with or that it has inserted. No two workers insert the same
    /// key.
    @Test func latestReadsFindTheirKeys() {
        var inserted: Set<Int> = []
        for worker in 0..<4 {
            var walk = Self.walk(.d, worker: worker)
            var own: Set<Int> = []
            var newest = 0
            var reads = 0
            for _ in 0..<20_000 {
                switch walk.next() {
                case .insert(let number, _):
                    #expect(number >= 1_000)
                    #expect(own.insert(number).inserted)
                    newest = number
                case .read(let number):
                    #expect((0..<1_000).contains(number) || own.contains(number))
                    if number == newest { reads += 1 }
                default: Issue.record("workload D only reads and inserts")
                }
            }
            // The newest key is read most often.
            #expect(reads > 1_000)
            #expect(inserted.isDisjoint(with: own))
            inserted.formUnion(own)
        }
    }
}
