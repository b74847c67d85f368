import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodTesting

@testable import Heartwood

/// The files of a store, and what each of its batches did: the oracle of what can be recovered.
struct WrittenStore: Sendable {
    /// What a batch did to a key; nil: removed it.
    typealias Change = (key: [UInt8], value: [UInt8]?)

    var image = DirectoryImage()
    var changes: [UInt64: [Change]] = [:]

    /// What a key has, and by which batch.
    struct Found: Hashable {
        var value: [UInt8]
        var sequence: UInt64
    }

    /// How a store is written.
    enum Shape: String, CaseIterable, Sendable {
        /// Segments only.
        case log
        /// A snapshot, and segments after it.
        case compacted
        /// A snapshot, the segments that it covers, and segments after it.
        case kept
    }

    static func configuration(_ fileSystem: any FileSystem) -> Store.Configuration {
        var configuration = Store.Configuration()
        configuration.fileSystem = fileSystem
        configuration.clock = ManualClock(milliseconds: 1_700_000_000_000)
        configuration.segmentBytes = 16 << 10
        configuration.commitBufferBytes = 64 << 10
        configuration.compaction = .manual
        // Only `flush` ends a commit, however slow the machine is.
        configuration.timing.write = .max
        configuration.timing.sync = .max
        configuration.timing.mark = .max
        return configuration
    }

    /// - Parameter closes: Whether the store is closed in order; otherwise its files are as a kill leaves them.
    static func make(_ shape: Shape, seed: UInt64, closes: Bool = true) async throws -> WrittenStore {
        var random = SeededRandom(seed, 61)
        var written = WrittenStore()
        let fileSystem = InMemoryFileSystem()
        var configuration = configuration(fileSystem)
        configuration.compression = .zlib(level: 6, threshold: 200)
        if shape == .kept { configuration.logRetention = .everything }
        let store = try await Store.open(at: DirectoryImage.path, configuration: configuration)
        try await written.write(70, to: store, &random)
        if shape != .log {
            _ = try await store.compact()
            try await written.write(70, to: store, &random)
        }
        if !closes { written.image = try DirectoryImage(of: fileSystem) }
        try await store.close()
        if closes { written.image = try DirectoryImage(of: fileSystem) }
        return written
    }

    private mutating func write(_ count: Int, to store: Store, _ random: inout SeededRandom) async throws {
        for number in 0..<count {
            var made: [Change] = []
            for _ in 0..<[1, 1, 1, 2, 3, 5].randomElement(using: &random)! {
                let key = Array("key \(Int.random(in: 0..<90, using: &random))".utf8)
                let isRemoval = Int.random(in: 0..<6, using: &random) == 0
                made.append((key, isRemoval ? nil : Self.value(&random)))
            }
            let changes = made
            let sequence = try await store.write(durability: .buffered) { batch in
                for (key, value) in changes {
                    if let value { batch.put(key, value) } else { batch.remove(key) }
                }
            }
            self.changes[sequence] = made
            // Several batches a commit, and commits of one.
            if number % 5 == 4 || number % 7 == 0 { try await store.sync() }
        }
        try await store.sync()
    }

    private static func value(_ random: inout SeededRandom) -> [UInt8] {
        let length = [3, 20, 60, 250, 900, 2_500].randomElement(using: &random)!
        if Bool.random(using: &random) {
            return Array(repeatElement(Array("heartwood ".utf8), count: length / 10 + 1).joined())
        }
        return (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    /// The contents after these batches, applied in order.
    func state(of sequences: some Sequence<UInt64>, after base: [[UInt8]: Found] = [:]) -> [[UInt8]: Found] {
        var state = base
        for sequence in sequences.sorted() {
            for (key, value) in changes[sequence] ?? [] {
                state[key] = value.map { Found(value: $0, sequence: sequence) }
            }
        }
        return state
    }

    /// What an opening of these files shows.
    static func contents(of fileSystem: any FileSystem, at path: String) async throws -> [[UInt8]: Found] {
        try await opening(of: fileSystem, at: path).contents.get()
    }

    /// How an opening of these files finds the log's end, and what it shows, if all of it can be read.
    static func opening(
        of fileSystem: any FileSystem, at path: String
    ) async throws -> (tail: RecoveryReport.Tail, contents: Result<[[UInt8]: Found], any Error>) {
        var configuration = configuration(fileSystem)
        configuration.createIfMissing = false
        return try await Store.withStore(at: path, configuration: configuration) { store in
            let contents = Result {
                var found: [[UInt8]: Found] = [:]
                for entry in try store.scan().entries() {
                    found[entry.key] = Found(value: entry.value, sequence: entry.sequence)
                }
                return found
            }
            return (store.recoveryReport.tail, contents)
        }
    }
}
