#if Etcd
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf
import KeyValueStore
import Logging
import Synchronization

/// The connections to the servers of a cluster, and calls that are tried again until one of the servers answers.
///
/// All calls go to one server, until it fails; then to the next one.
final class Cluster: Sendable {
    typealias Client = GRPCClient<HTTP2ClientTransport.Posix>

    let configuration: EtcdStore.Configuration
    private let clients: [Client]
    private let transports: [HTTP2ClientTransport.Posix]
    private let timeOuts = TimeOuts()
    private let connections: Task<Void, Never>
    private let closed = Atomic(false)
    private let current: Atomic<Int>
    /// The newest revision that a response had.
    private let newest = Atomic<Int64>(0)
    /// The cluster's identity, 0 until a server has answered.
    private let identity = Atomic<UInt64>(0)
    /// How many calls were sent, for tests.
    let calls = Atomic<Int>(0)
    /// The token of an authenticated user, empty if there is none yet.
    let token = Mutex("")

    /// Connects in the background.
    ///
    /// - Throws: `.invalidArgument` for a configuration without endpoints, whose endpoints and TLS settings contradict
    ///   each other, or with TLS files that can't be used.
    init(_ configuration: EtcdStore.Configuration) throws(StoreError) {
        guard !configuration.endpoints.isEmpty else {
            throw StoreError(.invalidArgument, "the configuration has no endpoints: name the servers of the cluster")
        }
        guard 4...1_000_000 ~= configuration.serverOperations else {
            throw StoreError(.invalidArgument, "serverOperations: give the servers' --max-txn-ops, 4 to 1,000,000")
        }
        self.configuration = configuration
        let tls = try configuration.neededTLS()
        do {
            transports = try configuration.endpoints.map { endpoint in
                try .http2NIOPosix(
                    target: .dns(host: endpoint.host, port: endpoint.port),
                    transportSecurity: tls.map { .tls($0.settings) } ?? .plaintext,
                    config: configuration.transport)
            }
        } catch {
            throw StoreError(
                .invalidArgument, "no connection can be made: check the endpoints and the files for TLS", cause: error)
        }
        let clients = transports.map { Client(transport: $0) }
        self.clients = clients
        current = Atomic(Int.random(in: clients.indices))
        connections = Task {
            await withDiscardingTaskGroup { group in
                for client in clients { group.addTask { try? await client.runConnections() } }
            }
        }
    }

    var isClosed: Bool { closed.load(ordering: .relaxed) }

    /// Ends all connections. Calls that haven't ended fail, and aren't tried again. A second call does nothing.
    func close() async {
        if closed.exchange(true, ordering: .relaxed) { return }
        for client in clients { client.beginGracefulShutdown() }
        // A stream that stays open would keep a connection open.
        connections.cancel()
        await connections.value
    }

    /// The newest revision that is known: at least that of everything that this object has read or written.
    var knownRevision: Int64 { newest.load(ordering: .sequentiallyConsistent) }
    /// The identity of the cluster, once a server has answered.
    var clusterID: UInt64 { identity.load(ordering: .relaxed) }

    // MARK: Servers

    /// The server that calls go to, and its number.
    var preferred: (client: Client, number: Int) {
        let number = current.load(ordering: .relaxed)
        return (clients[number], number)
    }

    /// Goes on with the next server, unless another call has already done that.
    func leave(_ number: Int, because failure: CallFailure) {
        let next = (number + 1) % clients.count
        let (isChanged, _) = current.compareExchange(expected: number, desired: next, ordering: .relaxed)
        guard isChanged, next != number else { return }
        configuration.logger?.debug(
            "another server is used",
            metadata: ["endpoint": "\(configuration.endpoints[next])", "because": "\(failure.message)"])
    }

