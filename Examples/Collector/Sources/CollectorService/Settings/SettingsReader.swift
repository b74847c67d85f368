public import Configuration
import Heartwood
import HeartwoodEtcd
import HeartwoodService
import Logging
import SystemPackage

extension Settings {
    /// Reads the settings of a service: arguments go before the environment, and that before the file.
    ///
    /// `http.port` is `--http-port` as an argument, and `COLLECTOR_HTTP_PORT` in the environment and in the file.
    ///
    /// - Parameters:
    ///   - arguments: With the name of the program first.
    ///   - environment: The process's variables.
    /// - Throws: `SettingsError`; what the file can't be read for.
    public static func read(arguments: [String], environment: [String: String]) async throws -> Settings {
        try checkNames(arguments)
        let line = CommandLineArgumentsProvider(arguments: arguments)
        let variables = EnvironmentVariablesProvider(environmentVariables: environment)
        var providers: [any ConfigProvider] = [line, variables.prefixKeys(with: "collector")]
        if let file = ConfigReader(providers: providers).string(forKey: "config") {
            let provider = try await EnvironmentVariablesProvider(environmentFilePath: FilePath(file))
            providers.append(provider.prefixKeys(with: "collector"))
        }
        return try await Settings(ConfigReader(providers: providers))
    }

    /// Reads the settings of a configuration.
    ///
    /// - Throws: `SettingsError`, or a `StoreError`, for a value that can't be used.
    public init(_ config: ConfigReader) async throws {
        self.init()
        let reader = SettingsReader(config: config)
        try reader.text("http.host", into: &host)
        try reader.number("http.port", 0...65_535, into: &port)
        try reader.seconds("http.idle-timeout", into: &idleTimeout)
        try reader.seconds("http.body-timeout", into: &bodyTimeout)
        try reader.number("http.max-body-bytes", 1_024...(1 << 30), into: &maximumBodyBytes)
        try reader.number("http.max-header-bytes", 1_024...(1 << 20), into: &maximumHeaderBytes)
        try reader.number("http.max-connections", 1...1_000_000, into: &maximumConnections)
        certificate = reader.text("tls.certificate")
        privateKey = reader.text("tls.key")
        guard (certificate == nil) == (privateKey == nil) else {
            throw SettingsError("tls.certificate and tls.key: give both, or none")
        }
        if let path = reader.text("store.path") { store = path == "none" ? nil : path }
        storeConfiguration = try await Store.Configuration(config: config.scoped(to: "store"))
        storeOptions = try await StoreService.Options(config: config.scoped(to: "store"))
        cluster = try reader.cluster()
        if let seconds = try reader.number("events.retention", 0...3_155_760_000) {
            retention = seconds == 0 ? nil : .seconds(seconds)
        }
        hasTypeIndex = try reader.flag("events.type-index") ?? hasTypeIndex
        try reader.number("events.max-per-request", 1...Self.mostEvents, into: &maximumEvents)
        try reader.number("events.max-bytes", 64...(16 << 20), into: &maximumEventBytes)
        if let days = try reader.number("summaries.days", 0...3_650) {
            summaryLifetime = days == 0 ? nil : .seconds(days * 86_400)
        }
        if let hours = try reader.number("idempotency.hours", 1...8_760) { idempotency = .seconds(hours * 3_600) }
        tokens = try reader.tokens("tokens.write", .write) + reader.tokens("tokens.read", .read)
        if let rate = try reader.number("limits.requests-per-second", 0...10_000_000) {
            requestsPerSecond = rate == 0 ? nil : rate
        }
        try reader.number("limits.buffered-bytes", (64 << 10)...(1 << 40), into: &maximumBufferedBytes)
        guard maximumBufferedBytes >= 2 * max(maximumBodyBytes, maximumEventBytes) else {
            throw SettingsError(
                "limits.buffered-bytes is \(maximumBufferedBytes): choose at least twice http.max-body-bytes and "
                    + "events.max-bytes")
        }
        try reader.number("limits.streams", 0...100_000, into: &maximumStreams)
        try reader.number("limits.logins-per-minute", 1...1_000, into: &loginsPerMinute)
        if let days = try reader.number("sessions.days", 1...365) { sessionLifetime = .seconds(days * 86_400) }
        secureCookies = try reader.flag("sessions.secure") ?? (certificate != nil)
        try reader.seconds("shutdown.timeout", into: &shutdownTimeout)
        try reader.seconds("stream.heartbeat", into: &heartbeat)
        if let level = reader.text("log.level") {
            guard Logger.Level(rawValue: level) != nil else {
                let levels = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
                throw SettingsError("log.level is '\(level)': choose one of \(levels)")
            }
            logLevel = level
        }
    }

