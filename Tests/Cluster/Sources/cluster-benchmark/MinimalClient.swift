import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import GRPCProtobuf
import HeartwoodEtcd
import SwiftProtobuf

/// The least that puts and reads keys in etcd: one call of gRPC each, to one server, without retries.
struct MinimalClient: Sendable {
    private let client: GRPCClient<HTTP2ClientTransport.Posix>
    private let prefix: [UInt8]

    init(_ configuration: EtcdStore.Configuration) throws {
        let endpoint = configuration.endpoints[0]
        client = GRPCClient(
            transport: try .http2NIOPosix(
                target: .dns(host: endpoint.host, port: endpoint.port), transportSecurity: .plaintext))
        prefix = configuration.prefix
    }

    func run() async { try? await client.runConnections() }
    func stop() { client.beginGracefulShutdown() }

    func put(_ key: [UInt8], _ value: [UInt8]) async throws {
        var request = EtcdPutRequest()
        (request.key, request.value) = (Data(prefix + key), Data(value))
        let _: EtcdPutResponse = try await call("Put", request)
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
            descriptor: MethodDescriptor(fullyQualifiedService: "etcdserverpb.KV", method: method),
            serializer: ProtobufSerializer(), deserializer: ProtobufDeserializer<Response>(), options: .defaults
        ) { try $0.message }
    }
}
