#if Etcd
import GRPCNIOTransportHTTP2Posix

extension EtcdStore.Configuration {
    /// What gRPC needs for a connection.
    var transport: HTTP2ClientTransport.Posix.Config {
        .defaults { config in
            config.backoff = .init(initial: .milliseconds(50), max: .seconds(2), multiplier: 1.6, jitter: 0.2)
            config.connection.keepalive = .init(
                time: keepAlive, timeout: keepAliveTimeout, allowWithoutCalls: false)
            config.channelDebuggingCallbacks.onCreateTCPConnection = { PingAnswerer.add(to: $0) }
        }
    }
}

extension EtcdStore.Configuration.TLS {
    var settings: HTTP2ClientTransport.Posix.TransportSecurity.TLS {
        .defaults { config in
            if let trustRoots { config.trustRoots = .certificates([.file(path: trustRoots, format: .pem)]) }
            if let certificateChain {
                config.certificateChain = [.file(path: certificateChain, format: .pem)]
            }
            config.privateKey = privateKey.map { .file(path: $0, format: .pem) }
        }
    }
}
#endif
