import Heartwood
import HeartwoodEtcd
import HeartwoodService

/// How the service works. README.md has the table.
public struct Settings: Sendable {
    /// The address where it listens.
    public var host = "127.0.0.1"
    /// The port where it listens; 0 lets the system choose one.
    public var port = 8080
    /// A connection on which nothing happens is closed after this time, also in the middle of a request.
    public var idleTimeout = Duration.seconds(30)
    /// How long the body of a request may take to arrive.
    public var bodyTimeout = Duration.seconds(30)
    /// The largest body of a request, in bytes.
    public var maximumBodyBytes = 8 << 20
    /// The longest header field, and all of a request together, in bytes.
    public var maximumHeaderBytes = 16 << 10
    /// Further ones are answered 503, and closed. Fewer, if the process may not have so many files open.
    public var maximumConnections = 4_096

    /// A file with a certificate chain, in PEM; nil for HTTP without TLS.
    public var certificate: String?
    /// The file of its private key, in PEM.
    public var privateKey: String?

    /// The directory of the store; nil for none, which is for measurements only.
    public var store: String? = "collector.store"
    /// The cluster that the events are on; nil for files.
    var cluster: EtcdStore.Configuration?
    /// How the store works, and where its metrics go.
    var storeConfiguration = Store.Configuration()
    var storeOptions = StoreService.Options()
    /// How long events exist, from their arrival; nil for ever.
    public var retention: Duration? = .seconds(30 * 86_400)
    /// Whether events can be found by their type. Doubles the keys, and so the memory of the store's index.
    public var hasTypeIndex = true
    /// How many events a request may have, at most ``mostEvents``.
    public var maximumEvents = 10_000
    /// The greatest value of ``maximumEvents``.
    public static let mostEvents = 1_000_000
    /// The largest event, in bytes.
    public var maximumEventBytes = 64 << 10
    /// How long the summaries of hours are kept; nil for no summaries.
    public var summaryLifetime: Duration? = .seconds(365 * 86_400)
    /// How long the answer to an idempotency key is kept.
    public var idempotency = Duration.seconds(86_400)

    var tokens: [(client: Client, secret: String)] = []
    /// Requests with events that each client may send in a second; nil for no limit.
    public var requestsPerSecond: Int?
    /// The memory of bodies and answers that wait for their clients, in bytes. A request that needs more is answered
    /// 503.
    public var maximumBufferedBytes = 256 << 20
    /// How many streams may be open at once.
    public var maximumStreams = 100
    /// Attempts to log in, from one address.
    public var loginsPerMinute = 10

    /// Requests with a wrong token, from one address.
    var refusalsPerSecond = 20

    /// How long a session of the page lasts.
    public var sessionLifetime = Duration.seconds(7 * 86_400)
    /// Whether browsers send the session's cookie only over TLS. Set it if a proxy provides TLS.
    public var secureCookies = false

    /// How long requests may take to end after SIGTERM.
    public var shutdownTimeout = Duration.seconds(20)
    /// How often an idle stream sends a comment, so that proxies and clients don't take it for dead.
    public var heartbeat = Duration.seconds(15)
    /// A level of swift-log.
    public var logLevel = "info"

    /// The defaults. There are no tokens, so all requests that need one are refused.
    public init() {}
}

/// A setting that can't be used: what it is, and what would do.
public struct SettingsError: Error, CustomStringConvertible {
    /// One line.
    public let description: String

    init(_ description: String) { self.description = description }
}
