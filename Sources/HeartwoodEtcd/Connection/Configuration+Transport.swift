#if Etcd
import GRPCNIOTransportHTTP2Posix
import KeyValueStore

extension EtcdStore.Configuration {
    /// What gRPC needs for a connection.
    var transport: HTTP2ClientTransport.Posix.Config {
        .defaults { config in
            config.backoff = .init(initial: .milliseconds(50), max: .seconds(2), multiplier: 1.6, jitter: 0.2)
            config.connection.keepalive = .init(time: keepAlive, timeout: keepAliveTimeout, allowWithoutCalls: false)
            config.channelDebuggingCallbacks.onCreateTCPConnection = { PingAnswerer.add(to: $0) }
        }
    }

    /// What all endpoints and ``tls`` agree on; nil for plain text. Nothing is sent in plain text to an endpoint that
    /// was written with `https://`.
    ///
    /// - Throws: `.invalidArgument` if they don't agree.
    func neededTLS() throws(StoreError) -> TLS? {
        guard (tls?.certificateChain == nil) == (tls?.privateKey == nil) else {
            throw StoreError(.invalidArgument, "a certificate needs its key, and a key its certificate: give both")
        }
        let said = Set(endpoints.map(\.usesTLS))
        if let tls {
            guard !said.contains(false) else {
                throw StoreError(
                    .invalidArgument, "there are settings for TLS, and an endpoint with http://: write https:// there")
            }
            return tls
        }
        guard said.contains(true) else { return nil }
        guard said.count == 1 else {
            throw StoreError(.invalidArgument, "write https:// before all endpoints, or before none")
        }
        return TLS()
    }
}

extension EtcdStore.Configuration.TLS {
    /// The transport's defaults refuse versions below 1.2.
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
