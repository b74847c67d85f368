import ClusterSupport
import Foundation
import HeartwoodEtcd
import KeyValueStore
import Testing

/// What concerns a whole cluster, on servers of their own.
@Suite(.onCluster, .timeLimit(.minutes(5)))
struct OwnServerTests {
    private func withStore(_ arguments: [String], _ body: (LocalServer, EtcdStore) async throws -> Void) async throws {
        let server = try await LocalServer(arguments)
        defer { server.stop() }
        let store = try await EtcdStore.open(.init(endpoints: [server.endpoint]))
        try await body(server, store)
        await store.close()
    }

    /// The error that ends a feed.
    private func end(of store: EtcdStore, after position: ChangePosition) async -> StoreError? {
        await error { for try await _ in store.changes(after: position, in: .all, level: .durable) {} }
    }

    @Test func compactionEndsViewsAndPositions() async throws {
        try await withStore([]) { server, store in
            try await store.put([1], [1])
            let view = try await store.readView()
            try await store.remove([1])
            let last = try await store.put([2], [1])
            try server.control("compact", "\(last)")
            #expect(await code { _ = try await view.fetchEntry([1]) } == .viewEnded)
            let error = await end(of: store, after: view.position)
            #expect(error?.code == .positionUnavailable)
            let restart = try #require(error?.restart)
            let next = try await store.put([3], [1])
            var changes = store.changes(after: restart, in: .all, level: .durable).makeAsyncIterator()
            var change = try await changes.next()
            while let found = change, found.sequence < next { change = try await changes.next() }
            #expect(change?.key == [3])
            // A position at the compaction itself might lack a removal of that revision.
            let before = ChangePosition(store: store.id, sequence: last - 1)
            #expect(await end(of: store, after: before)?.code == .positionUnavailable)
        }
    }

    @Test func whatOthersHaveWrittenIsKnownAfterACompaction() async throws {
        try await withStore([]) { server, store in
            let position = try await store.readView().position
            let other = try await EtcdStore.open(.init(endpoints: [server.endpoint]))
            var last: SequenceNumber = 0
            for number in 1...9 { last = try await other.put([UInt8(number)], [1]) }
            await other.close()
            try server.control("compact", "\(last)")
            let error = await end(of: store, after: position)
            #expect(error?.code == .positionUnavailable)
            #expect(try #require(error?.restart).sequence >= last)
        }
    }

    @Test func aFullQuotaIsNotCorruption() async throws {
        try await withStore(["--quota-backend-bytes", "4194304"]) { server, store in
            try await store.put([1], [1])
            var found: StoreError.Code?
            var number = UInt8(0)
            while found == nil {
                number += 1
                found = await code { try await store.put([2, number], [UInt8](repeating: 0, count: 500_000)) }
            }
            #expect(found == .outOfSpace)
            #expect(try await store.fetchEntry([1])?.value == [1])
        }
    }

