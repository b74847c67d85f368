import Configuration
import Heartwood
import HeartwoodService
import HeartwoodTesting
import MetricsTestKit
import Testing

/// Stores and services from settings.
@Suite struct SettingsTests {
    private func reader(_ values: [AbsoluteConfigKey: ConfigValue]) -> ConfigReader {
        ConfigReader(provider: InMemoryProvider(values: values))
    }

    private func configuration(_ values: [AbsoluteConfigKey: ConfigValue]) async throws -> Store.Configuration {
        try await Store.Configuration(config: reader(values).scoped(to: "store"))
    }

    @Test func nothingSetGivesTheDefaults() async throws {
        let (read, defaults) = (try await configuration([:]), Store.Configuration())
        #expect(read.durability == defaults.durability && read.segmentBytes == defaults.segmentBytes)
        #expect(read.maximumValueBytes == defaults.maximumValueBytes)
        #expect(read.commitBufferBytes == defaults.commitBufferBytes)
        #expect(read.valueReading == defaults.valueReading && read.logWriting == defaults.logWriting)
        #expect(read.compression == defaults.compression && read.compaction == defaults.compaction)
        #expect(read.logRetention == defaults.logRetention)
        #expect(read.createIfMissing == defaults.createIfMissing && read.strictRecovery == defaults.strictRecovery)
    }

    @Test func everySettingIsRead() async throws {
        let read = try await configuration([
            "store.durability": "written", "store.segmentBytes": 1_048_576, "store.maximumValueBytes": 4_096,
            "store.commitBufferBytes": 65_536, "store.valueReading": "mapped", "store.logWriting": "calls",
            "store.compression.level": 6, "store.compression.threshold": 100, "store.compaction.automatic": false,
            "store.compaction.minimumLogBytes": 10, "store.compaction.logPerLiveByte": 2.5,
            "store.compaction.maximumLogBytes": 20, "store.compaction.maximumSegments": 30,
            "store.compaction.interval": 1.5, "store.logRetention": "1000", "store.createIfMissing": false,
            "store.strictRecovery": true,
        ])
        #expect(read.durability == .written && read.segmentBytes == 1 << 20 && read.maximumValueBytes == 4_096)
        #expect(read.commitBufferBytes == 65_536 && read.valueReading == .mapped && read.logWriting == .calls)
        #expect(read.compression == .zlib(level: 6, threshold: 100))
        #expect(!read.compaction.isAutomatic && read.compaction.minimumLogBytes == 10)
        #expect(read.compaction.logPerLiveByte == 2.5 && read.compaction.maximumLogBytes == 20)
        #expect(read.compaction.maximumSegments == 30 && read.compaction.interval == .milliseconds(1_500))
        #expect(read.logRetention == .bytes(1_000) && !read.createIfMissing && read.strictRecovery)
    }

    /// `ConfigReader` takes a value of a wrong type for an absent one; a store must not run with another setting than
    /// the one that was written.
    @Test(arguments: [
        ("durability", "sinked"), ("segmentBytes", "many"), ("segmentBytes", "1"), ("maximumValueBytes", "-1"),
        ("maximumValueBytes", "2147348481"),
        ("commitBufferBytes", "99999999999"), ("valueReading", "magic"), ("logWriting", ""),
        ("compression.level", "10"), ("compression.threshold", "1"), ("compaction.automatic", "perhaps"),
        ("compaction.minimumLogBytes", "-5"), ("compaction.logPerLiveByte", "nan"),
        ("compaction.logPerLiveByte", "-1"), ("compaction.maximumSegments", "0"),
        ("compaction.interval", "0"), ("compaction.interval", "99999999999"), ("logRetention", "some"),
        ("logRetention", "-1"), ("createIfMissing", "maybe"), ("strictRecovery", "2"),
        ("metrics.interval", "0"), ("metrics.slowSync", "x"), ("path", ""),
    ])
    func aWrongValueIsNamed(key: String, value: String) async throws {
        var environment = ["STORE_PATH": "/data/store"]
        environment["STORE_" + Self.variable(key)] = value
        let config = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: environment))
        let found = try #require(await error { _ = try await StoreService.open(config: config.scoped(to: "store")) })
        #expect(found.code == .invalidArgument)
        #expect(found.message.contains("\"\(key)\""), "\(found.message)")
        #expect(value.isEmpty || key == "path" || "\(found)".contains(value) || found.cause != nil, "\(found)")
    }

    @Test func aServiceIsOpenedFromItsSettings() async throws {
        let directory = TemporaryPath()
        defer { directory.remove() }
        let fixture = ServiceFixture()
        let config = reader([
            "store.path": ConfigValue(.string(directory.path), isSecret: false), "store.name": "events",
            "store.durability": "buffered", "store.metrics.interval": 0.5, "store.metrics.slowSync": 2.0,
        ])
        let service = try await StoreService.open(config: config.scoped(to: "store"), options: fixture.options)
        try await service.store.put("a", "1")
        try await service.store.close()
        #expect(fixture.metrics.counters(label: "heartwood.records", dimensions: [("store", "events")]).count == 1)
        let missing = await error { _ = try await StoreService.open(config: reader([:])) }
        #expect(missing?.code == .invalidArgument && missing?.message.contains("\"path\"") == true)
    }

    /// As the provider of environment variables writes a key.
    private static func variable(_ key: String) -> String {
        var name = ""
        for character in key {
            if character == "." {
                name += "_"
            } else if character.isUppercase {
                name += "_\(character)"
            } else {
                name += character.uppercased()
            }
        }
        return name
    }
}
