import Foundation
import Heartwood
import HeartwoodEtcd
import HeartwoodService
import Testing

@testable import collector

@Suite struct SettingsTests {
    private static let tokens = ["COLLECTOR_TOKENS_WRITE": "web:0123456789abcdef", "COLLECTOR_TOKENS_READ": ""]

    @Test func argumentsGoBeforeTheEnvironmentAndThatBeforeTheFile() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("collector-\(UUID()).env")
        try "COLLECTOR_HTTP_PORT=1\nCOLLECTOR_HTTP_HOST=file\nCOLLECTOR_LIMITS_STREAMS=3\n"
            .write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        var environment = Self.tokens
        environment["COLLECTOR_HTTP_PORT"] = "2"
        environment["COLLECTOR_HTTP_HOST"] = "environment"
        let settings = try await Settings.read(
            arguments: ["collector", "--config", file.path, "--http-port", "3", "--store-path=none"],
            environment: environment)
        #expect(settings.port == 3)
        #expect(settings.host == "environment")
        #expect(settings.maximumStreams == 3)
        #expect(settings.store == nil)
        #expect(settings.tokens.map(\.client) == [Client(name: "web", scope: .write)])
    }

    @Test func anArgumentCanHaveSeveralTokens() async throws {
        let settings = try await Settings.read(
            arguments: ["collector", "--tokens-write", "a:0123456789abcdef,b:0123456789abcdef"], environment: [:])
        #expect(settings.tokens.map(\.client.name) == ["a", "b"])
    }

    @Test(
        arguments: [
            ([], 30, 365), (["--events-retention", "0", "--summaries-days", "0"], nil, nil),
            (["--events-retention", "86400", "--summaries-days", "7"], 1, 7),
        ] as [([String], Int?, Int?)])
    func zeroIsNone(_ arguments: [String], _ retention: Int?, _ summaries: Int?) async throws {
        let settings = try await Settings.read(arguments: ["collector"] + arguments, environment: [:])
        #expect(settings.port == 8080 && settings.store == "collector.store" && settings.tokens.isEmpty)
        #expect(settings.retention == retention.map { .seconds($0 * 86_400) })
        #expect(settings.summaryLifetime == summaries.map { .seconds($0 * 86_400) })
    }

    @Test(arguments: [
        ["--http-port", "eighty"], ["--http-port", "70000"], ["--http-prot", "80"], ["--events-max-bytes", "-1"],
        ["--tokens-write", "no-name"], ["--tokens-write", "web:short"], ["--tls-key", "key.pem"],
        ["--sessions-secure", "perhaps"], ["--log-levle=debug"], ["--summaries-days", "4000"],
        ["--log-level", "banana"], ["--store-segmnt-bytes=1048576"], ["--limits-buffered-bytes", "65536"],
        ["--etcd-endpoints", ""], ["--etcd-endpoints", "etcd-1:port"], ["--etcd-endpoints", "etcd-1,,etcd-2:http"],
        ["--etcd-user", "collector"], ["--etcd-endpoints", "etcd-1", "--etcd-user", "collector"],
        ["--etcd-prefix", "a/"], ["--etcd-endpoints", "etcd-1", "--etcd-deadline", "0"],
    ])
    func whatCanNotBeUsedIsRefused(_ arguments: [String]) async {
        await #expect(throws: SettingsError.self) {
            try await Settings.read(arguments: ["collector"] + arguments, environment: [:])
        }
    }

    /// Each line of the example is a setting, those after a '#' with the default.
    @Test func theExampleListsSettingsAndDefaults() async throws {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let text = try String(contentsOf: package.appendingPathComponent("deploy/collector.env"), encoding: .utf8)
        let arguments = text.matches(of: /(?m)^#?COLLECTOR_([A-Z_]+)=(.*)$/).map { match in
            "--\(match.1.lowercased().replacing("_", with: "-"))=\(match.2)"
        }
        #expect(Set(arguments).count == arguments.count && arguments.count == 35)
        let (settings, defaults) = (
            try await Settings.read(arguments: ["collector"] + arguments, environment: [:]), Settings()
        )
        #expect(settings.idleTimeout == defaults.idleTimeout && settings.bodyTimeout == defaults.bodyTimeout)
        #expect(settings.maximumBodyBytes == defaults.maximumBodyBytes && settings.store == defaults.store)
        #expect(settings.retention == defaults.retention && settings.summaryLifetime == defaults.summaryLifetime)
        #expect(settings.maximumBufferedBytes == defaults.maximumBufferedBytes && settings.hasTypeIndex)
        #expect(settings.heartbeat == defaults.heartbeat && settings.logLevel == defaults.logLevel)
        #expect(settings.cluster?.endpoints.count == 3 && settings.certificate != nil)
    }

    @Test func aClusterIsUsedIfItsEndpointsAreGiven() async throws {
        let plain = try await Settings.read(
            arguments: ["collector", "--etcd-endpoints", "etcd-1:2379, etcd-2"], environment: [:])
        #expect(plain.cluster?.endpoints == [.init(host: "etcd-1"), .init(host: "etcd-2")])
        #expect(plain.cluster?.prefix == Array("collector/".utf8))
        #expect(plain.cluster?.tls == nil && plain.cluster?.credentials == nil)
        let secured = try await Settings.read(
            arguments: ["collector", "--etcd-ca", "ca.pem", "--etcd-prefix", "events/", "--etcd-deadline", "5"],
            environment: [
                "COLLECTOR_ETCD_ENDPOINTS": "https://[::1]:12379", "COLLECTOR_ETCD_USER": "collector",
                "COLLECTOR_ETCD_PASSWORD": "secret",
            ])
        #expect(secured.cluster?.endpoints == [.init(host: "::1", port: 12_379, usesTLS: true)])
        #expect(secured.cluster?.tls == .init(trustRoots: "ca.pem"))
        #expect(secured.cluster?.credentials == .init(user: "collector", password: "secret"))
        #expect(secured.cluster?.prefix == Array("events/".utf8))
        #expect(secured.cluster?.deadline == .seconds(5))
    }

    @Test func settingsOfTheStoreAreRead() async throws {
        let settings = try await Settings.read(
            arguments: ["collector", "--store-segment-bytes", "1048576"],
            environment: ["COLLECTOR_STORE_METRICS_INTERVAL": "0.5"])
        #expect(settings.storeConfiguration.segmentBytes == 1 << 20)
        #expect(settings.storeOptions.interval == .milliseconds(500))
        await #expect(throws: StoreError.self) {
            try await Settings.read(arguments: ["collector", "--store-segment-bytes", "small"], environment: [:])
        }
    }
}