    /// Notes the revision of a response.
    ///
    /// - Throws: If the server belongs to another cluster than those before.
    func note(_ header: EtcdResponseHeader) throws(CallFailure) {
        let (isFirst, known) = identity.compareExchange(expected: 0, desired: header.clusterID, ordering: .relaxed)
        guard EtcdResponseHeader.revisions ~= header.revision else { throw .unsound }
        if !isFirst && known != header.clusterID {
            throw CallFailure(
                .refused(.failed, remedy: "name only endpoints of one cluster, and open the store again"),
                "an endpoint belongs to another cluster, or the cluster was restored")
        }
        newest.max(header.revision, ordering: .sequentiallyConsistent)
    }

    // MARK: Calls

    /// A call to a server without a connection fails at once.
    static let options: CallOptions = {
        var options = CallOptions.defaults
        options.waitForReady = false
        // Otherwise answers over 4 MiB fail. grpc-swift-nio-transport 2.9 takes the limit of requests for them.
        (options.maxResponseMessageBytes, options.maxRequestMessageBytes) = (Int(Int32.max), Int(Int32.max))
        return options
    }()

    /// One attempt of a call, at the preferred server.
    ///
    /// - Parameter mostBytes: A longer request is refused before it is sent.
    func attempt<Request, Response>(
        _ method: Method<Request, Response>, _ request: Request, mostBytes: Int = .max, needsLeader: Bool = true,
        timeout: Duration
    ) async throws(CallFailure) -> Response {
        let number = preferred.number
        let transport = transports[number]
        calls.add(1, ordering: .relaxed)
        let metadata = try await metadata(needsLeader: needsLeader, timeout: timeout, for: method.descriptor)
        do {
            let bytes: GRPCNIOTransportBytes = try ProtobufSerializer().serialize(request)
            if bytes.count > mostBytes {
                throw CallFailure(
                    .refused(.tooLarge, remedy: "write it as several batches"),
                    "it has \(bytes.count) bytes, with what the store adds, and the servers allow \(mostBytes)")
            }
            let answer = try await timeOuts.result(within: timeout) {
                try await transport.unary(method.descriptor, bytes, metadata: metadata, options: Self.options)
            }.get()
            let response: Response = try ProtobufDeserializer().deserialize(answer)
            try note(response.header)
            guard response.isSound else { throw CallFailure.unsound }
            return response
        } catch {
            let failure = error as? CallFailure ?? CallFailure(error)
            if failure.kind == .tokenExpired {
                token.withLock { $0 = "" }
            } else if failure.isTransient {
                leave(number, because: failure)
            }
            throw failure
        }
    }

    /// A call, tried again at the other servers until one answers or the deadline is over.
    func call<Request, Response>(
        _ method: Method<Request, Response>, _ request: Request, mostBytes: Int = .max, needsLeader: Bool = true
    ) async throws(CallFailure) -> Response {
        try await retrying { (timeout) throws(CallFailure) in
            try await attempt(method, request, mostBytes: mostBytes, needsLeader: needsLeader, timeout: timeout)
        }
    }

    /// Calls `body` until it doesn't fail with a transient failure, or the deadline is over, or the store is closed.
    func retrying<R>(
        _ body: (_ timeout: Duration) async throws(CallFailure) -> R
    ) async throws(CallFailure) -> R {
        let end = ContinuousClock.now + configuration.deadline
        var number = 1
        while true {
            let left = end - .now
            do throws(CallFailure) {
                return try await body(min(left, configuration.attemptTimeout))
            } catch {
                let pause = pause(after: number)
                guard error.isTransient, !Task.isCancelled, !isClosed, ContinuousClock.now + pause < end
                else { throw error }
                try? await Task.sleep(for: pause)
                number += 1
            }
        }
    }

    /// A random pause that grows ("full jitter"). The first attempt at each server is made at once.
    func pause(after attempts: Int) -> Duration {
        let rounds = (attempts - 1) / clients.count
        if rounds == 0 && attempts < clients.count { return .zero }
        return .milliseconds(Int.random(in: 5...(25 << min(rounds, 5))))
    }
}
#endif
