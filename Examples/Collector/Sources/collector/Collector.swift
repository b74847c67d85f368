import Foundation
import HTTPTypes
import Heartwood
import HeartwoodHummingbird
import HeartwoodService
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle
import UnixSignals

/// What the handlers of a request share.
struct CollectorContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    /// Answers of one state have one text.
    var responseEncoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }

    /// The address of the other end; of the proxy, if there is one.
    var address: String { channel.remoteAddress?.ipAddress ?? "unknown" }
}

/// The service: its routes, and what runs beside them.
struct Collector: Sendable {
    let settings: Settings
    /// Where the events are, on files or on a cluster; nil for measurements without a store.
    let store: (any KeyValueStore)?
    let registry: MetricsRegistry
    let logger: Logger
    let persist: any PersistDriver
    let memory: Slots
    let access: Access
    let ingest: Ingest
    let events: ServerSentEvents
    let sampler: StatsSampler
    let summaries: Summaries?

    /// Prepares the service. The caller opens the store, and closes it after the service has ended.
    ///
    /// - Parameter clock: The time of events without one, and of sessions without a store. As of the store.
    /// - Throws: `StoreError` if the store can't be read, or can't be written for another reason than a full disk.
    init(
        _ settings: Settings, store: (any KeyValueStore)?, registry: MetricsRegistry, logger: Logger,
        clock: any StoreClock = SystemClock()
    ) async throws {
        (self.settings, self.store, self.registry, self.logger) = (settings, store, registry, logger)
        persist =
            store.map { HeartwoodPersistDriver($0, prefix: Keys.persist, durability: .synced) }
            ?? MemoryPersistDriver()
        memory = Slots(settings.maximumBufferedBytes)
        access = Access(settings, persist, memory: memory, clock: clock)
        let numbers = EventNumbers(store)
        do {
            _ = try await numbers.take(0)
        } catch let error as StoreError where error.code == .outOfSpace {
            // Reads are answered, and events are taken when there is space.
            logger.warning("events are refused until there is space", metadata: ["error": "\(error)"])
        }
        let window = SummaryWindow(lifetime: settings.summaryLifetime, retention: settings.retention)
        if store != nil && window == nil { logger.notice("no summaries of hours are made: see GET /summaries") }
        summaries = if let store, let window { try await Summaries(store, window, registry, logger) } else { nil }
        let metrics = IngestMetrics(registry)
        ingest = Ingest(
            store: store, settings: settings, numbers: numbers, access: access,
            body: BodyReader(
                maximumBytes: settings.maximumBodyBytes, timeout: settings.bodyTimeout, memory: memory),
            clock: clock, metrics: metrics, window: store == nil ? nil : window)
        events = ServerSentEvents(slots: Slots(settings.maximumStreams), heartbeat: settings.heartbeat)
        sampler = StatsSampler(store, metrics, streams: events.slots, clock: clock)
    }

    private func router() -> Router<CollectorContext> {
        let router = Router(context: CollectorContext.self, options: .autoGenerateHeadEndpoints)
        router.add(
            middleware: ProblemMiddleware(
                isSecure: settings.certificate != nil, memory: memory,
                refusals: TokenBucket.Table(rate: settings.refusalsPerSecond)))
        router.post("/events") { request, _ in try await ingest.post(request) }

        let open = router.group().add(middleware: MetricsMiddleware())
        addPage(to: open)
        open.get("/health") { _, _ in ["status": "alive"] }
        open.get("/ready") { _, _ in await Readiness(store) }
        open.post("/login") { request, context in try await access.login(request, context) }
        open.post("/logout") { request, _ in try await access.logout(request) }
        open.get("/session") { request, _ in ["isOpen": try await access.isOpen(request)] }

        let readers = router.group().add(middleware: MetricsMiddleware()).add(
            middleware: AccessMiddleware(access: access))
        let (listing, stream) = (Listing(store: store, settings: settings), EventStream(store: store, events: events))
        readers.get("/events") { request, _ in try await listing.page(request.uri) }
        readers.get("/events/count") { request, _ in try await listing.count(request.uri) }
        readers.get("/events/stream") { request, context in try await stream.get(request, context) }
        readers.get("/events/:id") { _, context in try await listing.event(context) }

        let summaries = SummaryRoutes(summaries: summaries)
        readers.get("/summaries") { request, _ in try await summaries.list(request.uri) }
        readers.get("/jobs") { _, _ in try await summaries.jobs() }
        open.post("/jobs/retry") { request, _ in
            _ = try access.authorize(request.headers, .write)
            return try await summaries.retry()
        }

        readers.get("/stats") { _, _ in sampler.samples }
        readers.get("/stats/stream") { request, context in
            try events.response(to: request, context) { output in try await sampler.send(to: output) }
        }
        readers.get("/metrics") { _, _ in await metrics() }
        return router
    }