    /// Every setting, as arguments.
    private static let names: Set<String> = [
        "config", "http-host", "http-port", "http-idle-timeout", "http-body-timeout", "http-max-body-bytes",
        "http-max-header-bytes", "http-max-connections", "tls-certificate", "tls-key",
        "store-path", "events-retention", "events-max-per-request", "events-max-bytes", "events-type-index",
        "summaries-days", "idempotency-hours",
        "tokens-write", "tokens-read", "limits-requests-per-second", "limits-streams", "limits-buffered-bytes",
        "limits-logins-per-minute",
        "sessions-days", "sessions-secure", "shutdown-timeout", "stream-heartbeat", "log-level",
        // Of the store: Documentation/Services.md describes them.
        "store-name", "store-segment-bytes", "store-maximum-value-bytes", "store-commit-buffer-bytes",
        "store-value-reading", "store-log-writing", "store-compression-level", "store-compression-threshold",
        "store-compaction-automatic", "store-compaction-minimum-log-bytes", "store-compaction-log-per-live-byte",
        "store-compaction-maximum-log-bytes", "store-compaction-maximum-segments", "store-compaction-interval",
        "store-log-retention", "store-create-if-missing", "store-strict-recovery", "store-metrics-interval",
        "store-metrics-slow-sync",
        "etcd-endpoints", "etcd-prefix", "etcd-user", "etcd-password", "etcd-ca", "etcd-certificate", "etcd-key",
        "etcd-deadline",
    ]

    /// An argument with a mistake in its name would have no effect.
    private static func checkNames(_ arguments: [String]) throws {
        for argument in arguments.dropFirst() where argument.hasPrefix("--") {
            let name = String(argument.dropFirst(2).prefix { $0 != "=" })
            guard names.contains(name) else {
                throw SettingsError("--\(name) is no setting: README.md has the table of all settings")
            }
        }
    }
}

/// Reads settings, and refuses what can't be used instead of taking the default.
struct SettingsReader {
    let config: ConfigReader

    func text(_ key: ConfigKey) -> String? { config.string(forKey: key) }

    func text(_ key: ConfigKey, into value: inout String) throws {
        if let text = text(key) { value = text }
    }

    func number(_ key: ConfigKey, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text = text(key) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw SettingsError("\(key) is '\(text)': choose a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func number(_ key: ConfigKey, _ range: ClosedRange<Int>, into value: inout Int) throws {
        if let number = try number(key, range) { value = number }
    }

    func seconds(_ key: ConfigKey, into value: inout Duration) throws {
        if let number = try number(key, 1...86_400) { value = .seconds(number) }
    }

    func flag(_ key: ConfigKey) throws -> Bool? {
        guard let text = text(key) else { return nil }
        switch text.lowercased() {
        case "true", "yes", "1": return true
        case "false", "no", "0": return false
        default: throw SettingsError("\(key) is '\(text)': choose true or false")
        }
    }

    /// Values with commas between them. As one string, an argument with commas couldn't be read.
    func list(_ key: ConfigKey, isSecret: Bool = false) -> [Substring]? {
        config.stringArray(forKey: key, isSecret: isSecret)?.map { $0[...].trimmingSpaces() }
    }

    /// `name:secret,name:secret`.
    func tokens(_ key: ConfigKey, _ scope: Client.Scope) throws -> [(client: Client, secret: String)] {
        let list = list(key, isSecret: true) ?? []
        return try list.filter { !$0.isEmpty }.map { token in
            let parts = token.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[1].utf8.count >= 16 else {
                throw SettingsError("\(key): write NAME:SECRET,NAME:SECRET, with secrets of 16 bytes and more")
            }
            return (Client(name: String(parts[0]), scope: scope), String(parts[1]))
        }
    }
}