    /// etcd carries out the transaction that reaches the quota, but its answer is the same as to those that it refuses.
    @Test func whatAFullQuotaRefusesIsNotWritten() async throws {
        try await withStore(["--quota-backend-bytes", "4194304"]) { server, store in
            // All at the same time, so that some are on their way when the quota is reached.
            let writers = UInt8(0)..<32
            let written = try await withThrowingTaskGroup(of: UInt16.self) { group in
                for writer in writers {
                    group.addTask {
                        var count = UInt16(0)
                        while true {
                            let key = [writer] + withUnsafeBytes(of: count.bigEndian, Array.init)
                            let found = await code { try await store.put(key, [UInt8](repeating: 0, count: 16_384)) }
                            if found == nil {
                                count += 1
                                continue
                            }
                            #expect(found == .outOfSpace)
                            let entry = try await store.fetchEntry(key)
                            #expect(entry == nil, "writer \(writer), \(count)")
                            return count
                        }
                    }
                }
                return try await group.reduce(0) { $0 + Int($1) }
            }
            #expect(try await store.readView().fetchCount(in: .all) == written)
            // When there is space again, no commit is taken for one that was refused.
            try server.control("del", "--prefix", "heartwood/d")
            try server.control("compact", "\(try await store.readView().position.sequence)")
            try server.control("defrag")
            try server.control("alarm", "disarm")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in writers { group.addTask { try await store.put([writer], [1]) } }
                try await group.waitForAll()
            }
            #expect(try await store.readView().fetchCount(in: .all) == writers.count)
        }
    }

    @Test func usersNeedTheirPasswordAndPermission() async throws {
        let server = try await LocalServer(["--auth-token-ttl", "1"])
        defer { server.stop() }
        for user in ["root", "ann", "bob"] { try server.control("user", "add", "\(user):secret") }
        try server.control("user", "grant-role", "root", "root")
        try server.control("role", "add", "heartwood")
        try server.control("role", "grant-permission", "heartwood", "--prefix=true", "readwrite", "heartwood/")
        try server.control("user", "grant-role", "ann", "heartwood")
        try server.control("auth", "enable")
        var configuration = EtcdStore.Configuration(endpoints: [server.endpoint])
        // On a busy machine a token may expire on its way, again and again.
        configuration.deadline = .seconds(120)
        configuration.credentials = .init(user: "ann", password: "secret")
        let store = try await EtcdStore.open(configuration)
        let feed = store.changes(after: nil, in: .all, level: .durable)
        try await store.put([1], [1])
        // The token has expired meanwhile, and is renewed.
        try await Task.sleep(for: .seconds(3))
        #expect(try await store.fetchEntry([1])?.value == [1])
        try await store.put([2], [1])
        var changes = feed.makeAsyncIterator()
        #expect(try await changes.next()?.key == [1])
        await store.close()
        configuration.credentials = .init(user: "ann", password: "wrong")
        #expect(await code { _ = try await EtcdStore.open(configuration) } == .permission)
        configuration.credentials = .init(user: "bob", password: "secret")
        #expect(await code { _ = try await EtcdStore.open(configuration) } == .permission)
    }

    @Test func clientsShowTheirCertificates() async throws {
        let server = try await LocalServer(
            [
                "--cert-file", "server.pem", "--key-file", "server.key", "--client-cert-auth", "--trusted-ca-file",
                "ca.pem",
            ], scheme: "https", files: makeCertificates)
        defer { server.stop() }
        let path = { (name: String) in server.directory.appending(path: name).path }
        var configuration = EtcdStore.Configuration(endpoints: [server.endpoint])
        configuration.tls = .init(
            trustRoots: path("ca.pem"), certificateChain: path("client.pem"), privateKey: path("client.key"))
        let store = try await EtcdStore.open(configuration)
        try await store.put([1], [1])
        #expect(try await store.fetchEntry([1])?.value == [1])
        await store.close()
        configuration.deadline = .seconds(1)
        configuration.tls = .init(trustRoots: path("ca.pem"))
        #expect(await code { _ = try await EtcdStore.open(configuration) } == .inputOutput)
        configuration.tls = .init()
        #expect(await code { _ = try await EtcdStore.open(configuration) } == .inputOutput)
    }

    /// An authority, and certificates of it for a server and a client.
    private func makeCertificates(_ directory: URL) throws {
        let path = { (name: String) in directory.appending(path: name).path }
        try "subjectAltName=DNS:localhost,IP:127.0.0.1\n".write(
            toFile: path("names"), atomically: true, encoding: .utf8)
        let request = ["openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj"]
        try run(request + ["/CN=authority", "-x509", "-days", "1", "-keyout", path("ca.key"), "-out", path("ca.pem")])
        for name in ["server", "client"] {
            try run(request + ["/CN=\(name)", "-keyout", path("\(name).key"), "-out", path("\(name).csr")])
            try run([
                "openssl", "x509", "-req", "-in", path("\(name).csr"), "-CA", path("ca.pem"), "-CAkey",
                path("ca.key"), "-CAcreateserial", "-days", "1", "-extfile", path("names"), "-out",
                path("\(name).pem"),
            ])
        }
    }
}
