#if Etcd
public import KeyValueStore
public import Logging

extension EtcdStore {
    /// Where a cluster is, and how a store uses it.
    public struct Configuration: Sendable {
        /// One server of the cluster, as clients reach it.
        public struct Endpoint: Sendable, Hashable, LosslessStringConvertible {
            /// A name or an address.
            public var host: String
            /// The client port, 2379 by default.
            public var port: Int

            /// Whether it was written with `https://` (true), with `http://` (false), or with neither (nil). See
            /// ``Configuration/tls``.
            public var usesTLS: Bool?

            /// Creates an endpoint.
            public init(host: String, port: Int = 2379, usesTLS: Bool? = nil) {
                (self.host, self.port, self.usesTLS) = (host, port, usesTLS)
            }

            /// Parses `host`, `host:port`, `[address]:port`, each with or without `http://` or `https://` before it.
            /// Nil for any other text.
            public init?(_ description: String) {
                var (text, usesTLS) = (description[...], Bool?.none)
                for (scheme, isSecure) in [("http://", false), ("https://", true)] where text.hasPrefix(scheme) {
                    text.removeFirst(scheme.count)
                    usesTLS = isSecure
                    break
                }
                if text.hasSuffix("/") { text.removeLast() }
                var port: UInt16? = 2379
                if let end = text.lastIndex(of: ":"), !text[end...].contains("]") {
                    port = UInt16(text[text.index(after: end)...])
                    text = text[..<end]
                }
                if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
                guard let port, !text.isEmpty, !text.contains("/") else { return nil }
                self.init(host: String(text), port: Int(port), usesTLS: usesTLS)
            }

            /// `host:port`, with `http://` or `https://` before it if it says which.
            public var description: String {
                let scheme = usesTLS.map { $0 ? "https://" : "http://" } ?? ""
                return scheme + (host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
            }
        }

        /// Files for TLS, in PEM.
        public struct TLS: Sendable, Hashable {
            /// The certificates that servers are verified with; nil for those of the system.
            public var trustRoots: String?
            /// This client's certificate, and then those that lead to its root; nil for none.
            public var certificateChain: String?
            /// The key of this client's certificate.
            public var privateKey: String?

            /// Creates TLS settings from paths of files.
            public init(trustRoots: String? = nil, certificateChain: String? = nil, privateKey: String? = nil) {
                (self.trustRoots, self.certificateChain, self.privateKey) = (trustRoots, certificateChain, privateKey)
            }
        }

        /// A user of the cluster, for clusters with authentication.
        public struct Credentials: Sendable, Hashable {
            /// The user's name.
            public var user: String
            /// The user's password.
            public var password: String

            /// Creates credentials.
            public init(user: String, password: String) { (self.user, self.password) = (user, password) }
        }

        /// Which state a read shows.
        public struct Consistency: Sendable, Hashable {
            let isSerializable: Bool

            /// Everything that any client was told is written. Each read waits until the server has heard from a
            /// majority of the cluster.
            public static let linearizable = Consistency(isSerializable: false)
            /// What one server has. It may lack the newest writes of other clients, but nothing that this store object
            /// has written or read. Works also if the server can't reach the others.
            public static let serializable = Consistency(isSerializable: true)
        }

        /// The servers. At least one; name all, so that the store survives the loss of some.
        public var endpoints: [Endpoint]
        /// The bytes that all keys of the store begin with in the cluster. No store's prefix may begin with another's.
        public var prefix: [UInt8]
        /// TLS. Nil means plain text, unless the endpoints begin with `https://`: then servers are verified with the
        /// certificates of the system. Endpoints that say otherwise than this, or than each other, are refused.
        public var tls: TLS?
        /// The user, or nil for a cluster without authentication. A certificate can name a user, too.
        public var credentials: Credentials?
        /// How reads of the store, and ``EtcdStore/readView()``, are done. Transactions always read linearizably.
        public var reads: Consistency = .linearizable
        /// How long a call tries. Afterwards a read throws `.inputOutput`, and a commit that was sent throws
        /// `.outcomeUnknown`.
        public var deadline: Duration = .seconds(15)
        /// How long a call waits for one server before it asks another one.
        public var attemptTimeout: Duration = .seconds(3)
        /// How often an idle connection is tested. Servers refuse less than 5 seconds by default.
        public var keepAlive: Duration = .seconds(10)
        /// How long a connection's test waits for its answer.
        public var keepAliveTimeout: Duration = .seconds(3)
        /// The servers' `--max-txn-ops`, 128 by default.
        public var serverOperations = 128
        /// The servers' `--max-request-bytes`, 1.5 MiB by default.
        public var serverRequestBytes = 1_572_864
        /// How often traces of removals are swept. A view older than this may no longer be usable as a condition.
        public var sweepInterval: Duration = .seconds(300)
        /// How long after their expiry etcd removes keys, at least 10 seconds. Until then each program hides them by
        /// its own clock, so choose more than the clocks of the programs differ.
        public var expiryMargin: Duration = .seconds(10)
        /// Decides what has expired; nil is the system's real-time clock.
        public var clock: (@Sendable () -> Timestamp)?
        /// Where changes of servers and failed sweeps are logged.
        public var logger: Logger?

        /// Creates a configuration.
        public init(endpoints: [Endpoint], prefix: some ByteSource = "heartwood/") {
            (self.endpoints, self.prefix) = (endpoints, prefix.byteArray)
        }
    }
}
#endif
