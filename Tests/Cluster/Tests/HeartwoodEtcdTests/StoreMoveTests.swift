import ClusterSupport
import Foundation
import HeartwoodEtcd
import KeyValueStore
import KeyValueStoreTesting
import Testing

/// Moves between an engine in memory and the cluster.
@Suite(.onCluster, .timeLimit(.minutes(5)))
struct StoreMoveTests {
    /// Keys, values and expiries.
    private func contents(_ store: any KeyValueStore) async throws -> [[UInt8]: [String]] {
        let entries = try await store.fetchEntries(in: .all, reversed: false, limit: .max).entries
        return Dictionary(
            uniqueKeysWithValues: entries.map { ($0.key, ["\($0.value)", "\($0.expires?.milliseconds ?? 0)"]) })
    }

    @Test func movesThereAndBack() async throws {
        let first = ConstrainedStore()
        for number in 0..<600 {
            try await first.put(
                "key:\(number)", "\(number)", expires: number % 7 == 0 ? .after(.seconds(3_600)) : .never)
        }
        let cluster = try await EtcdStore.open(TestCluster.configuration())
        let move = StoreMove(from: first, to: cluster)
        let summary = try await move.synchronize()
        #expect(summary.keys == 600 && summary.changed == 600)
        #expect(try await move.synchronize().changed == 0)
        // Interrupted, and changed meanwhile on both sides.
        try await first.put("key:5", "new")
        try await cluster.put("key:6", "wrong")
        try await cluster.put("stray", "")
        try await first.remove("key:7")
        #expect(try await move.synchronize().changed == 4)
        #expect(try await move.finish() == 599)
        #expect(try await contents(cluster) == contents(first))
        let second = ConstrainedStore()
        #expect(try await StoreMove(from: cluster, to: second).finish() == 599)
        #expect(try await contents(second) == contents(first))
        await cluster.close()
    }

    @Test func followsUntilCutOver() async throws {
        let source = ConstrainedStore()
        for number in 0..<50 { try await source.put("key:\(number)", "old") }
        let cluster = try await EtcdStore.open(TestCluster.configuration())
        let move = StoreMove(from: source, to: cluster)
        let position = try await move.synchronize().position
        let follower = Task { try await move.follow(after: position) }
        for number in 25..<100 { try await source.put("key:\(number)", "new") }
        try await source.remove("key:0")
        while try await contents(cluster)[Array("key:0".utf8)] != nil {}
        follower.cancel()
        #expect(await code { try await follower.value } == .cancelled)
        #expect(try await move.synchronize().changed == 0)
        #expect(try await move.finish() == 99)
        #expect(try await contents(cluster) == contents(source))
        await cluster.close()
    }

    @Test func doesNotOverwriteOtherData() async throws {
        let (source, target) = (ConstrainedStore(), ConstrainedStore())
        try await target.put("precious", "")
        let refused = await code { _ = try await StoreMove(from: source, to: target).synchronize() }
        #expect(refused == .invalidArgument)
        #expect(try await target.fetchCount(in: .all) == 1)
    }
}
