import ClusterSupport
import HeartwoodEtcd
import KeyValueStore
import Testing

/// Connections that break or say nothing, by proxies.
@Suite(.onCluster, .timeLimit(.minutes(5)))
struct LostAnswerTests {
    private func withProxies(_ body: (EtcdStore, [FaultyProxy]) async throws -> Void) async throws {
        var proxies: [FaultyProxy] = []
        for endpoint in TestCluster.endpoints { proxies.append(try await FaultyProxy(to: endpoint)) }
        var configuration = TestCluster.configuration()
        configuration.endpoints = proxies.map(\.endpoint)
        (configuration.deadline, configuration.attemptTimeout) = (.seconds(30), .milliseconds(300))
        let store = try await EtcdStore.open(configuration)
        try await body(store, proxies)
        await store.close()
        for proxy in proxies { await proxy.close() }
    }

    /// The answer to the first sending is lost. The commit returns that number, and isn't written twice.
    @Test func aCommitFindsOutThatItWasWritten() async throws {
        try await withProxies { store, proxies in
            let direct = try await EtcdStore.open(Self.direct(store))
            for number in UInt8(0)..<5 {
                try await store.put([9], [number])
                for proxy in proxies { proxy.set(.dropAnswers) }
                async let sequence = store.write(
                    .init(operations: [.init(key: [1, number], value: [1])], conditions: [.absent([1, number])]),
                    durability: nil)
                while try await direct.fetchEntry([1, number]) == nil {}
                for proxy in proxies { proxy.set(.open) }
                let (returned, written) = (try await sequence, try await direct.fetchEntry([1, number])?.sequence)
                #expect(returned == written)
            }
            await direct.close()
        }
    }

    /// No answer until the deadline: the outcome is unknown. It is unknown only then.
    @Test func aCommitWithoutAnyAnswerIsUnknown() async throws {
        try await withProxies { store, proxies in
            var configuration = store.configuration
            configuration.deadline = .milliseconds(900)
            let hasty = try await eventually { try await EtcdStore.open(configuration) }
            try await eventually { try await hasty.put([1], [1]) }
            for proxy in proxies { proxy.set(.dropAnswers) }
            #expect(await code { try await hasty.put([1], [2]) } == .outcomeUnknown)
            let read = await error { _ = try await hasty.fetchEntry([1]) }
            #expect(read?.code == .inputOutput)
            #expect(read?.message.contains("took longer than") == true, "\(read as Any)")
            for proxy in proxies { proxy.set(.open) }
            #expect(try await store.fetchEntry([1]) != nil)
            await hasty.close()
        }
    }

    /// Calls that are tried again end with the store, not at their deadline.
    @Test func callsEndWhenTheStoreIsClosed() async throws {
        try await withProxies { store, proxies in
            var configuration = store.configuration
            configuration.deadline = .seconds(3_600)
            let closed = try await EtcdStore.open(configuration)
            for proxy in proxies { proxy.set(.refuse) }
            async let read = code { _ = try await closed.fetchEntry([1]) }
            async let commit = code { try await closed.put([1], [1]) }
            try await Task.sleep(for: .milliseconds(100))
            await closed.close()
            #expect(await read == .closed)
            #expect(await commit == .closed)
        }
    }

    /// A feed whose connections break again and again has every write once.
    @Test func aFeedGoesOnWhereItWas() async throws {
        try await withProxies { store, proxies in
            let direct = try await EtcdStore.open(Self.direct(store))
            let position = try await store.readView().position
            let follower = Task {
                var sequences: [SequenceNumber] = []
                for try await change in store.changes(after: position, in: .all, level: .durable) {
                    sequences.append(change.sequence)
                    if sequences.count == 100 { break }
                }
                return sequences
            }
            var written: [SequenceNumber] = []
            for number in UInt8(0)..<100 {
                if number % 20 == 10 {
                    for proxy in proxies { proxy.set(.refuse) }
                    for proxy in proxies { proxy.set(.open) }
                }
                written.append(try await direct.put([number], []))
            }
            #expect(try await follower.value == written)
            await direct.close()
        }
    }

    /// Calls again while a deadline is too short for this machine.
    @discardableResult
    private func eventually<R>(_ body: () async throws -> R) async throws -> R {
        while true {
            do {
                return try await body()
            } catch let error as StoreError where error.code == .inputOutput || error.code == .outcomeUnknown {}
        }
    }

    private static func direct(_ store: EtcdStore) -> EtcdStore.Configuration {
        var configuration = store.configuration
        configuration.endpoints = TestCluster.endpoints
        return configuration
    }
}
