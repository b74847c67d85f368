import Configuration
import Foundation
import Heartwood
import HeartwoodEtcd
import HeartwoodService
import Logging
import Synchronization
import SystemPackage

/// How the service works. deploy/collector.env lists all settings.
struct Settings: Sendable {
    var host = "127.0.0.1"
    /// 0 lets the system choose one.
    var port = 8080
    var idleTimeout = Duration.seconds(30)
    var bodyTimeout = Duration.seconds(30)
    var maximumBodyBytes = 8 << 20
    var maximumHeaderBytes = 16 << 10
    var maximumConnections = 4_096
    /// Files in PEM; nil for HTTP without TLS.
    var certificate, privateKey: String?

    /// The directory of the store; nil for none, which is for measurements only.
    var store: String? = "collector.store"
    var storeConfiguration = Store.Configuration()
    var storeOptions = StoreService.Options()
    /// The cluster that the events are on; nil for files.
    var cluster: EtcdStore.Configuration?

    /// How long events exist, from their arrival; nil for ever.
    var retention: Duration? = .seconds(30 * 86_400)
    var hasTypeIndex = true
    var maximumEvents = 10_000
    var maximumEventBytes = 64 << 10
    /// How long the summaries of hours are kept; nil for no summaries.
    var summaryLifetime: Duration? = .seconds(365 * 86_400)
    var idempotency = Duration.seconds(86_400)

    var tokens: [(client: Client, secret: String)] = []
    /// Of each client; nil for no limit.
    var requestsPerSecond: Int?
    var maximumBufferedBytes = 256 << 20
    var maximumStreams = 100
    /// Of each address.
    var loginsPerMinute = 10
    /// Requests with a wrong token, of each address.
    var refusalsPerSecond = 20

    var sessionLifetime = Duration.seconds(7 * 86_400)
    var secureCookies = false
    var shutdownTimeout = Duration.seconds(20)
    var heartbeat = Duration.seconds(15)
    var logLevel = Logger.Level.info
}

/// A setting that can't be used: what it is, and what would do.
struct SettingsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

extension Settings {
    /// Reads the settings of a service: arguments go before the environment, and that before the file.
    ///
    /// `http.port` is `--http-port` as an argument, and `COLLECTOR_HTTP_PORT` in the environment and in the file.
    ///
    /// - Parameter arguments: With the name of the program first.
    /// - Throws: `SettingsError` or `StoreError`; what the file can't be read for.
    static func read(arguments: [String], environment: [String: String]) async throws -> Settings {
        let names = AskedNames()
        var providers: [any ConfigProvider] = [
            CommandLineArgumentsProvider(arguments: arguments),
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "collector"),
        ]
        if let file = ConfigReader(providers: providers, accessReporter: names).string(forKey: "config") {
            let provider = try await EnvironmentVariablesProvider(environmentFilePath: FilePath(file))
            providers.append(provider.prefixKeys(with: "collector"))
        }
        var settings = Settings()
        try await settings.read(SettingsReader(config: ConfigReader(providers: providers, accessReporter: names)))
        for argument in arguments.dropFirst() where argument.hasPrefix("--") {
            let name = argument.prefix { $0 != "=" }
            guard names.contains(String(name)) else {
                throw SettingsError("\(name) is no setting: deploy/collector.env lists all")
            }
        }
        return settings
    }

    private mutating func read(_ reader: SettingsReader) async throws {
        host = reader.text("http.host") ?? host
        try reader.number("http.port", 0...65_535, into: &port)
        try reader.seconds("http.idle-timeout", into: &idleTimeout)
        try reader.seconds("http.body-timeout", into: &bodyTimeout)
        try reader.number("http.max-body-bytes", 1_024...(1 << 30), into: &maximumBodyBytes)
        try reader.number("http.max-header-bytes", 1_024...(1 << 20), into: &maximumHeaderBytes)
        try reader.number("http.max-connections", 1...1_000_000, into: &maximumConnections)
        (certificate, privateKey) = try reader.both("tls.certificate", "tls.key") ?? (nil, nil)
        if let path = reader.text("store.path") { store = path == "none" ? nil : path }
        storeConfiguration = try await Store.Configuration(config: reader.config.scoped(to: "store"))
        storeOptions = try await StoreService.Options(config: reader.config.scoped(to: "store"))
        cluster = try reader.cluster()
        try reader.optional("events.retention", 0...3_155_760_000, into: &retention)
        try reader.flag("events.type-index", into: &hasTypeIndex)
        try reader.number("events.max-per-request", 1...1_000_000, into: &maximumEvents)
        try reader.number("events.max-bytes", 64...(16 << 20), into: &maximumEventBytes)
        try reader.optional("summaries.days", 0...3_650, unit: 86_400, into: &summaryLifetime)
        try reader.seconds("idempotency.hours", 1...8_760, unit: 3_600, into: &idempotency)
        tokens = try reader.tokens("tokens.write", .write) + reader.tokens("tokens.read", .read)
        var rate = 0
        try reader.number("limits.requests-per-second", 0...10_000_000, into: &rate)
        requestsPerSecond = rate == 0 ? nil : rate
        try reader.number("limits.buffered-bytes", (64 << 10)...(1 << 40), into: &maximumBufferedBytes)
        guard maximumBufferedBytes >= 2 * max(maximumBodyBytes, maximumEventBytes) else {
            throw SettingsError(
                "limits.buffered-bytes is \(maximumBufferedBytes): choose at least twice http.max-body-bytes and "
                    + "events.max-bytes")
        }
        try reader.number("limits.streams", 0...100_000, into: &maximumStreams)
        try reader.number("limits.logins-per-minute", 1...1_000, into: &loginsPerMinute)
        try reader.seconds("sessions.days", 1...365, unit: 86_400, into: &sessionLifetime)
        secureCookies = certificate != nil
        try reader.flag("sessions.secure", into: &secureCookies)
        try reader.seconds("shutdown.timeout", into: &shutdownTimeout)
        try reader.seconds("stream.heartbeat", into: &heartbeat)
        let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        try reader.choice("log.level", "one of \(levels)", into: &logLevel) { Logger.Level(rawValue: $0) }
    }
}

