import KeyValueStore
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import HeartwoodEtcd

@Suite struct EndpointTests {
    @Test(arguments: [
        ("localhost", "localhost:2379"), ("etcd-1:2380", "etcd-1:2380"), ("http://10.0.0.1:1", "http://10.0.0.1:1"),
        ("https://etcd.example/", "https://etcd.example:2379"), ("[::1]:7", "[::1]:7"), ("[::1]", "[::1]:2379"),
    ])
    func isParsed(_ text: String, _ expected: String) {
        #expect(EtcdStore.Configuration.Endpoint(text)?.description == expected)
    }

    @Test(arguments: ["", ":1", "a:", "a:b", "a:70000", "http://", "ftp://a", "https://a/b", "https://http://a"])
    func isRefused(_ text: String) {
        #expect(EtcdStore.Configuration.Endpoint(text) == nil)
    }

    @Test(
        arguments: [
            (["a", "http://b"], nil, nil), (["https://a"], nil, TLS()), (["https://a", "https://b"], nil, TLS()),
            (["a"], TLS(trustRoots: "ca"), TLS(trustRoots: "ca")),
            (["https://a", "b"], TLS(trustRoots: "ca"), TLS(trustRoots: "ca")),
        ] as [([String], TLS?, TLS?)])
    func tlsIsUsed(_ endpoints: [String], _ tls: TLS?, _ expected: TLS?) throws {
        var configuration = EtcdStore.Configuration(endpoints: try endpoints.map { try #require(.init($0)) })
        configuration.tls = tls
        #expect(try configuration.neededTLS() == expected)
    }

    @Test(
        arguments: [
            (["https://a", "b"], nil), (["https://a", "http://b"], nil), (["http://a"], TLS()),
            (["https://a"], TLS(certificateChain: "client")), (["https://a"], TLS(privateKey: "key")),
        ] as [([String], TLS?)])
    func contradictionsAreRefused(_ endpoints: [String], _ tls: TLS?) async throws {
        var configuration = EtcdStore.Configuration(endpoints: try endpoints.map { try #require(.init($0)) })
        configuration.tls = tls
        #expect(await code { _ = try await EtcdStore.open(configuration) } == .invalidArgument)
    }

    /// A password must not be readable on the way.
    @Test func nothingIsSentInPlainTextToHTTPS() async throws {
        let bytes = Mutex<[UInt8]>([])
        let listener = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.pipeline.addHandler(FirstBytes { first in bytes.withLock { $0 += first } })
            }
            .bind(host: "127.0.0.1", port: 0).get()
        var configuration = EtcdStore.Configuration(endpoints: [
            .init(host: "localhost", port: listener.localAddress?.port ?? 0, usesTLS: true)
        ])
        configuration.deadline = .seconds(1)
        configuration.credentials = .init(user: "ann", password: "secret")
        #expect(await code { _ = try await EtcdStore.open(configuration) } == .inputOutput)
        try await listener.close()
        // A handshake of TLS begins so.
        #expect(bytes.withLock { $0.first } == 0x16)
    }
}

typealias TLS = EtcdStore.Configuration.TLS

/// Tells what a client sends first, and closes.
private final class FirstBytes: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    let tell: @Sendable ([UInt8]) -> Void

    init(_ tell: @escaping @Sendable ([UInt8]) -> Void) { self.tell = tell }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        tell(Array(unwrapInboundIn(data).readableBytesView))
        context.close(promise: nil)
    }
}
