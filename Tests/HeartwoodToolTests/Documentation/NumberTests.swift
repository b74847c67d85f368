internal import Foundation
internal import Heartwood
internal import KeyValueStore
internal import Testing

@testable internal import heartwood_tool

/// The limits and defaults that documents state are those of the code.
@Suite("the documents' numbers")
struct NumberTests {
    private static let largestValue = (2 << 30) - (132 << 10)

    private static let stated: [(document: String, text: String)] = {
        let (configuration, etcd) = (Store.Configuration(), KeyValueLimits.etcd)
        let (compaction, batch) = (configuration.compaction, megabytes(etcd.batchBytes))
        let operations = Numbers.grouped(etcd.operations)
        let key = Numbers.grouped((try? Store.inMemory())?.limits.keyBytes ?? 0)
        return [
            ("Limits", "Keys have 1 to \(key) bytes. Values have up to \(configuration.maximumValueBytes >> 30) GiB"),
            ("Limits", "2 GiB less \(((2 << 30) - largestValue) >> 10) KiB if configured"),
            ("Limits", "the indexed values and the id have at most \(key) bytes together"),
            ("Limits", "as large as the live data and at least \(compaction.minimumLogBytes >> 20) MiB"),
            ("GettingStarted", "Keys are 1 to \(key) bytes"),
            ("Compaction", "as large as the live data and at least \(compaction.minimumLogBytes >> 20) MiB"),
            ("Design", "a quarter of `commitBufferBytes` (\(configuration.commitBufferBytes >> 22) MiB by default)"),
            ("FileFormat", "| key | 1 to \(key) bytes |"),
            ("FileFormat", "1 GiB by default, configurable up to \(Numbers.grouped(largestValue)) bytes"),
            ("FileFormat", "| segment | \(configuration.segmentBytes >> 20) MiB by default, 16 KiB to 1 TiB"),
            ("BeyondOneMachine", "\(operations) operations, \(etcd.conditions) conditions, \(batch);"),
            ("BeyondOneMachine", "| a key | \(Numbers.grouped(etcd.keyBytes)) bytes | the same |"),
            ("BeyondOneMachine", "| a value | 1 GiB | \(megabytes(etcd.valueBytes)) |"),
            ("Modelling", "`\(etcd.conditions - 1) / (1 + unique indexes)`"),
            ("Services", "| `segmentBytes` | \(configuration.segmentBytes) |"),
            ("Services", "| `maximumValueBytes` | \(configuration.maximumValueBytes) | 0 to \(largestValue) |"),
            ("Services", "| `commitBufferBytes` | \(configuration.commitBufferBytes) |"),
            ("Services", "| `compaction.minimumLogBytes` | \(compaction.minimumLogBytes) |"),
            ("Services", "| `compaction.logPerLiveByte` | \(Int(compaction.logPerLiveByte)) |"),
            ("Services", "| `compaction.maximumSegments` | \(compaction.maximumSegments) |"),
        ]
    }()

    @Test("are those of the code", arguments: stated)
    func areThoseOfTheCode(document: String, text: String) throws {
        let file = ConsoleRun.root.appendingPathComponent("Documentation/\(document).md")
        let words = try String(contentsOf: file, encoding: .utf8).split { $0 == " " || $0 == "\n" }
        #expect(words.joined(separator: " ").contains(text), "\(document).md doesn't say: \(text)")
    }

    @Test("the largest value can be configured, and no larger one")
    func theLargestValue() throws {
        var configuration = Store.Configuration()
        configuration.maximumValueBytes = Self.largestValue
        _ = try Store.inMemory(configuration: configuration)
        configuration.maximumValueBytes += 1
        #expect(throws: StoreError.self) { try Store.inMemory(configuration: configuration) }
    }

    private static func megabytes(_ bytes: Int) -> String { "\(Double(bytes) / 1_000_000) MB" }
}