/// The settings that were asked for, as arguments. An argument with another name would have no effect.
private final class AskedNames: AccessReporter {
    private let names = Mutex<Set<String>>([])

    func report(_ event: AccessEvent) {
        let words = event.metadata.key.components.map { part in
            part.replacing(/[A-Z]/) { "-\($0.output.lowercased())" }
        }
        names.withLock { _ = $0.insert("--" + words.joined(separator: "-")) }
    }

    func contains(_ name: String) -> Bool { names.withLock { $0.contains(name) } }
}

/// Reads settings, and refuses what can't be used instead of taking the default.
private struct SettingsReader {
    let config: ConfigReader

    func text(_ key: ConfigKey) -> String? { config.string(forKey: key) }

    /// - Parameter parse: Nil for a text that can't be used.
    func choice<Value>(
        _ key: ConfigKey, _ choices: String, into value: inout Value, parse: (String) -> Value?
    ) throws {
        guard let text = text(key) else { return }
        guard let parsed = parse(text) else { throw SettingsError("\(key) is '\(text)': choose \(choices)") }
        value = parsed
    }

    func number(_ key: ConfigKey, _ range: ClosedRange<Int>, into value: inout Int) throws {
        try choice(key, "a number from \(range.lowerBound) to \(range.upperBound)", into: &value) { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    func seconds(
        _ key: ConfigKey, _ range: ClosedRange<Int> = 1...86_400, unit: Int = 1, into value: inout Duration
    ) throws {
        var number = Int(value.components.seconds) / unit
        try self.number(key, range, into: &number)
        value = .seconds(number * unit)
    }

    /// A time of which 0 means none.
    func optional(_ key: ConfigKey, _ range: ClosedRange<Int>, unit: Int = 1, into value: inout Duration?) throws {
        var duration = value ?? .zero
        try seconds(key, range, unit: unit, into: &duration)
        value = duration == .zero ? nil : duration
    }

    func flag(_ key: ConfigKey, into value: inout Bool) throws {
        let words = ["true": true, "yes": true, "1": true, "false": false, "no": false, "0": false]
        try choice(key, "true or false", into: &value) { words[$0.lowercased()] }
    }

    /// Two settings of which none is of use without the other.
    func both(_ first: ConfigKey, _ second: ConfigKey) throws -> (String, String)? {
        switch (config.string(forKey: first), config.string(forKey: second, isSecret: true)) {
        case (let first?, let second?): return (first, second)
        case (nil, nil): return nil
        default: throw SettingsError("\(first) and \(second): give both, or none")
        }
    }

    /// Values with commas between them. As one string, an argument with commas couldn't be read.
    private func list(_ key: ConfigKey, isSecret: Bool = false) -> [String]? {
        config.stringArray(forKey: key, isSecret: isSecret)?.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// `name:secret,name:secret`.
    func tokens(_ key: ConfigKey, _ scope: Client.Scope) throws -> [(client: Client, secret: String)] {
        try (list(key, isSecret: true) ?? []).filter { !$0.isEmpty }.map { token in
            let parts = token.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[1].utf8.count >= 16 else {
                throw SettingsError("\(key): write NAME:SECRET,NAME:SECRET, with secrets of 16 bytes and more")
            }
            return (Client(name: String(parts[0]), scope: scope), String(parts[1]))
        }
    }

    /// The settings `etcd.…`; nil without `etcd.endpoints`.
    func cluster() throws -> EtcdStore.Configuration? {
        let prefix = text("etcd.prefix")
        let credentials = try both("etcd.user", "etcd.password")
        let files = EtcdStore.Configuration.TLS(
            trustRoots: text("etcd.ca"), certificateChain: text("etcd.certificate"), privateKey: text("etcd.key"))
        let hasDeadline = text("etcd.deadline") != nil
        guard let names = list("etcd.endpoints") else {
            if prefix != nil || credentials != nil || files != .init() || hasDeadline {
                throw SettingsError("etcd.…: give etcd.endpoints, too, or leave the others out")
            }
            return nil
        }
        let endpoints = names.compactMap { EtcdStore.Configuration.Endpoint($0) }
        guard !names.isEmpty, endpoints.count == names.count else {
            let text = names.joined(separator: ",")
            throw SettingsError("etcd.endpoints is '\(text)': write HOST:PORT,HOST:PORT")
        }
        var configuration = EtcdStore.Configuration(endpoints: endpoints, prefix: prefix ?? "collector/")
        if files != .init() { configuration.tls = files }
        configuration.credentials = credentials.map { .init(user: $0, password: $1) }
        try seconds("etcd.deadline", into: &configuration.deadline)
        return configuration
    }
}
