public import Heartwood
import HeartwoodHummingbird
import HeartwoodService
public import Hummingbird
import HummingbirdCore
import HummingbirdTLS
public import Logging
import NIOCore
import NIOSSL
public import ServiceLifecycle

/// The service: its routes, and what runs beside them.
public struct Collector: Sendable {
    let settings: Settings
    let store: (any KeyValueStore)?
    let registry: MetricsRegistry
    let logger: Logger
    let persist: any PersistDriver
    let tokens: Tokens
    let sessions: Sessions
    let ingest: Ingest
    let events: ServerSentEvents
    let buffers: Buffers
    let sampler: StatsSampler
    let summaries: Summaries?
    let clock: any StoreClock

    /// Prepares the service. The caller opens the store, and closes it after the service has ended.
    ///
    /// - Parameters:
    ///   - settings: How it works.
    ///   - store: Where the events are, on files or on a cluster; nil for measurements without a store.
    ///   - registry: Where its metrics are collected.
    ///   - logger: Logs requests that fail.
    ///   - clock: The time of events without one, and of sessions without a store. As of the store.
    /// - Throws: `StoreError` if the store can't be read, or can't be written for another reason than a full disk.
    public init(
        _ settings: Settings, store: (any KeyValueStore)?, registry: MetricsRegistry, logger: Logger,
        clock: any StoreClock = SystemClock()
    ) async throws {
        (self.settings, self.store, self.registry, self.logger) = (settings, store, registry, logger)
        self.clock = clock
        persist =
            store.map { HeartwoodPersistDriver($0, prefix: EventKeys.persist, durability: .synced) }
            ?? MemoryPersistDriver()
        tokens = Tokens(settings.tokens, rate: settings.requestsPerSecond)
        sessions = Sessions(persist: persist, lifetime: settings.sessionLifetime, isSecure: settings.secureCookies)
        buffers = Buffers(bytes: settings.maximumBufferedBytes)
        let metrics = IngestMetrics(registry)
        let numbers = EventNumbers(store)
        do {
            try await numbers.begin()
        } catch let error as StoreError where error.code == .outOfSpace {
            // Reads are answered, and events are taken when there is space.
            logger.warning("events are refused until there is space", metadata: ["error": "\(error)"])
        }
        let window = SummaryWindow(lifetime: settings.summaryLifetime, retention: settings.retention)
        if store != nil && window == nil { logger.notice("no summaries of hours are made: see GET /summaries") }
        summaries = if let store, let window { try await Summaries(store, window) } else { nil }
        ingest = Ingest(
            store: store, numbers: numbers, tokens: tokens,
            body: BodyReader(
                maximumBytes: settings.maximumBodyBytes, timeout: settings.bodyTimeout, buffers: buffers),
            limits: EventBatch.Limits(events: settings.maximumEvents, eventBytes: settings.maximumEventBytes),
            retention: settings.retention.map { Lifetime($0, on: store) }, hasTypeIndex: settings.hasTypeIndex,
            idempotency: Lifetime(settings.idempotency, on: store),
            clock: clock, metrics: metrics, marks: summaries?.marks)
        events = ServerSentEvents(slots: Slots(settings.maximumStreams), heartbeat: settings.heartbeat)
        sampler = StatsSampler(store, metrics, streams: events.slots, clock: clock)
    }

