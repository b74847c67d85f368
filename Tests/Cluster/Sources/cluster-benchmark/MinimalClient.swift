import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf
import HeartwoodEtcd
import SwiftProtobuf

/// The least that puts and reads keys in etcd: one unary call of gRPC each, as generated code makes it, to one server,
/// without time-outs and without retries.
struct MinimalClient: Sendable {
    private let client: GRPCClient<HTTP2ClientTransport.Posix>
    private let prefix: [UInt8]

    init(_ endpoint: EtcdStore.Configuration.Endpoint, prefix: [UInt8]) throws {
        client = GRPCClient(
            transport: try .http2NIOPosix(
                target: .dns(host: endpoint.host, port: endpoint.port), transportSecurity: .plaintext,
                config: .defaults { config in
                    // Otherwise each connection ends after 200 calls.
                    config.channelDebuggingCallbacks.onCreateTCPConnection = { PingAnswerer.add(to: $0) }
                }))
        self.prefix = prefix
    }

    func run() async throws { try await client.runConnections() }
    func stop() { client.beginGracefulShutdown() }

    func put(_ key: [UInt8], _ value: [UInt8]) async throws {
        let _: EtcdPutResponse = try await call("Put", putRequest(key, value))
    }

    /// A put under a condition that holds.
    func putIf(_ key: [UInt8], _ value: [UInt8]) async throws {
        var (compare, put) = (EtcdCompare(), EtcdRequestOp())
        (compare.key, compare.target, compare.result) = (Data(prefix + key), .mod, .less)
        compare.modRevision = .max
        put.requestPut = putRequest(key, value)
        var request = EtcdTxnRequest()
        (request.compare, request.success) = ([compare], [put])
        let response: EtcdTxnResponse = try await call("Txn", request)
        precondition(response.succeeded)
    }

    private func putRequest(_ key: [UInt8], _ value: [UInt8]) -> EtcdPutRequest {
        var request = EtcdPutRequest()
        (request.key, request.value) = (Data(prefix + key), Data(value))
        return request
    }

    func get(_ key: [UInt8]) async throws -> [UInt8]? {
        var request = EtcdRangeRequest()
        request.key = Data(prefix + key)
        let response: EtcdRangeResponse = try await call("Range", request)
        return response.kvs.first.map { [UInt8]($0.value) }
    }

    private func call<Request: Message, Response: Message>(
        _ method: String, _ request: Request
    ) async throws -> Response {
        try await client.unary(
            request: ClientRequest(message: request),
            descriptor: MethodDescriptor(fullyQualifiedService: "etcdserverpb.KV", method: method, type: .unary),
            serializer: ProtobufSerializer(), deserializer: ProtobufDeserializer<Response>(), options: .defaults
        ) { try $0.message }
    }
}
