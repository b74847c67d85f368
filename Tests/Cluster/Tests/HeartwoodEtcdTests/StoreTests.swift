import ClusterSupport
import Foundation
import HeartwoodEtcd
import KeyValueStore
import Testing

/// What `EtcdStore` does beyond the conformance suite.
@Suite(.onCluster, .timeLimit(.minutes(5)))
struct StoreTests {
    @Test func twoProgramsShareAStore() async throws {
        try await withStore { store in
            let other = try await EtcdStore.open(store.configuration)
            #expect(other.id == store.id)
            let sequence = try await store.put([1], [2])
            #expect(try await other.fetchEntry([1])?.sequence == sequence)
            await other.close()
            #expect(await code { _ = try await other.fetchEntry([1]) } == .closed)
            #expect(try await store.fetchEntry([1])?.value == [2])
        }
    }

    @Test func storesOfDifferentPrefixesAreApart() async throws {
        try await withStore { store in
            try await withStore { other in
                #expect(other.id != store.id)
                try await store.put([1], [2])
                #expect(try await other.fetchCount(in: .all) == 0)
            }
        }
    }

    /// By default gRPC accepts 4 MiB in a message, and has a window of 8 MiB.
    @Test func largeAnswersArrive() async throws {
        try await withStore { store in
            let keys = (0..<20).map { [UInt8($0)] }
            let value = [UInt8](repeating: 7, count: 1 << 20)
            for key in keys { try await store.put(key, value) }
            let page = try await store.fetchEntries(in: .all, reversed: false, limit: .max)
            #expect(page.entries.map(\.key) == keys)
            let entries = try await store.readView().fetchEntries(of: keys)
            #expect(entries.allSatisfy { $0?.value == value })
        }
    }

    @Test func aLargeBatchIsOneWrite() async throws {
        try await withStore { store in
            let keys = (0..<1_000).map { [UInt8(1), UInt8($0 / 250), UInt8($0 % 250)] }
            let puts = try await store.write(
                .init(operations: keys.map { .init(key: $0, value: [7]) }), durability: nil)
            let page = try await store.fetchEntries(in: .all, reversed: false, limit: .max)
            #expect(page.entries.map(\.key) == keys)
            #expect(Set(page.entries.map(\.sequence)) == [puts])
            let feed = store.changes(after: nil, in: .all, level: .durable)
            let removals = try await store.write(
                .init(operations: keys.map { .init(key: $0, value: nil) }), durability: nil)
            var changes: [Change] = []
            for try await change in feed {
                changes.append(change)
                if change.isLastOfBatch { break }
            }
            #expect(changes.map(\.key) == keys)
            #expect(Set(changes.map(\.sequence)) == [removals])
        }
    }

    @Test func whatTheStoreAddsCounts() async throws {
        try await withStore { store in
            #expect(store.limits == .etcd)
            let view = try await store.readView()
            let conditions = (0..<90).map { Condition.unchangedRange(.prefix([UInt8($0)]), since: view) }
            let batch = WriteBatch(operations: [.init(key: [1], value: [1])], conditions: conditions)
            #expect(await code { try await store.write(batch, durability: nil) } == .tooLarge)
            // A removal has its key three times.
            let keys = (0..<20).map { [UInt8](repeating: UInt8($0), count: 60_000) }
            let removals = WriteBatch(operations: keys.map { .init(key: $0, value: nil) })
            #expect(await code { try await store.write(removals, durability: nil) } == .tooLarge)
            #expect(try await store.fetchCount(in: .all) == 0)
        }
    }

    @Test func etcdRemovesExpiredKeys() async throws {
        try await withStore {
            $0.expiryMargin = .seconds(10)
        } _: { store in
            let feed = store.changes(after: nil, in: .all, level: .durable)
            try await store.write(
                .init(operations: [
                    .init(key: [1], value: [1], expires: .after(.seconds(1))), .init(key: [2], value: [1]),
                ]), durability: nil)
            var actions: [Change.Action] = []
            for try await change in feed where change.key == [1] {
                actions.append(change.action)
                if change.action == .remove { break }
            }
            #expect(actions.count == 2)
            #expect(try await store.fetchEntries(in: .all, reversed: false, limit: 9).entries.map(\.key) == [[2]])
        }
    }

    @Test func aPositionAfterTheNewestWriteIsRefused() async throws {
        try await withStore { store in
            let later = ChangePosition(store: store.id, sequence: 1 << 40)
            let code = await code { for try await _ in store.changes(after: later, in: .all, level: .durable) {} }
            #expect(code == .positionUnavailable)
        }
    }

    /// The horizon passes a view, and fences go; conditions that need them are refused, and others hold.
    @Test func sweepsFences() async throws {
        try await withStore {
            $0.sweepInterval = .milliseconds(300)
        } _: { store in
            try await store.write(
                .init(operations: [.init(key: [1], value: [1]), .init(key: [2], value: [1])]), durability: nil)
            let view = try await store.readView()
            #expect(try await view.fetchEntry([2]) != nil)
            try await store.remove([1])
            let range = WriteBatch(conditions: [.unchangedRange(.all, since: view)])
            #expect(await code { try await store.write(range, durability: nil) } == .conflict)
            // Each commit moves the newest revision on, so that sweeps can move the horizon.
            var found: StoreError.Code?
            while found != .viewEnded {
                try await store.put([3], [1])
                found = await code { try await store.write(range, durability: nil) }
                #expect(found == .conflict || found == .viewEnded)
                try await Task.sleep(for: .milliseconds(50))
            }
            let read = WriteBatch(conditions: [.unchangedKey([2], since: view)])
            #expect(await code { try await store.write(read, durability: nil) } == nil)
            let fences = String(decoding: store.configuration.prefix, as: UTF8.self) + "f"
            while try !TestCluster.control(["get", "--prefix", fences]).isEmpty {
                try await store.put([3], [1])
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }

    @Test func configurationsAreChecked() async throws {
        #expect(await code { _ = try await EtcdStore.open(.init(endpoints: [])) } == .invalidArgument)
        var configuration = TestCluster.configuration()
        configuration.tls = .init(trustRoots: "/there/is/no/such/file")
        #expect(await code { _ = try await EtcdStore.open(configuration) } == .invalidArgument)
        configuration = .init(endpoints: [.init(host: "127.0.0.1", port: 1)])
        configuration.deadline = .milliseconds(300)
        #expect(await code { _ = try await EtcdStore.open(configuration) } == .inputOutput)
    }

    @Test func somethingElseUnderThePrefixIsRefused() async throws {
        let configuration = TestCluster.configuration()
        let prefix = String(decoding: configuration.prefix, as: UTF8.self)
        try TestCluster.control(["put", prefix + "i", "something else"])
        #expect(await code { _ = try await EtcdStore.open(configuration) } == .unsupportedFormat)
    }
}