    /// The page at `/`, and its files, which are part of the program.
    private func addPage(to group: RouterGroup<CollectorContext>) {
        let files: [(path: RouterPath, bytes: [UInt8], type: String)] = [
            ("/", PackageResources.page_html, "text/html; charset=utf-8"),
            ("/page.css", PackageResources.page_css, "text/css; charset=utf-8"),
            ("/page.js", PackageResources.page_js, "text/javascript; charset=utf-8"),
            ("/icon.svg", PackageResources.icon_svg, "image/svg+xml"),
        ]
        for (path, bytes, type) in files {
            let headers: HTTPFields = [
                .contentType: type, .cacheControl: "no-cache", HTTPField.Name("Referrer-Policy")!: "no-referrer",
                // It may load its own files and data, and nothing else.
                .contentSecurityPolicy: "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                    + "img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            ]
            group.get(path) { _, _ in
                Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
            }
        }
    }

    private func metrics() async -> Response {
        // The other metrics are there when the store is closed.
        try? await summaries?.updateMetrics()
        registry.gauge("collector.streams").set(Double(events.slots.count))
        return Response(ByteBuffer(string: registry.text), type: "text/plain; version=0.0.4; charset=utf-8")
    }

    // MARK: Running

    /// The server.
    ///
    /// - Throws: If the certificate or its key can't be read.
    func application() throws -> some ApplicationProtocol {
        let limit = connectionLimit()
        let connections = Slots(limit)
        var server = HTTPServerBuilder.http1(
            configuration: .init(
                // Later than the answer to a body that is read too slowly, so that the client gets it.
                additionalChannelHandlers: [ConnectionHandler(settings.bodyTimeout + .seconds(2), of: connections)],
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
    var services: [any Service] { [persist, sampler] + (summaries.map { [$0, $0.workers] } ?? []) }

    /// The store, the services on it, and the server, which is the first to end.
    func serviceGroup(_ store: StoreService? = nil) throws -> ServiceGroup {
        let all = [store].compactMap { $0 as (any Service)? } + services + [try application()]
        var configuration = ServiceGroupConfiguration(
            services: all.map { .init(service: $0) }, gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        // Then what is still running is cancelled.
        configuration.maximumGracefulShutdownDuration = settings.shutdownTimeout
        configuration.maximumCancellationDuration = .seconds(5)
        return ServiceGroup(configuration: configuration)
    }
}

/// `GET /ready`: whether events are taken.
struct Readiness: ResponseGenerator, Encodable {
    var ready = true
    var state = "ready"
    var reason: String?

    init(_ store: (any KeyValueStore)?) async {
        if let files = store as? Store {
            state = "\(files.statistics.state)"
            switch files.statistics.state {
            case .ready: return
            case .outOfSpace: reason = "the disk has no space: events are refused until there is some; reads work"
            case .failed: reason = "a write to the disk failed: events are refused until the service is restarted"
            case .closed: reason = "the store is closed: the service is stopping"
            }
        } else if let store {
            do {
                // A key that each opening sets.
                _ = try await store.fetchEntry(Keys.numbers)
            } catch {
                (state, reason) = ("\(error.code)", "the cluster doesn't answer: check it, and etcd.endpoints")
            }
        } else {
            state = "none"
        }
        ready = reason == nil
    }

    func response(from request: Request, context: some RequestContext) throws -> Response {
        var response = try context.responseEncoder.encode(self, from: request, context: context)
        if !ready { response.status = .serviceUnavailable }
        return response
    }
}