    /// The routes.
    func router() -> Router<CollectorContext> {
        let router = Router(context: CollectorContext.self, options: .autoGenerateHeadEndpoints)
        router.add(
            middleware: ProblemMiddleware(
                isSecure: settings.certificate != nil, buffers: buffers,
                refusals: RefusalLimiter(rate: settings.refusalsPerSecond)))
        router.post("/events") { request, context in try await ingest.post(request, context) }

        let open = router.group().add(middleware: MetricsMiddleware())
        PageRoutes().add(to: open)
        HealthRoutes(store: store).add(to: open)
        SessionRoutes(
            sessions: sessions,
            limiter: LoginLimiter(persist: persist, attempts: settings.loginsPerMinute, clock: clock),
            tokens: tokens, body: BodyReader(maximumBytes: 4_096, timeout: settings.bodyTimeout, buffers: buffers)
        ).add(to: open)

        let readers = router.group().add(middleware: MetricsMiddleware())
            .add(middleware: AccessMiddleware(tokens: tokens, sessions: sessions))
        let stream = EventStream(store: store, events: events)
        readers.get("/events/stream") { request, context in try await stream.get(request, context) }
        EventRoutes(
            store: store, hasTypeIndex: settings.hasTypeIndex, eventBytes: settings.maximumEventBytes
        ).add(to: readers)
        SummaryRoutes(summaries: summaries).add(to: readers)
        JobRoutes(summaries: summaries, tokens: tokens).add(readers: readers, open: open)
        StatsRoutes(sampler: sampler, registry: registry, files: store as? Store, summaries: summaries, events: events)
            .add(to: readers)
        return router
    }

    /// The server.
    ///
    /// - Throws: If the certificate or its key can't be read.
    public func application() throws -> some ApplicationProtocol {
        let limit = connectionLimit()
        let connections = Slots(limit)
        var server = HTTPServerBuilder.http1(
            configuration: .init(
                // Later than the answer to a body that is read too slowly, so that the client gets it.
                additionalChannelHandlers: [
                    ConnectionHandler(settings.bodyTimeout + .seconds(2), of: connections)
                ],
                idleTimeout: .init(settings.idleTimeout),
                httpDecoderConfiguration: .init(
                    maxHeaderFieldSize: settings.maximumHeaderBytes, maxHeaderListSize: settings.maximumHeaderBytes,
                    maxHeaderFieldCount: 100)))
        if let certificate = settings.certificate, let key = settings.privateKey {
            server = try .tls(server, tlsConfiguration: try Self.tls(certificate, key))
        }
        return Application(
            router: router(), server: server,
            configuration: .init(
                address: .hostname(settings.host, port: settings.port),
                availableConnectionsDelegate: .maximum(limit + Self.refusals, logger: logger)),
            logger: logger)
    }

    /// So many connections beyond the limit are answered 503 at the same time. Further ones wait.
    private static let refusals = 64

    /// How many connections there may be: as many as the settings say, if the process may have so many files open. The
    /// store has some, and each stream two more.
    private func connectionLimit() -> Int {
        let others = Self.refusals + 256 + 2 * settings.maximumStreams
        let files = StoreService.raiseOpenFiles(to: settings.maximumConnections + others)
        let limit = min(settings.maximumConnections, max(1, files - others))
        if limit < settings.maximumConnections {
            logger.warning(
                "fewer connections are accepted than http.max-connections says: raise LimitNOFILE (ulimit -n)",
                metadata: ["connections": "\(limit)", "needed": "\(settings.maximumConnections + others)"])
        }
        return limit
    }

    /// TLS 1.2 with forward secrecy, or 1.3.
    private static func tls(_ certificate: String, _ key: String) throws -> TLSConfiguration {
        func reading<R>(_ setting: String, _ file: String, _ body: () throws -> R) throws -> R {
            do { return try body() } catch {
                throw SettingsError("\(setting): '\(file)' can't be read as PEM, \(error)")
            }
        }
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try reading("tls.certificate", certificate) {
                try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) }
            },
            privateKey: .privateKey(try reading("tls.key", key) { try NIOSSLPrivateKey(file: key, format: .pem) }))
        tls.minimumTLSVersion = .tlsv12
        tls.cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        return tls
    }

    /// What runs beside the server, in the order in which it starts. At shutdown the server ends first, then these in
    /// reverse order, so that requests find what they need. Further services go here.
    public var services: [any Service] {
        [persist, sampler] + (summaries?.services(JobMetrics(registry: registry), logger) ?? [])
    }
}
